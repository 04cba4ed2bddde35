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

	// Concurrent appends lose nothing, and cost the same at any length.
	_, err = m.Append(ctx, key, []session.Message{
		{ID: "m1", Role: session.RoleUser, Content: "Where is my order?"},
		{ID: "m2", Role: session.RoleAssistant, Content: "It left yesterday."},
	}, &session.WriteOptions{TTL: time.Hour, Model: "gpt-4o"})
	if err != nil {
		fmt.Println(err)
		return
	}

	// An update is repeated if the session was changed concurrently.
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
