package middleware_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func ExampleSessions() {
	ctx := context.Background()
	manager, err := session.NewManager(memstore.New(nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer manager.Close(ctx)
	sessions, err := middleware.NewSessions(manager, nil) // once, for all sessions
	if err != nil {
		log.Fatal(err)
	}

	key := session.Key{Namespace: "cms", UserID: "anna", SessionID: "s-1"}
	_, err = sessions.Record(ctx, key, middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"page-1001","title":"Home"}}`})
	if err != nil {
		log.Print(err) // memory missed something
	}
	block, err := sessions.Block(ctx, key) // in this process or another
	if err != nil {
		log.Print(err)
	}
	fmt.Println(block)
	// Output:
	// [WORKING MEMORY]
	// pages:
	//   - "Home" (page-1001)
}
