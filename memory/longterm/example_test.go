package longterm_test

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func ExampleMemory() {
	ctx := context.Background()
	m, err := longterm.New(memindex.New(nil), nil)
	must(err)
	defer m.Close(ctx)
	anna := longterm.Of("shop", "anna")
	puts, err := m.Put(ctx, anna, []longterm.Record{
		{ID: "seat", Text: "Anna likes to sit at the window."},
		{ID: "food", Text: "Anna does not eat meat."},
		{ID: "again", Text: "Anna does not eat meat."},
	}, nil)
	must(err)
	fmt.Println(puts[2].Status == longterm.PutMerged, puts[2].Key.ID)
	results, err := m.Search(ctx, anna, longterm.Query{Text: "Which window seat shall I book?"})
	must(err)
	for _, hit := range results.Hits {
		fmt.Println(hit.Record.ID, hit.Record.Text)
	}
	// Output:
	// true food
	// seat Anna likes to sit at the window.
}

// The results of tools in one session are found from any other session of the user, without a
// model. Promotion runs in the background; closing the manager completes it.
func ExamplePromoter() {
	ctx := context.Background()
	memories, err := longterm.New(memindex.New(nil), nil)
	must(err)
	defer memories.Close(ctx)
	promoter, err := longterm.NewPromoter(memories, &longterm.PromoterOptions{Entities: true})
	must(err)
	manager, err := session.NewManager(memstore.New(nil), &session.Options{LongTerm: promoter})
	must(err)

	key := session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}
	_, err = manager.Append(ctx, key, []session.Message{{Role: session.RoleUser, Content: "Where are my shoes?"}}, nil)
	must(err)
	_, err = manager.UpdateHead(ctx, key, func(s *session.Session) error {
		s.Memories = append(s.Memories, session.Record{ID: "m-1", Text: "Anna wears size 39."})
		return s.Entities.Add(memory.Entity{Type: "order", ID: "W123", Name: "Red shoes"})
	}, nil)
	must(err)
	must(manager.Close(ctx))

	for _, question := range []string{"which size does she wear?", "where are my shoes?"} {
		found, err := memories.Search(ctx, longterm.Of("shop", "anna"), longterm.Query{Text: question})
		must(err)
		fmt.Println(found.Hits[0].Record.Text)
	}
	// Output:
	// Anna wears size 39.
	// order "Red shoes" (W123)
}
