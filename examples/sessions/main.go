// Sessions kills a process in the middle of a turn and continues the conversation in another.
// The program starts itself twice on one SQLite file; the second process knows only what is
// stored.
//
//	go run ./examples/sessions
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// key names the conversation.
var key = session.Key{Namespace: "cms", UserID: "anna", SessionID: "s-1"}

func main() {
	log.SetFlags(0)
	err := errors.New("usage: sessions")
	switch len(os.Args) {
	case 1:
		err = run(context.Background())
	case 3:
		err = process(context.Background(), os.Args[1], os.Args[2])
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run starts both processes and prints the stored session.
func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "sessions.db")

	fmt.Println("== first process")
	err = start(ctx, "first", path)
	if died, ok := errors.AsType[*exec.ExitError](err); !ok || died.ExitCode() != killed {
		return fmt.Errorf("FAILED: the first process was to be killed: %v", err)
	}
	fmt.Println("\n== second process")
	if err := start(ctx, "second", path); err != nil {
		return fmt.Errorf("FAILED: the second process: %w", err)
	}
	return show(ctx, path)
}

func start(ctx context.Context, role, path string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.CommandContext(ctx, program, role, path)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	return child.Run()
}

// show prints the stored session.
func show(ctx context.Context, path string) error {
	store, err := sqlitestore.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	manager, err := session.NewManager(store, nil)
	if err != nil {
		return err
	}
	s, err := manager.Load(ctx, key, nil)
	if err != nil {
		return err
	}
	fmt.Printf("\n== the stored session %s\n", s.Key)
	fmt.Printf("summary of what left:\n%s\n\nmessages, %d tokens:\n", s.Context, s.Tokens())
	for _, m := range s.Messages {
		fmt.Println(" ", strings.ReplaceAll(m.Text(), "\n", ""))
	}
	fmt.Printf("\n%s\n", prompt.Render(s.Entities))
	if s.Context == "" {
		return errors.New("FAILED: there is no summary")
	}
	return manager.Close(ctx)
}
