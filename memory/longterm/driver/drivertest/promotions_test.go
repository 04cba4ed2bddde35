package drivertest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func TestMain(m *testing.M) {
	PromotionsChild(openFile)
	os.Exit(m.Run())
}

// openFile opens a file at "path" or "path?fault".
func openFile(address string) (sessiondriver.Store, longtermdriver.Index, func() error, error) {
	path, fault, _ := strings.Cut(address, "?")
	file, err := sqlitestore.Open(context.Background(), path, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	var store sessiondriver.Store = file
	var index longtermdriver.Index = file.Index()
	switch fault {
	case "forgets":
		index = &forgetful{Index: index}
	case "crosses":
		index = crossing{index}
	case "overwrites":
		store = overwriting{store}
	}
	return store, index, file.Close, nil
}

// forgetful acknowledges every 5th write without making it.
type forgetful struct {
	longtermdriver.Index
	writes atomic.Int64
}

func (f *forgetful) Write(ctx context.Context, changes []longtermdriver.RecordChange) error {
	if f.writes.Add(1)%5 == 0 {
		return nil
	}
	return f.Index.Write(ctx, changes)
}

// crossing shows users the records of others in their namespace.
type crossing struct{ longtermdriver.Index }

func (c crossing) Search(ctx context.Context, s longtermdriver.Search) (longtermdriver.HitPage, error) {
	if namespace, _, ok := s.Scope.Owner(); ok {
		s.Scope = longterm.OfNamespace(namespace)
	}
	return c.Index.Search(ctx, s)
}

// overwriting ignores concurrent writes.
type overwriting struct{ sessiondriver.Store }

func (o overwriting) Write(ctx context.Context, key session.Key, w sessiondriver.Write) (sessiondriver.Position, error) {
	for {
		at, err := o.Store.Write(ctx, key, w)
		if !errors.Is(err, session.ErrConflict) {
			return at, err
		}
		r, err := o.Load(ctx, key, 0)
		if err != nil {
			return sessiondriver.Position{}, session.ErrConflict
		}
		w.If = sessiondriver.Condition{Revision: r.Revision}
	}
}

func TestPromotionsFindFaults(t *testing.T) {
	t.Parallel()
	for fault, kills := range map[string]int{"forgets": 3, "crosses": 3, "overwrites": 8} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			p := promotions{address: filepath.Join(t.TempDir(), "memory.db") + "?" + fault, open: openFile, times: soak.Times(kills, 24), seed: 1}
			err := p.run(t.Context())
			require.Error(t, err)
			t.Log(err)
		})
	}
	p := promotions{address: filepath.Join(t.TempDir(), "no", "such", "directory"), open: openFile, times: 1}
	require.ErrorContains(t, p.run(t.Context()), "opening the store")
}
