// Longterm recalls in one conversation what was said and done in another, a day earlier:
// facts that a model extracted from messages, and entities that tools returned. They are
// promoted to long-term memory in the background, and those that bear on the user's question
// enter the prompt. Everything is in one SQLite file, and the model is scripted: no key and no
// network are needed.
//
//	go run ./examples/longterm
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
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
	if err := on(ctx, path, monday, firstDay); err != nil {
		return err
	}
	return on(ctx, path, monday.AddDate(0, 0, 1), nextDay)
}

// on runs one day with a manager of its own, as a separate process would.
func on(ctx context.Context, path string, at time.Time, day func(context.Context, *assistant) error) error {
	fmt.Println(at.Format("== Monday, 2 January 2006"))
	a, err := open(ctx, path, at)
	if err != nil {
		return err
	}
	return errors.Join(day(ctx, a), a.close(ctx))
}

// firstDay holds a conversation in which a tool is called.
func firstDay(ctx context.Context, a *assistant) error {
	trip := session.Key{Namespace: "travel", UserID: "anna", SessionID: "trip"}
	if _, err := a.ask(ctx, trip, "Anna", "I fly to Rome next Friday, and I always want an aisle seat. What about my suitcase?"); err != nil {
		return err
	}
	_, err := a.sessions.Record(ctx, trip, middleware.ToolCall{
		Name: "get_order", Result: `{"order": {"id": "W123", "name": "Red suitcase", "status": "shipped"}}`,
	})
	return err
}

// nextDay asks in new conversations, whose blocks contain what is recalled.
func nextDay(ctx context.Context, a *assistant) error {
	for _, q := range []struct{ name, text, want string }{
		{"Anna", "Which seat will you book for me?", "Anna always wants an aisle seat."},
		{"Anna", "When do I fly to Rome?", "6 March 2026"},
		{"Anna", "Did I order a suitcase?", "W123"},
		{"Bert", "Which seat will you book for me?", ""},
	} {
		key := session.Key{Namespace: "travel", UserID: strings.ToLower(q.name), SessionID: "next day"}
		block, err := a.ask(ctx, key, q.name, q.text)
		switch {
		case err != nil:
			return err
		case q.want == "" && block != "":
			return fmt.Errorf("FAILED: %s is told what another said", q.name)
		case !strings.Contains(block, q.want):
			return fmt.Errorf("FAILED: the block does not have %q", q.want)
		}
	}
	return nil
}
