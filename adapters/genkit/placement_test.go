package genkit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/genkit"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestPlacements(t *testing.T) {
	t.Parallel()
	for at, want := range map[prompt.Placement][]string{
		prompt.PlaceSystem:      {"system: You edit.\n\nBLOCK", "user: Get it.", "model", "tool", "model: Found it.", "user: Rename it."},
		prompt.PlaceAfterPrefix: {"system: You edit.", "system: BLOCK", "user: Get it.", "model", "tool", "model: Found it.", "user: Rename it."},
		prompt.PlaceTail:        {"system: You edit.", "user: Get it.", "model", "tool", "model: Found it.", "system: BLOCK", "user: Rename it."},
		prompt.PlaceAppend:      {"system: You edit.", "user: Get it.", "model", "tool", "system: BLOCK", "model: Found it.", "user: Rename it."},
	} {
		t.Run(at.String(), func(t *testing.T) {
			t.Parallel()
			w, r := newWorld(t, get("c1", homeID), say("Found it."), say("Done.")), adaptertest.NewRecord(t)
			use := ai.WithUse(genkit.New(r.Recorder, &genkit.Options{Placement: at}))
			response := w.generate(t, ai.WithSystem("You edit."), ai.WithPrompt("Get it."), ai.WithTools(w.getPage), use)
			given := response.History()
			before := encoded(t, given)
			assert.NotContains(t, before, "WORKING MEMORY", "the history has no block")
			response = w.generate(t, ai.WithMessages(given...), ai.WithPrompt("Rename it."), ai.WithTools(w.getPage), use)
			assert.Equal(t, before, encoded(t, given), "the caller's messages are not modified")
			assert.NotContains(t, encoded(t, response.History()), "WORKING MEMORY")

			messages := w.messages(-1)
			require.Len(t, messages, len(want), "%v", messages)
			for i, m := range messages {
				role, rest, hasBlock := strings.Cut(want[i], "BLOCK")
				assert.True(t, strings.HasPrefix(m, role), "message %d: %q, want %q", i, m, want[i])
				assert.Equal(t, hasBlock, strings.Contains(m, "[WORKING MEMORY]"), "message %d: %q", i, m)
				assert.Empty(t, rest)
			}
		})
	}
}

func encoded(t *testing.T, messages []*ai.Message) string {
	t.Helper()
	text, err := json.Marshal(messages)
	require.NoError(t, err)
	return string(text)
}

// With PlaceAppend each request begins with the whole of the one before, until the caller changes
// a message: then the blocks behind it are dropped.
func TestAppendKeepsThePrefix(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t, get("", homeID), get("", newsID), say("Found them."), get("", homeID), say("Done.")), adaptertest.NewRecord(t)
	use := ai.WithUse(genkit.New(r.Recorder, &genkit.Options{Placement: prompt.PlaceAppend}))
	response := w.generate(t, ai.WithSystem("You edit."), ai.WithPrompt("Get them."), ai.WithTools(w.getPage), use)
	w.generate(t, ai.WithMessages(response.History()...), ai.WithPrompt("And home again."), ai.WithTools(w.getPage), use)
	for i := range 4 {
		was, is := w.messages(i), w.messages(i+1)
		assert.Equal(t, was, is[:min(len(was), len(is))], "request %d", i+1)
	}
	assert.Equal(t, 2, strings.Count(w.text(-1), "[WORKING MEMORY]"), "%q", w.messages(-1))

	w.answers = append(w.answers, say("Yes."))
	changed := response.History()
	changed[1] = ai.NewUserTextMessage("Get both.")
	w.generate(t, ai.WithMessages(changed...), ai.WithPrompt("Done?"), use)
	assert.Equal(t, 1, strings.Count(w.text(-1), "[WORKING MEMORY]"), "%q", w.messages(-1))
}

// A system message may have several parts, and old blocks.
func TestPartsOfSystemMessages(t *testing.T) {
	t.Parallel()
	image := ai.NewMediaPart("image/png", "data:image/png;base64,")
	stale := prompt.WithGuidance("[WORKING MEMORY]\npages:\n  - \"Old\" (" + newsID + ")")
	for i, tt := range []struct {
		parts []*ai.Part
		want  []string // beginnings of the texts
	}{
		{parts: []*ai.Part{ai.NewTextPart("You edit."), ai.NewTextPart("Be brief."), image}, want: []string{"You edit.", "Be brief.\n\nThe working memory"}},
		{parts: []*ai.Part{image}, want: []string{"The working memory"}},
		{parts: []*ai.Part{ai.NewTextPart(stale)}, want: []string{"The working memory"}},
		{parts: []*ai.Part{ai.NewTextPart("You edit."), ai.NewTextPart(stale)}, want: []string{"You edit.\n\nThe working memory"}},
		{parts: []*ai.Part{ai.NewTextPart("You edit.\n\n" + stale), ai.NewTextPart("Be brief.")}, want: []string{"You edit.", "Be brief.\n\nThe working memory"}},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			w, r := newWorld(t, say("Done.")), adaptertest.NewRecord(t)
			messages := []*ai.Message{ai.NewSystemMessage(tt.parts...), ai.NewUserTextMessage("Get it."), get("c1", homeID), result("c1", homeID, "Home")}
			before := encoded(t, messages)
			response := w.generate(t, ai.WithMessages(messages...), ai.WithUse(genkit.New(r.Recorder, nil)))
			assert.Equal(t, before, encoded(t, messages))

			var texts []string
			for _, p := range w.requests[0].Messages[0].Content {
				if p.IsText() {
					texts = append(texts, p.Text)
				}
			}
			require.Len(t, texts, len(tt.want), "%q", texts)
			for i, text := range texts {
				assert.True(t, strings.HasPrefix(text, tt.want[i]), "%q", text)
			}
			assert.Contains(t, texts[len(texts)-1], homeID)
			assert.NotContains(t, w.text(0), "Old")
			assert.NotContains(t, encoded(t, response.History()), "[WORKING MEMORY]\\npages:\\n  - \\\"Home")
		})
	}
}

// Genkit makes a message of the user of the system prompt for models that accept none.
func TestModelWithoutSystemRole(t *testing.T) {
	t.Parallel()
	simple := &ai.ModelOptions{Supports: &ai.ModelSupports{Multiturn: true, Tools: true}}
	for _, system := range []string{"", "You edit."} {
		w := newWorldWith(t, simple, nil, get("c1", homeID), say("Found it."))
		use := ai.WithUse(genkit.New(adaptertest.NewRecord(t).Recorder, nil))
		opts := []ai.GenerateOption{ai.WithPrompt("Get it."), ai.WithTools(w.getPage), use}
		if system != "" {
			opts = append(opts, ai.WithSystem(system))
		}
		response := w.generate(t, opts...)
		assert.Contains(t, w.messages(-1)[0], "user: SYSTEM INSTRUCTIONS:\n"+system)
		assert.Contains(t, w.messages(-1)[0], homeID)
		assert.NotContains(t, encoded(t, response.History()), "WORKING MEMORY")
	}
}
