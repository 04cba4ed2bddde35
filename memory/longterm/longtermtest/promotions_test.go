package longtermtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

func TestMain(m *testing.M) {
	PromotionsChild(openFile)
	os.Exit(m.Run())
}

// openFile opens a file on "path" or "path?fault".
func openFile(address string) (session.Store, longterm.Index, func() error, error) {
	path, fault, _ := strings.Cut(address, "?")
	file, err := sqlitestore.Open(context.Background(), path, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	var store session.Store = file
	var index longterm.Index = file.Index()
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

// forgetful does not do what it says it did, every 5th time.
type forgetful struct {
	longterm.Index
	writes atomic.Int64
}

func (f *forgetful) Write(ctx context.Context, changes []longterm.Change) error {
	if f.writes.Add(1)%5 == 0 {
		return nil
	}
	return f.Index.Write(ctx, changes)
}

// crossing shows users what is of others in their namespace.
type crossing struct{ longterm.Index }

func (c crossing) Search(ctx context.Context, s longterm.Search) (longterm.Page, error) {
	if namespace, _, ok := s.Scope.Owner(); ok {
		s.Scope = longterm.OfNamespace(namespace)
	}
	return c.Index.Search(ctx, s)
}

// overwriting writes whatever others wrote meanwhile.
type overwriting struct{ session.Store }

func (o overwriting) Write(ctx context.Context, key session.Key, w session.Write) (session.Position, error) {
	for {
		at, err := o.Store.Write(ctx, key, w)
		if !errors.Is(err, session.ErrConflict) {
			return at, err
		}
		r, err := o.Load(ctx, key, 0)
		if err != nil {
			return session.Position{}, session.ErrConflict
		}
		w.If = session.Condition{Revision: r.Revision}
	}
}

func TestPromotionsOfKilledProcessesFindOutWhatIsWrong(t *testing.T) {
	t.Parallel()
	times := 24
	if raceDetector {
		times = 8
	}
	for _, fault := range []string{"forgets", "crosses", "overwrites"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			p := promotions{address: filepath.Join(t.TempDir(), "memory.db") + "?" + fault, open: openFile, times: times, seed: 1}
			err := p.run(t.Context())
			require.Error(t, err)
			t.Log(err)
		})
	}
}

func TestAStoreThatDoesNotOpenFailsThePromotions(t *testing.T) {
	t.Parallel()
	p := promotions{address: filepath.Join(t.TempDir(), "no", "such", "directory"), open: openFile, times: 1}
	require.ErrorContains(t, p.run(t.Context()), "opening the store")
}
