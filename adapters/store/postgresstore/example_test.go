package postgresstore_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

func ExampleOpen() {
	ctx := context.Background()
	store, err := postgresstore.Open(ctx, "postgres://user@db.example.com/agents", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	manager, err := session.NewManager(store, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer manager.Close(ctx)
	key := session.Key{Namespace: "support", UserID: "ann", SessionID: "2026-11-21"}
	_, err = manager.Append(ctx, key, []session.Message{{Role: session.RoleUser, Content: "Where is my order?"}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	s, err := manager.Load(ctx, key, &session.LoadOptions{Last: 20})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(s.Messages), "messages")
}
