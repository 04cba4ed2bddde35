package backend

import (
	"context"
	"log/slog"

	"github.com/go-workingmemory/workingmemory/adapters/auth"
	"github.com/go-workingmemory/workingmemory/adapters/postgresstore"
	"github.com/go-workingmemory/workingmemory/adapters/redisstore"
	"github.com/go-workingmemory/workingmemory/adapters/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// open opens a place.
func open(ctx context.Context, p Place, logger *slog.Logger) (opened, error) {
	switch p.kind {
	case sqlite:
		s, err := sqlitestore.Open(ctx, p.file(), &sqlitestore.Options{Logger: logger})
		if err != nil {
			return opened{}, err
		}
		return opened{place: p, sessions: s, index: s.Index(), tokens: s.Tokens(), close: s}, nil
	case redis:
		s, err := redisstore.Open(ctx, p.text, nil)
		if err != nil {
			return opened{}, err
		}
		return opened{place: p, sessions: s, tokens: s.Tokens(), close: s}, nil
	case postgres:
		s, err := postgresstore.Open(ctx, p.text, &postgresstore.Options{Logger: logger})
		if err != nil {
			return opened{}, err
		}
		return opened{place: p, sessions: s, index: s.Index(), tokens: s.Tokens(), close: s}, nil
	default:
		s := session.NewMemoryStore(nil)
		return opened{place: p, sessions: s, index: longterm.NewMemoryIndex(nil), tokens: auth.NewMemoryStore(), close: s}, nil
	}
}
