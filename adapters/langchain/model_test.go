package langchain_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	wm "github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// sent is what reaches a model that is called with messages once.
func sent(t *testing.T, w *langchain.WorkingMemory, messages ...llms.MessageContent) []llms.MessageContent {
	t.Helper()
	m := script(say("ok"))
	_, err := w.Model(m).GenerateContent(t.Context(), messages)
	require.NoError(t, err)
	return m.prompts[0]
}

type messages = []llms.MessageContent

func TestModelPlacesTheBlock(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	block := guided(rec)
	const others = "[WORKING MEMORY]\nusers:\n  - \"Ann\" (u-0000001)"
	single, afterPrefix := langchain.Options{SingleMessage: true}, langchain.Options{Placement: prompt.PlaceAfterPrefix}
	cached := func(text string) llms.MessageContent {
		part := llms.WithCacheControl(llms.TextPart(text), &llms.CacheControl{Type: "ephemeral"})
		return llms.MessageContent{Role: llms.ChatMessageTypeSystem, Parts: []llms.ContentPart{part}}
	}
	image := llms.ImageURLPart("https://example.org/x.png")
	for name, tt := range map[string]struct {
		opts           langchain.Options
		messages, want messages
	}{
		"joins the first text of the first system message": {
			messages: messages{llms.TextParts(llms.ChatMessageTypeSystem, "A", "B"), system("C"), human("hi")},
			want:     messages{llms.TextParts(llms.ChatMessageTypeSystem, "A\n\n"+block, "B"), system("C"), human("hi")},
		},
		"makes a system message": {messages: messages{human("hi")}, want: messages{system(block), human("hi")}},
		"stays one message":      {single, messages{human("hi")}, messages{human(block + "\n\nhi")}},
		"several are not one":    {single, messages{system("Edit."), human("hi")}, messages{system("Edit.\n\n" + block), human("hi")}},
		"a message of its own":   {afterPrefix, messages{system("Edit."), human("hi")}, messages{system("Edit."), system(block), human("hi")}},
		"is in a template already": {
			messages: messages{human("Known:\n" + block + "\nhi")}, want: messages{human("Known:\n" + block + "\nhi")},
		},
		"an assistant's quotation does not count": {
			messages: messages{human("hi"), llms.TextParts(llms.ChatMessageTypeAI, block)},
			want:     messages{system(block), human("hi"), llms.TextParts(llms.ChatMessageTypeAI, block)},
		},
		"replaces what an application put there itself": {
			messages: messages{system("Edit.\n\n" + others), human("hi")}, want: messages{system("Edit.\n\n" + block), human("hi")},
		},
		"also where it was a message of its own": {
			afterPrefix, messages{system("Edit."), system(others), human("hi")}, messages{system("Edit."), system(block), human("hi")},
		},
		"joins a text that is marked for the cache": {messages: messages{cached("Edit.")}, want: messages{cached("Edit.\n\n" + block)}},
		"comes before parts without text": {
			messages: messages{{Role: llms.ChatMessageTypeSystem, Parts: []llms.ContentPart{image}}},
			want:     messages{{Role: llms.ChatMessageTypeSystem, Parts: []llms.ContentPart{llms.TextPart(block), image}}},
		},
		"also where they were beside another block": {
			messages: messages{{Role: llms.ChatMessageTypeSystem, Parts: []llms.ContentPart{llms.TextPart(others), image}}},
			want:     messages{{Role: llms.ChatMessageTypeSystem, Parts: []llms.ContentPart{llms.TextPart(block), image}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := textOf(tt.messages)
			assert.Equal(t, tt.want, sent(t, langchain.New(rec, &tt.opts), tt.messages...))
			assert.Equal(t, before, textOf(tt.messages), "the given messages are not changed")
		})
	}
}

func TestModelWithoutEntitiesOrRecorderChangesNothing(t *testing.T) {
	t.Parallel()
	messages := []llms.MessageContent{system("Edit."), human("hi")}
	assert.Equal(t, messages, sent(t, langchain.New(nil, nil), messages...))
	rec, _ := newRecorder()
	assert.Equal(t, messages, sent(t, langchain.New(rec, nil), messages...))
}

// TestModelReplacesAnOutdatedBlock shows a block by a chain's memory and lets
// the context change before the prompt is sent again.
func TestModelReplacesAnOutdatedBlock(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	w := langchain.New(rec, nil)
	values, err := w.Memory(nil).LoadMemoryVariables(t.Context(), nil)
	require.NoError(t, err)
	text := "Known: {" + values[langchain.DefaultVariable].(string) + "} Question: which?"

	learn(t, rec, aboutID, "About")
	want := "Known: {" + guided(rec) + "} Question: which?"
	assert.Equal(t, []llms.MessageContent{human(want)}, sent(t, w, human(text)))

	// Blocks may be each other's beginnings: this one is shown, then shortened.
	values, err = w.Memory(nil).LoadMemoryVariables(t.Context(), nil)
	require.NoError(t, err)
	text = values[langchain.DefaultVariable].(string)
	entities := rec.Context().Recent(2)
	require.True(t, rec.Context().Remove(wm.Ref{ID: entities[1].ID}))
	assert.Equal(t, []llms.MessageContent{system(guided(rec))}, sent(t, w, system(text)))

	rec.Context().Clear()
	assert.Equal(t, []llms.MessageContent{human("x")}, sent(t, w, human(text+"x")))
}

func TestModelRecordsNativeToolCalls(t *testing.T) {
	t.Parallel()
	home, about := pageJSON(homeID, "Home"), pageJSON(aboutID, "About")
	parts := func(of ...llms.MessageContent) llms.MessageContent {
		return llms.MessageContent{Role: of[0].Role, Parts: append(slices.Clone(of[0].Parts), of[1].Parts...)}
	}
	legacy := answers("", "get", home)
	legacy.Role = llms.ChatMessageTypeFunction
	for name, tt := range map[string]struct {
		messages messages
		want     []string
	}{
		"by id": {messages{human("x"), asks("1", "get", `{"slug":"home"}`), answers("1", "", home)}, []string{`get {"slug":"home"}`}},
		"several in one message": {
			messages{parts(asks("1", "get", "a"), asks("2", "get", "b")), parts(answers("1", "", home), answers("2", "", about))}, []string{"get a", "get b"},
		},
		"without ids, by name": {
			messages{asks("", "get", "a"), asks("", "user", "b"), answers("", "user", "{}"), answers("", "get", home)}, []string{"user b", "get a"},
		},
		"legacy function messages":       {messages{asks("", "get", "a"), legacy}, []string{"get a"}},
		"whose request was trimmed away": {messages{answers("9", "get", home)}, []string{"get <nil>"}},
		"a request alone is no call":     {messages{asks("1", "get", "a"), human("stop"), human(home)}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec, told := newRecorder()
			w := langchain.New(rec, nil)
			for range 3 {
				sent(t, w, tt.messages...)
			}
			assert.Equal(t, tt.want, told.names())
		})
	}
}

