package longterm_test

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// What tools returned in one session is found from any other of the user's, without a
// model.
func ExamplePromoter() {
	ctx := context.Background()
	memories, err := longterm.New(longterm.NewMemoryIndex(nil), nil)
	if err != nil {
		panic(err)
	}
	defer memories.Close(ctx)
	promoter, err := longterm.NewPromoter(memories, &longterm.PromoterOptions{Entities: true})
	if err != nil {
		panic(err)
	}
	manager, err := session.NewManager(session.NewMemoryStore(nil), &session.Options{
		LongTerm: promoter, Promotions: session.Promotions{Off: true}, // else it is done in the background
	})
	if err != nil {
		panic(err)
	}
	defer manager.Close(ctx)

	key := session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}
	_, err = manager.UpdateHead(ctx, key, func(s *session.Session) error {
		s.Memories = append(s.Memories, session.Memory{ID: "m-1", Text: "Anna wears size 39."})
		return s.Entities.Add(memory.Entity{Type: "order", ID: "W123", Name: "Red shoes"})
	}, nil)
	if err != nil {
		panic(err)
	}
	if _, err := manager.Promote(ctx, key); err != nil {
		panic(err)
	}

	for _, question := range []string{"which size does she wear?", "where are my shoes?"} {
		found, err := memories.Search(ctx, longterm.Of("shop", "anna"), longterm.Query{Text: question})
		if err != nil {
			panic(err)
		}
		fmt.Println(found.Hits[0].Record.Text)
	}
	// Output:
	// Anna wears size 39.
	// order "Red shoes" (W123)
}
