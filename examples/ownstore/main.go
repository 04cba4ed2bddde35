// Ownstore keeps a conversation in a session store of its own: a directory with a JSON file
// for each session. store_test.go runs the conformance suite of stores on it.
//
//	go run ./examples/ownstore
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

var key = session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal("FAILED: ", err)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "ownstore")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := converse(ctx, dir); err != nil {
		return err
	}
	return resume(ctx, dir)
}

func openManager(dir string) (*session.Manager, error) {
	store, err := OpenStore(dir)
	if err != nil {
		return nil, err
	}
	return session.NewManager(store, nil)
}

// converse starts the conversation.
func converse(ctx context.Context, dir string) error {
	manager, err := openManager(dir)
	if err != nil {
		return err
	}
	defer manager.Close(ctx)
	question := session.Message{ID: "m-1", Role: session.RoleUser, Content: "Where is my order?"}
	answer := session.Message{ID: "m-2", Role: session.RoleAssistant, Content: "It left yesterday."}
	for _, messages := range [][]session.Message{{question}, {question, answer}} { // the question is sent twice
		appended, err := manager.Append(ctx, key, messages, nil)
		if err != nil {
			return err
		}
		fmt.Printf("appended %d of %d messages\n", appended.Added, len(messages))
	}
	_, err = manager.UpdateHead(ctx, key, func(s *session.Session) error {
		return s.Entities.Add(memory.Entity{Type: "order", ID: "W7", Name: "Blue shirt"})
	}, nil)
	return err
}

// resume continues it, as another process would, and prints what is stored.
func resume(ctx context.Context, dir string) error {
	manager, err := openManager(dir)
	if err != nil {
		return err
	}
	defer manager.Close(ctx)
	s, err := manager.Load(ctx, key, nil)
	if err != nil {
		return err
	}
	fmt.Printf("\nsession %s:\n", s.Key)
	for _, m := range s.Messages {
		fmt.Println(" ", m.Text())
	}
	for e := range s.Entities.All() {
		fmt.Printf("  %s %s, %q\n", e.Type, e.ID, e.Name)
	}
	if n := len(s.Messages); n != 2 || s.Entities.Len() != 1 {
		return fmt.Errorf("there are %d messages and %d entities, not 2 and 1", n, s.Entities.Len())
	}
	return nil
}
