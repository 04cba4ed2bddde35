package mcpserver

import (
	"fmt"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/inert"
	"github.com/go-workingmemory/workingmemory/memory"
)

// maxNamed limits the entities that a text lists.
const maxNamed = 10

// sizeText describes the size of a session after a write.
func sizeText(at *sizeAfterWrite) string {
	text := fmt.Sprintf("%d tokens", at.Tokens)
	if at.TotalUsed != nil {
		text += fmt.Sprintf(", %.1f %% of the window", *at.TotalUsed)
	}
	return text
}

// usageText describes how full a window is.
func usageText(u *wire.ContextUsage) string {
	return fmt.Sprintf("%d of %d tokens, %.1f %% of the window, %.1f %% of what may be taken before messages are summarised; messages: %d, entities: %d, memories: %d",
		u.Tokens, u.Window, u.TotalUsed, u.UntilSummarization, u.Messages, u.Entities, u.Memories)
}

// recordedText returns what the model is to see of a recorded tool call, or lists its entities.
func recordedText(made *wire.Recorded) string {
	switch shown := made.Shown.(type) {
	case nil:
	case string:
		return inert.Text(shown)
	default:
		if encoded, err := wire.Encode(shown); err == nil {
			return string(inert.JSON(encoded))
		}
	}
	if len(made.Entities)+len(made.Removed) == 0 {
		return "No entities"
	}
	lines := []string{fmt.Sprintf("Entities: %d, removed: %d", len(made.Entities), len(made.Removed))}
	for _, e := range made.Entities[:min(len(made.Entities), maxNamed)] {
		lines = append(lines, "- "+entityText(e))
	}
	return strings.Join(lines, "\n")
}

func entityText(e memory.Entity) string {
	text := append([]byte(inert.Line(e.Type)), ` "`...)
	text = append(inert.AppendEscaped(text, e.Label(), inert.InQuotes), `" (`...)
	return string(append(inert.AppendEscaped(text, e.ID, inert.InParentheses), ')'))
}

// foundText lists memories, one on each line.
func foundText(found *wire.Results) string {
	if len(found.Memories) == 0 {
		return "No memories found."
	}
	lines := []string{fmt.Sprintf("%d of %d memories:", len(found.Memories), found.Total)}
	for i := range found.Memories {
		m := &found.Memories[i]
		line := "- " + inert.Line(m.Text) + " (ID: " + inert.Line(m.ID) + ")"
		if m.EventDate != nil {
			line += " on " + m.EventDate.Format("2006-01-02")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// forgottenText describes the result of forget_memories.
func forgottenText(gone *wire.ForgetResult) string {
	if gone.DryRun {
		return fmt.Sprintf("%d of %d memories would be forgotten; nothing was.", gone.Deleted, gone.Scanned)
	}
	return fmt.Sprintf("%d of %d memories forgotten.", gone.Deleted, gone.Scanned)
}
