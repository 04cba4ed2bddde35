package langchain_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

var appending = &langchain.Options{Placement: prompt.PlaceAppend}

const (
	homeBlock  = "[WORKING MEMORY]\npages:\n  - \"Home\" (" + homeID + ")"
	aboutBlock = "[WORKING MEMORY]\npages:\n  - \"About\" (" + aboutID + ")"
)

// grown is a conversation before its second model call.
func grown() []llms.MessageContent {
	return []llms.MessageContent{
		system("Edit."), human("x"), asks("1", "cms_getPage", "about"), answers("1", "cms_getPage", pageJSON(aboutID, "About")),
	}
}

func TestModelAppendsToOneOfSeveralPrompts(t *testing.T) {
	t.Parallel()
	w := langchain.New(knowingHome(t), appending)
	history := grown()
	sent(t, w, history[:2]...)
	want := sent(t, w, history...)
	for i := range 3 {
		other := []llms.MessageContent{system("Summarise " + strconv.Itoa(i)), human("y")}
		assert.Len(t, sent(t, w, other...), 3)
		assert.Equal(t, want, sent(t, w, history...))
	}

	// Another conversation that begins like this one shares its beginning, and no more.
	fork := append(slices.Clone(history[:2]), llms.TextParts(llms.ChatMessageTypeAI, "no"), human("z"))
	assert.Equal(t, slices.Concat(want[:3], fork[2:3], []llms.MessageContent{system(aboutBlock)}, fork[3:]), sent(t, w, fork...))
	assert.Equal(t, want, sent(t, w, history...))
}

func TestModelAppendsAnewWhereTheHistoryWasChanged(t *testing.T) {
	t.Parallel()
	image := llms.MessageContent{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{
		llms.TextPart("x"), llms.ImageURLPart("https://example.org/1.png"), llms.BinaryPart("image/png", []byte{1}),
	}}
	tests := []struct {
		name   string
		change func(history []llms.MessageContent) []llms.MessageContent
		same   bool
	}{
		{"as it was", func(h []llms.MessageContent) []llms.MessageContent { return h }, true},
		{"marked for the cache", func(h []llms.MessageContent) []llms.MessageContent {
			text := llms.WithCacheControl(h[0].Parts[0], &llms.CacheControl{Type: "ephemeral"})
			h[0] = llms.MessageContent{Role: llms.ChatMessageTypeSystem, Parts: []llms.ContentPart{text}}
			return h
		}, true},
		{"trimmed", func(h []llms.MessageContent) []llms.MessageContent { return h[1:] }, false},
		{"another beginning", func(h []llms.MessageContent) []llms.MessageContent { h[0] = system("It is noon."); return h }, false},
		{"another role", func(h []llms.MessageContent) []llms.MessageContent { h[0].Role = llms.ChatMessageTypeGeneric; return h }, false},
		{"another image", func(h []llms.MessageContent) []llms.MessageContent {
			h[1].Parts = slices.Clone(h[1].Parts)
			h[1].Parts[1] = llms.ImageURLPart("https://example.org/2.png")
			return h
		}, false},
		{"other bytes", func(h []llms.MessageContent) []llms.MessageContent {
			h[1].Parts = slices.Clone(h[1].Parts)
			h[1].Parts[2] = llms.BinaryPart("image/png", []byte{2})
			return h
		}, false},
		{"other arguments", func(h []llms.MessageContent) []llms.MessageContent {
			h[2] = asks("1", "cms_getPage", "other")
			return h
		}, false},
		{"another result", func(h []llms.MessageContent) []llms.MessageContent {
			h[3] = answers("1", "cms_getPage", "{}")
			return h
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rec := knowingHome(t)
			w := langchain.New(rec, appending)
			// The block follows all of these, which are one turn.
			history := []llms.MessageContent{system("Edit."), image, asks("1", "cms_getPage", "x"), answers("1", "cms_getPage", "none")}
			sent(t, w, history...)
			learn(t, rec, aboutID, "About")
			history = append(tt.change(history), asks("2", "cms_getPage", "y"), answers("2", "cms_getPage", "none"))
			got := sent(t, w, history...)
			if tt.same {
				assert.Equal(t, slices.Insert(slices.Clone(history), 4, system(homeBlock)), got[:len(got)-1])
				assert.Equal(t, system(aboutBlock), got[len(got)-1])
				return
			}
			assert.Equal(t, append(slices.Clone(history), system(rec.Block())), got)
		})
	}
}

