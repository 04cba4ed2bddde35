package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

const sessionID = "s-1"

// talk holds a conversation, as an assistant in another process would.
func talk(ctx context.Context, c *client.Client) error {
	now := wire.Time{Time: time.Now()}
	session, err := c.PutSession(ctx, sessionID, &wire.SessionBody{Messages: []wire.Message{
		{ID: "m-1", Role: "user", Content: "Which pages have we got?", CreatedAt: &now},
	}}, nil)
	if err != nil {
		return err
	}
	fmt.Printf("put: session %s of %s, %d message\n", session.SessionID, *session.UserID, len(session.Messages))

	found, err := c.RecordToolCall(ctx, sessionID, &wire.RecordedCall{
		Name: "cms_listPages", Arguments: map[string]any{"site": "main"},
		Result: map[string]any{"pages": []any{
			map[string]any{"id": "page-40017", "title": "Home"}, map[string]any{"id": "page-40018", "title": "Pricing"},
		}},
	}, nil)
	if err != nil {
		return err
	}
	fmt.Printf("tool call: %d entities\n", len(found.Entities))

	block, err := c.Block(ctx, sessionID, 0, nil)
	if err != nil {
		return err
	}
	fmt.Printf("block:\n%s\n", strings.TrimSpace(block))
	if !strings.Contains(block, "page-40018") {
		return fmt.Errorf("the block lacks page-40018")
	}
	return remember(ctx, c)
}

// remember stores and finds a long-term memory.
func remember(ctx context.Context, c *client.Client) error {
	err := c.CreateMemories(ctx, &wire.MemoryBody{Memories: []wire.Memory{
		{ID: "tone", Text: "Anna wants headlines in sentence case."},
		{ID: "seat", Text: "Anna likes window seats."},
	}}, nil)
	if err != nil {
		return err
	}
	question := "How are headlines written?"
	results, err := c.Search(ctx, &wire.Search{Text: &question})
	if err != nil {
		return err
	}
	if len(results.Memories) == 0 || results.Memories[0].ID != "tone" {
		return fmt.Errorf("the search found %d memories, and not the right one first", len(results.Memories))
	}
	fmt.Printf("search: %s (%s)\n", results.Memories[0].Text, *results.Memories[0].ScoreType)

	prompt, err := c.Prompt(ctx, &wire.PromptRequest{
		Query: "Write a headline for the pricing page.", Session: &wire.PromptSession{SessionID: sessionID},
		LongTerm: &wire.SearchOrBool{Search: &wire.Search{Text: &question}},
	})
	if err != nil {
		return err
	}
	fmt.Println("prompt:")
	for _, m := range prompt.Messages {
		first, _, _ := strings.Cut(m.Content.Text, "\n")
		fmt.Printf("  %s: %s\n", m.Role, first)
	}
	if n := len(prompt.Messages); n != 4 {
		return fmt.Errorf("the prompt has %d messages: block, message, memories and question are expected", n)
	}
	return nil
}
