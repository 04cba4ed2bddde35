package session_test

import (
	"context"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

func ExampleManager() {
	ctx := context.Background()
	m, err := session.NewManager(memstore.New(nil), nil) // or a store on SQLite, Redis, PostgreSQL
	if err != nil {
		fmt.Println(err)
		return
	}
	key := session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}

	// Whoever appends: nothing is lost, and it costs the same at any length.
	_, err = m.Append(ctx, key, []session.Message{
		{ID: "m1", Role: session.RoleUser, Content: "Where is my order?"},
		{ID: "m2", Role: session.RoleAssistant, Content: "It left yesterday."},
	}, &session.WriteOptions{TTL: time.Hour, Model: "gpt-4o"})
	if err != nil {
		fmt.Println(err)
		return
	}

	// What depends on what is there is done again if another was faster.
	_, err = m.UpdateHead(ctx, key, func(s *session.Session) error {
		s.Data = map[string]any{"language": "en"}
		return s.Entities.Add(memory.Entity{Type: "order", ID: "W7", Name: "Blue shirt"})
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	s, err := m.Load(ctx, key, &session.LoadOptions{Last: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, message := range s.Messages {
		fmt.Println(message.Text())
	}
	for e := range s.Entities.All() {
		fmt.Println(e.Type, e.ID, e.Name)
	}
	fmt.Println(s.Data["language"], s.Window())
	// Output:
	// user: Where is my order?
	// assistant: It left yesterday.
	// order W7 Blue shirt
	// en 128000
}

func ExampleManager_Branch() {
	ctx := context.Background()
	m, err := session.NewManager(memstore.New(nil), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	talk, draft := session.Key{SessionID: "talk"}, session.Key{SessionID: "draft"}
	for _, step := range []func() error{
		func() error { return appendText(ctx, m, talk, "a plan") },
		func() error { _, err := m.Branch(ctx, talk, draft, nil); return err },
		func() error { return appendText(ctx, m, draft, "another plan") },
	} {
		if err := step(); err != nil {
			fmt.Println(err)
			return
		}
	}
	for _, key := range []session.Key{talk, draft} {
		s, err := m.Load(ctx, key, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(key.SessionID, s.Len())
	}
	// Output:
	// talk 1
	// draft 2
}

func appendText(ctx context.Context, m *session.Manager, key session.Key, text string) error {
	_, err := m.Append(ctx, key, []session.Message{{Role: session.RoleUser, Content: text}}, nil)
	return err
}
