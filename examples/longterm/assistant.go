package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/wordvectors"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// assistant holds the parts of a program with long-term memory.
type assistant struct {
	now      func() time.Time
	store    *sqlitestore.Store
	memories *longterm.Memory
	manager  *session.Manager
	sessions *middleware.Sessions
}

// open opens the file with a clock that starts at the given time.
func open(ctx context.Context, path string, at time.Time) (*assistant, error) {
	now := func() time.Time { return at }
	store, err := sqlitestore.Open(ctx, path, &sqlitestore.Options{Now: now})
	if err != nil {
		return nil, err
	}
	memories, err := longterm.New(store.Index(), &longterm.Options{Embedder: wordvectors.New(), Now: now})
	if err != nil {
		return nil, err
	}
	promoter, err := longterm.NewPromoter(memories, &longterm.PromoterOptions{
		Model:    model{}, // takes facts from what was said
		Entities: true,    // and what tools returned is remembered without one
	})
	if err != nil {
		return nil, err
	}
	manager, err := session.NewManager(store, &session.Options{LongTerm: promoter, Now: now})
	if err != nil {
		return nil, err
	}
	sessions, err := middleware.NewSessions(manager, &middleware.SessionsOptions{Recall: memories.RecallFor})
	return &assistant{now, store, memories, manager, sessions}, err
}

// close promotes what is due and closes everything in the reverse order of open.
func (a *assistant) close(ctx context.Context) error {
	return errors.Join(a.manager.Close(ctx), a.memories.Close(ctx), a.store.Close())
}

// ask appends the user's message to a session and returns the block for the prompt.
func (a *assistant) ask(ctx context.Context, key session.Key, name, text string) (string, error) {
	fmt.Printf("\n  %s: %s\n", name, text)
	said := session.Message{Role: session.RoleUser, Name: name, Content: text, CreatedAt: a.now()}
	if _, err := a.manager.Append(ctx, key, []session.Message{said}, nil); err != nil {
		return "", err
	}
	block, err := a.sessions.Block(ctx, key, prompt.Message{Role: said.Role, Content: said.Content})
	for line := range strings.Lines(block) {
		fmt.Print("    ", line)
	}
	if block != "" {
		fmt.Println()
	}
	return block, err
}
