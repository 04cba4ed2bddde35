package main

import (
	"context"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// assistant is what a program has that remembers.
type assistant struct {
	store    *sqlitestore.Store
	memories *longterm.Memory
	manager  *session.Manager
	now      func() time.Time
}

// open opens the file, at a time.
func open(ctx context.Context, path string, at time.Time) (*assistant, error) {
	a := &assistant{now: func() time.Time { return at }}
	var err error
	if a.store, err = sqlitestore.Open(ctx, path, &sqlitestore.Options{Now: a.now}); err != nil {
		return nil, err
	}
	if a.memories, err = longterm.New(a.store.Index(), &longterm.Options{Now: a.now}); err != nil {
		return nil, err
	}
	promoter, err := longterm.NewPromoter(a.memories, &longterm.PromoterOptions{
		Model: model{}, Strategy: &session.Strategy{Name: "discrete"},
	})
	if err != nil {
		return nil, err
	}
	a.manager, err = session.NewManager(a.store, &session.Options{
		LongTerm: promoter, Now: a.now,
		Promotions: session.Promotions{Off: true}, // main calls Promote
	})
	return a, err
}

func (a *assistant) close(ctx context.Context) {
	_ = a.manager.Close(ctx)
	_ = a.memories.Close(ctx)
	_ = a.store.Close()
}

// converse adds messages to a conversation, and says them.
func (a *assistant) converse(ctx context.Context, key session.Key, messages ...session.Message) error {
	for i := range messages {
		messages[i].CreatedAt = a.now()
		fmt.Printf("  %s: %s\n", messages[i].Role, messages[i].Content)
	}
	_, err := a.manager.Append(ctx, key, messages, nil)
	return err
}

// recall is the block that goes into the prompt of a question.
func (a *assistant) recall(ctx context.Context, user, question string) (string, error) {
	notes, err := a.memories.Recall(ctx, longterm.Of("travel", user), question, &longterm.RecallOptions{Limit: 1})
	if err != nil {
		return "", err
	}
	return prompt.NewRenderer(nil).RenderContent(prompt.Content{Notes: notes}), nil
}
