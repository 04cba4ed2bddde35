package middleware_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// What is remembered beyond a conversation comes into its block.
func ExampleOptions_recall() {
	ctx := context.Background()
	recorder, err := middleware.NewRecorder(&middleware.Options{
		Recall: func(_ context.Context, said string) ([]items.Item, error) {
			// Here you would ask your long-term memory, such as a longterm.Memory.
			fmt.Println("asked:", said)
			return []items.Item{{Type: items.TypeFact, Text: "Anna likes aisle seats."}}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}

	recorder.UpdateFocus(prompt.Message{Role: "user", Content: "Book me a seat."})
	for range 3 { // steps of an agent
		_ = recorder.Refresh(ctx)
		_ = recorder.Record(ctx, middleware.ToolCall{Name: "get_flight", Result: `{"flight": {"id": "QX-7001", "name": "Oslo"}}`})
	}
	fmt.Println(recorder.Block())
	// Output:
	// asked: Book me a seat.
	// [WORKING MEMORY]
	// flights:
	//   - "Oslo" (QX-7001)
	// [NOTES]
	//   - fact: "Anna likes aisle seats."
}

// The key of a session says whose memories are recalled: those of its user.
func ExampleSessionsOptions_recall() {
	ctx := context.Background()
	memories, err := longterm.New(memindex.New(nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer memories.Close(ctx)
	manager, err := session.NewManager(memstore.New(nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer manager.Close(ctx)
	sessions, err := middleware.NewSessions(manager, &middleware.SessionsOptions{Recall: memories.RecallFor})
	if err != nil {
		log.Fatal(err)
	}

	_, err = memories.Put(ctx, longterm.Of("travel", "anna"), []longterm.Record{{ID: "seat", Text: "Anna likes aisle seats."}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, user := range []string{"anna", "bert"} {
		key := session.Key{Namespace: "travel", UserID: user, SessionID: "s-1"}
		block, err := sessions.Block(ctx, key, prompt.Message{Role: "user", Content: "Book me a seat."})
		if err != nil {
			log.Print(err)
		}
		fmt.Printf("%s:\n%s\n", user, block)
	}
	// Output:
	// anna:
	// [WORKING MEMORY]
	// [NOTES]
	//   - fact: "Anna likes aisle seats."
	// bert:
}
