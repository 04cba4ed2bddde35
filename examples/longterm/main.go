// Longterm shows that what was said in one conversation is known in another, on the next
// day: facts that a model took from the messages, and things that tools returned, which
// need no model. All of it is in one SQLite file, and the model is scripted: it needs no
// key and no network.
//
//	go run ./examples/longterm
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "longterm")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "memory.db")
	monday := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	if err := firstDay(ctx, path, monday); err != nil {
		return err
	}
	return nextDay(ctx, path, monday.Add(24*time.Hour))
}

// firstDay has conversations, and promotes them.
func firstDay(ctx context.Context, path string, now time.Time) error {
	fmt.Println("==", now.Format("Monday, 2 January 2006"))
	a, err := open(ctx, path, now)
	if err != nil {
		return err
	}
	defer a.close(ctx)

	trip := session.Key{Namespace: "travel", UserID: "anna", SessionID: "trip"}
	err = a.converse(ctx, trip,
		session.Message{Role: session.RoleUser, Name: "Anna", Content: "I fly to Rome next Friday, and I always want an aisle seat."},
		session.Message{Role: session.RoleAssistant, Content: "Noted. Have a good flight!"},
	)
	if err != nil {
		return err
	}

	// This one has a strategy that asks no model: what tools returned is remembered.
	shopping := session.Key{Namespace: "travel", UserID: "anna", SessionID: "shopping"}
	_, err = a.manager.UpdateHead(ctx, shopping, func(s *session.Session) error {
		s.Strategy = &session.Strategy{Name: "entities"}
		return s.Entities.Add(memory.Entity{Type: "order", ID: "W123", Name: "Red suitcase", Description: "cabin size, 2 wheels"})
	}, nil)
	if err != nil {
		return err
	}
	for _, key := range []session.Key{trip, shopping} {
		// It happens in the background all the time; the example does not wait for that.
		outcome, err := a.manager.Promote(ctx, key)
		if err != nil {
			return err
		}
		fmt.Printf("  session %-9s %d extracted, %d promoted\n", key.SessionID+":", outcome.Extracted, outcome.Memories)
	}
	return nil
}

// nextDay asks in other conversations, in what could be another process.
func nextDay(ctx context.Context, path string, now time.Time) error {
	fmt.Println("\n==", now.Format("Monday, 2 January 2006"))
	a, err := open(ctx, path, now)
	if err != nil {
		return err
	}
	defer a.close(ctx)
	for _, q := range []struct{ user, question, answer string }{
		{"anna", "Which seat should you book for me?", "aisle seat"},
		{"anna", "When do I fly to Rome?", "6 March 2026"},
		{"anna", "What did I order, a suitcase?", "W123"},
		{"bert", "Which seat should you book for me?", ""},
	} {
		block, err := a.recall(ctx, q.user, q.question)
		if err != nil {
			return err
		}
		fmt.Printf("\n  %s: %s\n", q.user, q.question)
		for line := range strings.Lines(block) {
			fmt.Print("    ", line)
		}
		switch {
		case q.answer == "" && block != "":
			return fmt.Errorf("FAILED: %s is told what another said", q.user)
		case q.answer == "":
			fmt.Println("    (nothing is known)")
		case !strings.Contains(block, q.answer):
			return fmt.Errorf("FAILED: the block does not have %q", q.answer)
		default:
			fmt.Println()
		}
	}
	return nil
}
