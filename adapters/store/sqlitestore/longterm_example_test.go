package sqlitestore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// What a tool returned in one conversation is known in another: sessions and long-term
// memory are in one file, and no model is needed.
func ExampleStore_Index() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "longterm")
	must(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "memory.db")

	store, err := sqlitestore.Open(ctx, path, nil)
	must(err)
	defer store.Close()
	memories, err := longterm.New(store.Index(), nil)
	must(err)
	defer memories.Close(ctx)
	promoter, err := longterm.NewPromoter(memories, &longterm.PromoterOptions{Entities: true})
	must(err)
	manager, err := session.NewManager(store, &session.Options{LongTerm: promoter})
	must(err)
	defer manager.Close(ctx)
	sessions, err := middleware.NewSessions(manager, &middleware.SessionsOptions{Recall: memories.RecallFor})
	must(err)

	monday := session.Key{Namespace: "shop", UserID: "anna", SessionID: "monday"}
	_, err = sessions.Record(ctx, monday, middleware.ToolCall{Name: "get_order", Result: `{"order":{"id":"W123","name":"Red suitcase"}}`})
	must(err)
	_, err = manager.Promote(ctx, monday) // or wait: it is done in the background
	must(err)

	tuesday := session.Key{Namespace: "shop", UserID: "anna", SessionID: "tuesday"}
	block, err := sessions.Block(ctx, tuesday, prompt.Message{Role: "user", Content: "Where is my suitcase?"})
	must(err)
	fmt.Println(block)
	// Output:
	// [WORKING MEMORY]
	// [NOTES]
	//   - fact: "order \"Red suitcase\" (W123)"
}
