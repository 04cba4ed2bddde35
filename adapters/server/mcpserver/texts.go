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
func sizeText(at *wire.Session) string {
	text := fmt.Sprintf("%d tokens", at.Tokens)
	if at.TotalUsed != nil {
		text += fmt.Sprintf(", %.1f %% of the window", *at.TotalUsed)
	}
	return text
}

// shownText returns what the model is to see of a recorded tool call: an escaped text, or a value.
func shownText(shown any) any {
	if text, ok := shown.(string); ok {
		return inert.Text(text)
	}
	return shown
}

// recordedText lists the entities of a recorded tool call.
func recordedText(made *wire.Recorded) string {
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
	var lines []string
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