func TestModelAppendsAnewWhereMemoryForgot(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	w := langchain.New(rec, appending)
	history := grown()
	sent(t, w, history[:2]...)
	sent(t, w, history...)

	require.True(t, rec.Context().Remove(memory.Ref{ID: homeID}))
	assert.Equal(t, append(slices.Clone(history), system(aboutBlock)), sent(t, w, history...))
	rec.Context().Clear()
	assert.Equal(t, history, sent(t, w, history...))
	assert.Equal(t, history, sent(t, w, history...))
}

// TestModelAppendsToAPromptOfOneText sends one message that grows, as text agents do.
func TestModelAppendsToAPromptOfOneText(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	w := langchain.New(rec, appending)
	assert.Equal(t, []llms.MessageContent{system(homeBlock), human("x")}, sent(t, w, human("x")))
	learn(t, rec, aboutID, "About")
	assert.Equal(t, []llms.MessageContent{system(homeBlock), system(aboutBlock), human("x y")}, sent(t, w, human("x y")))

	w = langchain.New(rec, &langchain.Options{Placement: prompt.PlaceAppend, SingleMessage: true})
	assert.Equal(t, []llms.MessageContent{human(rec.Block() + "\n\nx")}, sent(t, w, human("x")))
}

// TestModelAppendsAsPlaceDoes compares a caller that keeps a history of its own
// with a loop that continues with the messages that prompt.Place returned.
func TestModelAppendsAsPlaceDoes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rec := recorderWith(&middleware.Options{Block: prompt.Options{PerType: 10}})
		w := langchain.New(rec, appending)
		own := []llms.MessageContent{system("Edit."), human("0")}
		kept := plain(own)
		for turn := range rapid.IntRange(1, 8).Draw(rt, "turns") {
			ids := rapid.SampledFrom([]string{"p-1", "p-2", "p-3", "p-4"})
			names := rapid.SampledFrom([]string{"a", "b", "", prompt.Title + "\n"})
			for range rapid.IntRange(0, 3).Draw(rt, "pages") {
				require.NoError(rt, rec.Context().Add(memory.Entity{Type: "page", ID: ids.Draw(rt, "id"), Name: names.Draw(rt, "name")}))
			}
			if rapid.IntRange(0, 3).Draw(rt, "removes") == 0 {
				rec.Context().Remove(memory.Ref{ID: ids.Draw(rt, "removed")})
			}
			known := func(ref memory.Ref) bool { _, ok := rec.Context().Get(ref); return ok }
			kept = prompt.Place(prompt.RemoveStale(kept, known), rec.Block(), prompt.PlaceAppend)
			assert.Equal(rt, kept, plain(sent(t, w, own...)))

			added := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeAI, strconv.Itoa(turn)), human(strconv.Itoa(turn))}
			own, kept = append(own, added...), append(kept, plain(added)...)
		}
	})
}

// plain converts messages of one text each.
func plain(messages []llms.MessageContent) []prompt.Message {
	roles := map[llms.ChatMessageType]string{
		llms.ChatMessageTypeSystem: "system", llms.ChatMessageTypeHuman: "user", llms.ChatMessageTypeAI: "assistant",
	}
	out := make([]prompt.Message, len(messages))
	for i, msg := range messages {
		out[i] = prompt.Message{Role: roles[msg.Role], Content: msg.Parts[0].(llms.TextContent).Text}
	}
	return out
}
