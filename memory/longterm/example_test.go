package longterm_test

import (
	"context"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/prompt"
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

// A search within what a filter lets pass. A condition is never left out: where nothing
// passes, nothing is found.
func ExampleMemory_Search() {
	ctx := context.Background()
	m, err := longterm.New(memindex.New(nil), nil)
	must(err)
	defer m.Close(ctx)
	anna := longterm.Of("shop", "anna")
	spring := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	_, err = m.Put(ctx, anna, []longterm.Record{
		{ID: "seat", Text: "Anna likes to sit at the window.", Topics: []string{"travel"}},
		{ID: "rome", Text: "Anna sat at a window to Rome.", Topics: []string{"travel"}, EventDate: spring.AddDate(0, 0, 5)},
		{ID: "desk", Text: "Anna's desk is at the window.", Topics: []string{"office"}},
	}, nil)
	must(err)
	for _, filter := range []longterm.RecordFilter{
		{Topics: &longterm.TextCondition{Any: []string{"travel", "food"}}},
		{Topics: &longterm.TextCondition{Eq: new("travel")}, EventDate: &longterm.TimeCondition{Gte: &spring}},
		{Topics: &longterm.TextCondition{Eq: new("food")}},
	} {
		results, err := m.Search(ctx, anna, longterm.Query{Text: "a window", Filter: filter, Limit: 10})
		must(err)
		fmt.Print(results.Total, " found:")
		for _, hit := range results.Hits {
			fmt.Print(" ", hit.Record.ID)
		}
		fmt.Println()
	}
	// Output:
	// 2 found: rome seat
	// 1 found: rome
	// 0 found:
}

func ExampleMemory_Forget() {
	ctx := context.Background()
	m, err := longterm.New(memindex.New(nil), nil)
	must(err)
	defer m.Close(ctx)
	anna := longterm.Of("shop", "anna")
	lastYear := time.Now().AddDate(-1, 0, 0)
	_, err = m.Put(ctx, anna, []longterm.Record{
		{ID: "seat", Text: "Anna likes to sit at the window."},
		{ID: "order", Text: "Anna asked for order #W101.", CreatedAt: lastYear, LastAccessed: lastYear},
		{ID: "allergy", Text: "Anna is allergic to nuts.", CreatedAt: lastYear, LastAccessed: lastYear, Pinned: true},
	}, nil)
	must(err)
	policy := longterm.Policy{MaxAge: 90 * 24 * time.Hour, MaxInactive: 30 * 24 * time.Hour}
	would, err := m.Forget(ctx, anna, policy, nil)
	must(err)
	fmt.Println("would go:", would.Keys[0].ID)
	gone, err := m.Forget(ctx, anna, policy, &longterm.ForgetOptions{Delete: true})
	must(err)
	fmt.Println("gone:", len(gone.Keys), "of", gone.Scanned)
	// Output:
	// would go: order
	// gone: 1 of 3
}

func ExampleMemory_Recall() {
	ctx := context.Background()
	m, err := longterm.New(memindex.New(nil), nil)
	must(err)
	defer m.Close(ctx)
	anna := longterm.Of("shop", "anna")
	_, err = m.Put(ctx, anna, []longterm.Record{{ID: "seat", Text: "Anna likes to sit at the window."}}, nil)
	must(err)
	notes, err := m.Recall(ctx, anna, "A window on the train, please.", nil)
	must(err)
	fmt.Println(prompt.NewRenderer(nil).RenderContent(prompt.Content{Notes: notes}))
	// Output:
	// [WORKING MEMORY]
	// [NOTES]
	//   - fact: "Anna likes to sit at the window."
}

// What tools returned in one session is found from any other of the user's, without a
// model.
func ExamplePromoter() {
	ctx := context.Background()
	memories, err := longterm.New(memindex.New(nil), nil)
	must(err)
	defer memories.Close(ctx)
	promoter, err := longterm.NewPromoter(memories, &longterm.PromoterOptions{Entities: true})
	must(err)
	manager, err := session.NewManager(memstore.New(nil), &session.Options{
		LongTerm: promoter, Promotions: promotion.Options{Off: true}, // else it is done in the background, too
	})
	must(err)
	defer manager.Close(ctx)

	key := session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}
	_, err = manager.UpdateHead(ctx, key, func(s *session.Session) error {
		s.Memories = append(s.Memories, session.Record{ID: "m-1", Text: "Anna wears size 39."})
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
	store := memstore.New(&memstore.Options{Now: clock})
	manager, err := session.NewManager(store, &session.Options{
		TTL: time.Hour, Now: clock, LongTerm: promoter, Promotions: promotion.Options{Off: true}, // else it is done in the background, too
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
