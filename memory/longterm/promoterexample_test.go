package longterm_test

import (
	"context"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// What tools returned in one session is found from any other of the user's, without a
// model.
func ExamplePromoter() {
	ctx := context.Background()
	memories, err := longterm.New(memindex.New(nil), nil)
	must(err)
	defer memories.Close(ctx)
	promoter, err := longterm.NewPromoter(memories, &longterm.PromoterOptions{Entities: true})
	must(err)
	manager, err := session.NewManager(session.NewMemoryStore(nil), &session.Options{
		LongTerm: promoter, Promotions: session.Promotions{Off: true}, // else it is done in the background, too
	})
	must(err)
	defer manager.Close(ctx)

	key := session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}
	_, err = manager.UpdateHead(ctx, key, func(s *session.Session) error {
		s.Memories = append(s.Memories, session.Memory{ID: "m-1", Text: "Anna wears size 39."})
		return s.Entities.Add(memory.Entity{Type: "order", ID: "W123", Name: "Red shoes"})
	}, nil)
	must(err)
	_, err = manager.Promote(ctx, key)
	must(err)

	for _, question := range []string{"which size does she wear?", "where are my shoes?"} {
		found, err := memories.Search(ctx, longterm.Of("shop", "anna"), longterm.Query{Text: question})
		must(err)
		fmt.Println(found.Hits[0].Record.Text)
	}
	// Output:
	// Anna wears size 39.
	// order "Red shoes" (W123)
}

// Where messages are kept, a conversation goes on after its session has expired.
func ExamplePromoterOptions_messages() {
	ctx := context.Background()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	memories, err := longterm.New(memindex.New(nil), &longterm.Options{Now: clock})
	must(err)
	defer memories.Close(ctx)
	promoter, err := longterm.NewPromoter(memories, &longterm.PromoterOptions{Messages: true})
	must(err)
	store := session.NewMemoryStore(&session.MemoryStoreOptions{Now: clock})
	manager, err := session.NewManager(store, &session.Options{
		TTL: time.Hour, Now: clock, LongTerm: promoter, Promotions: session.Promotions{Off: true}, // else it is done in the background, too
	})
	must(err)
	defer manager.Close(ctx)

	key := session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}
	_, err = manager.Append(ctx, key, []session.Message{
		{Role: session.RoleUser, Content: "Is the red suitcase in stock?"},
		{Role: session.RoleAssistant, Content: "Yes, four of them."},
	}, nil)
	must(err)
	_, err = manager.Promote(ctx, key)
	must(err)

	now = now.AddDate(0, 0, 1) // the session has expired
	_, err = manager.Append(ctx, key, []session.Message{{Role: session.RoleUser, Content: "I take it."}}, nil)
	must(err)
	s, err := manager.Load(ctx, key, nil)
	must(err)
	for _, m := range s.Messages {
		fmt.Println(m.Text())
	}
	// Output:
	// user: Is the red suitcase in stock?
	// assistant: Yes, four of them.
	// user: I take it.
}