func TestModelKnowsAHistoryThatIsSentAgain(t *testing.T) {
	t.Parallel()
	home := pageJSON(homeID, "Home")
	rec, told := newRecorder()
	w := langchain.New(rec, nil)
	first := []llms.MessageContent{human("x"), asks("1", "cms_getPage", "home"), answers("1", "cms_getPage", home)}
	sent(t, w, first...)

	sent(t, w, human("summarise: nothing")) // another use of the model in between
	sent(t, w, first[2:]...)                // trimmed
	sent(t, w, first[1:]...)
	shortened := []llms.MessageContent{first[0], first[1], answers("1", "cms_getPage", "[old result removed]"), human("y")}
	sent(t, w, append(shortened, asks("2", "cms_getPage", "about"), answers("2", "cms_getPage", pageJSON(aboutID, "About")))...)
	assert.Equal(t, []string{"cms_getPage home", "cms_getPage about"}, told.names())

	// The next conversation on this memory starts its ids again: what is new in it counts.
	sent(t, w, human("z"), asks("1", "cms_getPage", "home"), answers("1", "cms_getPage", pageJSON(homeID, "Welcome")))
	assert.Len(t, told.all(), 3)
	assert.Contains(t, rec.Block(), `"Welcome"`)
}

type thinker struct {
	llms.Model
	thinks bool
}

func (m thinker) SupportsReasoning() bool { return m.thinks }

func TestModelKeepsOptionsStreamingAndErrors(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	m := script(say("one two three"))
	w := langchain.New(rec, nil)
	var chunks []string
	//lint:ignore SA1019 deprecated or not, a model has it
	out, err := w.Model(m).Call(t.Context(), "count", llms.WithTemperature(0.5), llms.WithStopWords([]string{"x"}),
		llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			chunks = append(chunks, string(chunk))
			return nil
		}))
	require.NoError(t, err)
	assert.Equal(t, "one two three", out)
	assert.Equal(t, []string{"one ", "two ", "three"}, chunks)
	assert.InDelta(t, 0.5, m.options[0].Temperature, 0)
	assert.Equal(t, []string{"x"}, m.options[0].StopWords)
	assert.Equal(t, []llms.MessageContent{system(guided(rec)), human("count")}, m.prompts[0])

	//lint:ignore SA1019 see above
	_, err = w.Model(m).Call(t.Context(), "more")
	require.EqualError(t, err, "the script is over")
}

func TestWrappingTwiceIsWrappingOnceAndKeepsTheInterface(t *testing.T) {
	t.Parallel()
	w := langchain.New(nil, nil)
	m, r, tool := w.Model(script()), w.Model(thinker{script(), true}), w.Tool(getPage())
	assert.True(t, llms.SupportsReasoningModel(r))
	assert.False(t, llms.SupportsReasoningModel(w.Model(thinker{script(), false})))
	_, ok := m.(llms.ReasoningModel)
	assert.False(t, ok)
	assert.Same(t, m, w.Model(m))
	assert.Same(t, r, w.Model(r))
	assert.Same(t, tool, w.Tool(tool))
	assert.NotSame(t, tool, langchain.New(nil, nil).Tool(tool))
	assert.Nil(t, w.Tools())
}
