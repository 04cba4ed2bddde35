package backend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/adapters/store/redisstore"
	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// open opens a place.
func open(ctx context.Context, p Place, logger *slog.Logger) (opened, error) {
	switch p.kind {
	case sqlite:
		s, err := sqlitestore.Open(ctx, p.file(), &sqlitestore.Options{Logger: logger})
		if err != nil {
			return opened{}, withReason(p.file(), err)
		}
		return opened{place: p, sessions: s, index: s.Index(), tokens: s.Tokens(), views: s.Documents(), close: s}, nil
	case redis:
		s, err := redisstore.Open(ctx, p.text, nil)
		if err != nil {
			return opened{}, err
		}
		return opened{place: p, sessions: s, tokens: s.Tokens(), views: s.Documents(), close: s}, nil
	case postgres:
		s, err := postgresstore.Open(ctx, p.text, &postgresstore.Options{Logger: logger})
		if err != nil {
			return opened{}, err
		}
		return opened{place: p, sessions: s, index: s.Index(), tokens: s.Tokens(), views: s.Documents(), close: s}, nil
	default:
		s := memstore.New(nil)
		return opened{place: p, sessions: s, index: memindex.New(nil), tokens: auth.NewMemoryTokenStore(), views: new(summaryview.MemoryDocuments), close: s}, nil
	}
}

// withReason adds the system's reason to an error of opening a SQLite file, if it can be found
// out. SQLite does not give it.
func withReason(file string, err error) error {
	if !errors.Is(err, session.ErrUnavailable) {
		return err
	}
	f, reason := os.OpenFile(file, os.O_RDWR, 0)
	if reason == nil {
		_ = f.Close() // nothing was written
		return err
	}
	if errors.Is(reason, fs.ErrNotExist) {
		dir := filepath.Dir(file)
		if _, reason = os.Stat(dir); reason == nil {
			return fmt.Errorf("%w: cannot create files in %s?", err, dir)
		}
	}
	return fmt.Errorf("%w: %w", err, reason)
}
