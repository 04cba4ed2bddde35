package eino_test

import (
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// shape returns the roles of messages, in short: s for a system message, S for one with a block, u,
// a and t.
func shape(messages []*schema.Message) string {
	var b strings.Builder
	for _, m := range messages {
		role := string(m.Role[0])
		if blocks([]*schema.Message{m}) > 0 {
			role = strings.ToUpper(role)
		}
		b.WriteString(role)
	}
	return b.String()
}

func TestPlacements(t *testing.T) {
	t.Parallel()
	for placement, want := range map[prompt.Placement][]string{
		prompt.PlaceSystem:      {"su", "Suat", "Suatat", "Suatatau"},
		prompt.PlaceAfterPrefix: {"su", "sSuat", "sSuatat", "sSuatatau"},
		prompt.PlaceTail:        {"su", "suatS", "suatatS", "suatataSu"},
		prompt.PlaceAppend:      {"su", "suatS", "suatSatS", "suatSatSau"},
	} {
		t.Run(placement.String(), func(t *testing.T) {
			t.Parallel()
			r := adaptertest.NewRecord(t)
			m := newScript(get("c1 get_page "+homeID), get("c2 get_page "+newsID), say("Found them."), say("Done."))
			a := newAgent(t, "editor", m, []tool.BaseTool{getPage(t, nil)}, eino.New(r.Recorder, &eino.Options{Placement: placement}))
			history := []*schema.Message{schema.UserMessage("Get the pages.")}
			history = append(history, ask(t, t.Context(), a, history...)...)
			ask(t, t.Context(), a, append(history, schema.UserMessage("Rename one."))...)

			var got []string
			for i, request := range m.requests {
				got = append(got, shape(request))
				if placement == prompt.PlaceAppend && i > 0 {
					before := m.requests[i-1]
					assert.Equal(t, texts(before), texts(request[:len(before)]), "request %d begins with the one before", i)
				}
			}
			assert.Equal(t, want, got)
			assert.Len(t, r.Calls(), 2)
		})
	}
}

// The blocks of a conversation are not put into another one that has the same form.
func TestAppendComparesMessages(t *testing.T) {
	t.Parallel()
	turn := func(said, id string) []*schema.Message {
		return []*schema.Message{schema.SystemMessage("You edit."), schema.UserMessage(said), get("c1 get_page " + id), schema.ToolMessage(page(homeID), "c1")}
	}
	for name, other := range map[string][]*schema.Message{
		"text":      turn("Get a page.", homeID),
		"arguments": turn("Get the page.", newsID),
	} {
		w := eino.New(adaptertest.NewRecord(t).Recorder, &eino.Options{Placement: prompt.PlaceAppend})
		first := turn("Get the page.", homeID)
		assert.Equal(t, "suatS", shape(w.ModifyMessages(t.Context(), first)))
		next := []*schema.Message{say("Found it."), schema.UserMessage("Rename it.")}
		assert.Equal(t, "suatSau", shape(w.ModifyMessages(t.Context(), append(first, next...))))
		assert.Equal(t, "suataSu", shape(w.ModifyMessages(t.Context(), append(other, next...))), name)
	}
}
