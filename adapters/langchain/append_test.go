package langchain_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/prompt"
)

var appending = &langchain.Options{Placement: prompt.PlaceAppend}

const (
	homeBlock  = "[WORKING MEMORY]\npages:\n  - \"Home\" (" + homeID + ")"
	aboutBlock = "[WORKING MEMORY]\npages:\n  - \"About\" (" + aboutID + ")"
)

// grown is a conversation before its second model call.
func grown() []llms.MessageContent {
	return messages{
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
		other := messages{system("Summarise " + strconv.Itoa(i)), human("y")}
		assert.Len(t, sent(t, w, other...), 3)
		assert.Equal(t, want, sent(t, w, history...))
	}

	// Another conversation that begins like this one shares its beginning, and no more.
	fork := append(slices.Clone(history[:2]), llms.TextParts(llms.ChatMessageTypeAI, "no"), human("z"))
	assert.Equal(t, slices.Concat(want[:3], fork[2:3], messages{system(aboutBlock)}, fork[3:]), sent(t, w, fork...))
	assert.Equal(t, want, sent(t, w, history...))
}

func TestModelAppendsAnewWhereTheHistoryWasChanged(t *testing.T) {
	t.Parallel()
	image := func(url string, data byte) llms.MessageContent {
		return llms.MessageContent{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{
			llms.TextPart("x"), llms.ImageURLPart(url), llms.BinaryPart("image/png", []byte{data}),
		}}
	}
	cached := llms.WithCacheControl(llms.TextPart("Edit."), &llms.CacheControl{Type: "ephemeral"})
	for name, tt := range map[string]struct {
		at      int // the index of the message that changes
		changed llms.MessageContent
		same    bool
	}{
		"as it was":            {0, system("Edit."), true},
		"marked for the cache": {0, llms.MessageContent{Role: llms.ChatMessageTypeSystem, Parts: []llms.ContentPart{cached}}, true},
		"an image is marked": {1, llms.MessageContent{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{
			llms.TextPart("x"), llms.ImageURLPart("1.png"), llms.CachedContent{ContentPart: llms.BinaryPart("image/png", []byte{1})},
		}}, true},
		"another beginning": {0, system("It is noon."), false},
		"another role":      {0, llms.TextParts(llms.ChatMessageTypeGeneric, "Edit."), false},
		"another image":     {1, image("2.png", 1), false},
		"other bytes":       {1, image("1.png", 2), false},
		"other arguments":   {2, asks("1", "cms_getPage", "other"), false},
		"another result":    {3, answers("1", "cms_getPage", "{}"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec := knowingHome(t)
			w := langchain.New(rec, appending)
			// The block follows all of these, which are one turn.
			history := messages{system("Edit."), image("1.png", 1), asks("1", "cms_getPage", "x"), answers("1", "cms_getPage", "none")}
			sent(t, w, history...)
			learn(t, rec, aboutID, "About")
			history[tt.at] = tt.changed
			history = append(history, asks("2", "cms_getPage", "y"), answers("2", "cms_getPage", "none"))
			want := append(slices.Clone(history), system(guided(rec)))
			if tt.same {
				want = append(slices.Insert(slices.Clone(history), 4, system(prompt.WithGuidance(homeBlock))), system(aboutBlock))
			}
			assert.Equal(t, want, sent(t, w, history...))
		})
	}
}

// TestModelAppendsToAPromptOfOneText sends one message that grows, as text agents do.
func TestModelAppendsToAPromptOfOneText(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	w := langchain.New(rec, appending)
	assert.Equal(t, messages{system(prompt.WithGuidance(homeBlock)), human("x")}, sent(t, w, human("x")))
	learn(t, rec, aboutID, "About")
	assert.Equal(t, messages{system(prompt.WithGuidance(homeBlock)), system(aboutBlock), human("x y")}, sent(t, w, human("x y")))

	rec.Context().Clear()
	assert.Equal(t, messages{human("x")}, sent(t, w, human("x")))

	rec = knowingHome(t)
	w = langchain.New(rec, &langchain.Options{Placement: prompt.PlaceAppend, SingleMessage: true})
	assert.Equal(t, messages{human(guided(rec) + "\n\nx")}, sent(t, w, human("x")))
}
