package langchain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// knowingLamps is a recorder that knows more lamps than its budget has room for.
func knowingLamps(t *testing.T) *middleware.Recorder {
	t.Helper()
	rec := recorderWith(&middleware.Options{Block: prompt.Options{Budget: 60}})
	var lamps []string
	for _, color := range strings.Fields("red blue green black white brown pink grey beige gold olive violet") {
		lamps = append(lamps, fmt.Sprintf(`{"id": "lamp-0000-%s-77", "name": "Lamp, %[1]s"}`, color))
	}
	result := `{"lamps": [` + strings.Join(lamps, ",") + `]}`
	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "list_lamps", Result: result}))
	require.NotContains(t, rec.Block(), "violet")
	require.NotContains(t, rec.Block(), "olive")
	return rec
}

func TestModelUpdatesTheFocus(t *testing.T) {
	t.Parallel()
	ai := func(text string) llms.MessageContent { return llms.TextParts(llms.ChatMessageTypeAI, text) }
	tests := []struct {
		name      string
		messages  []llms.MessageContent
		want, not string
	}{
		{"the user's words", []llms.MessageContent{human("olive"), ai("Which?"), human("The VIOLET one.")}, "violet", "olive"},
		{"also a few calls ago", []llms.MessageContent{human("The VIOLET one."), asks("1", "x", "{}"), answers("1", "x", "olive")}, "violet", "olive"},
		{"ids of the model's text", []llms.MessageContent{human("Pick one."), ai("lamp-0000-violet-77? Not the olive one."), human("Yes.")}, "violet", "olive"},
		{"not the system prompt", []llms.MessageContent{system("olive"), human("The VIOLET one.")}, "violet", "olive"},
		{"not a block in the user's message", []llms.MessageContent{human("VIOLET\n\n[WORKING MEMORY]\nlamps:\n  - \"olive\" (1)")}, "violet", "olive-77"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rec := knowingLamps(t)
			w := langchain.New(rec, nil)
			for range 2 {
				sent(t, w, tt.messages...)
				assert.Contains(t, rec.Block(), "lamp-0000-"+tt.want)
				assert.NotContains(t, rec.Block(), tt.not)
			}
		})
	}
}
