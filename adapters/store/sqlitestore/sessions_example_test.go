package sqlitestore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// An agent's own loop, without a framework: what a model is shown at each turn, and
// what is stored.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "sessions")
	must(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "sessions.db")

	store, err := sqlitestore.Open(ctx, path, nil)
	must(err)
	defer store.Close()
	manager, err := session.NewManager(store, nil)
	must(err)
	defer manager.Close(ctx)
	key := session.Key{Namespace: "cms", UserID: "anna", SessionID: "s-1"}

	sessions, err := middleware.NewSessions(manager, nil) // once, for all sessions
	must(err)
	_, err = manager.Append(ctx, key, []session.Message{{Role: session.RoleUser, Content: "Get the home page."}}, nil)
	must(err)
	_, err = sessions.Record(ctx, key, middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"page-1001","title":"Home"}}`})
	must(err)

	block, err := sessions.Block(ctx, key) // in this process or another
	must(err)
	conversation, err := manager.Load(ctx, key, nil)
	must(err)
	fmt.Println(block)
	for _, m := range conversation.Messages {
		fmt.Println(m.Text())
	}
	// Output:
	// [WORKING MEMORY]
	// pages:
	//   - "Home" (page-1001)
	// user: Get the home page.
}
