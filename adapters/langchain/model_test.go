package langchain_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/extractor"
	wm "github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
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

func TestModelPlacesTheBlock(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	block := rec.Block()
	tests := []struct {
		name     string
		opts     langchain.Options
		messages []llms.MessageContent
		want     []llms.MessageContent
	}{
		{
			name:     "joins the system message",
			messages: []llms.MessageContent{system("Edit."), human("hi")},
			want:     []llms.MessageContent{system("Edit.\n\n" + block), human("hi")},
		},
		{
			name:     "joins the first text part of the first system message",
			messages: []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, "A", "B"), system("C"), human("hi")},
			want:     []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, "A\n\n"+block, "B"), system("C"), human("hi")},
		},
		{
			name:     "makes a system message",
			messages: []llms.MessageContent{human("hi")},
			want:     []llms.MessageContent{system(block), human("hi")},
		},
		{
			name:     "no messages",
			messages: nil,
			want:     []llms.MessageContent{system(block)},
		},
		{
			name: "stays one message",
			opts: langchain.Options{SingleMessage: true}, messages: []llms.MessageContent{human("hi")},
			want: []llms.MessageContent{human(block + "\n\nhi")},
		},
		{
			name: "several messages are not one",
			opts: langchain.Options{SingleMessage: true}, messages: []llms.MessageContent{system("Edit."), human("hi")},
			want: []llms.MessageContent{system("Edit.\n\n" + block), human("hi")},
		},
		{
			name: "after the prefix",
			opts: langchain.Options{Placement: prompt.PlaceAfterPrefix}, messages: []llms.MessageContent{system("Edit."), human("hi")},
			want: []llms.MessageContent{system("Edit."), system(block), human("hi")},
		},
		{
			name: "at the tail",
			opts: langchain.Options{Placement: prompt.PlaceTail}, messages: []llms.MessageContent{system("Edit."), human("hi")},
			want: []llms.MessageContent{system("Edit."), system(block), human("hi")},
		},
		{
			name:     "is there already",
			messages: []llms.MessageContent{system(block + "\n\nEdit."), human("hi")},
			want:     []llms.MessageContent{system(block + "\n\nEdit."), human("hi")},
		},
		{
			name:     "is in the user's template already",
			messages: []llms.MessageContent{human("Known:\n" + block + "\nhi")},
			want:     []llms.MessageContent{human("Known:\n" + block + "\nhi")},
		},
		{
			name:     "an assistant's quotation does not count",
			messages: []llms.MessageContent{human("hi"), llms.TextParts(llms.ChatMessageTypeAI, block)},
			want:     []llms.MessageContent{system(block), human("hi"), llms.TextParts(llms.ChatMessageTypeAI, block)},
		},
		{
			name:     "replaces what an application put there itself",
			messages: []llms.MessageContent{system("Edit.\n\n[WORKING MEMORY]\nusers:\n  - \"Ann\" (u-0000001)"), human("hi")},
			want:     []llms.MessageContent{system("Edit.\n\n" + block), human("hi")},
		},
		{
			name: "also where it was a message of its own",
			opts: langchain.Options{Placement: prompt.PlaceAfterPrefix},
			messages: []llms.MessageContent{
				system("Edit."), system("[WORKING MEMORY]\nusers:\n  - \"Ann\" (u-0000001)"), human("hi"),
			},
			want: []llms.MessageContent{system("Edit."), system(block), human("hi")},
		},
		{
			name: "joins a text that is marked for the cache",
			messages: []llms.MessageContent{{Role: llms.ChatMessageTypeSystem, Parts: []llms.ContentPart{
				llms.WithCacheControl(llms.TextPart("Edit."), &llms.CacheControl{Type: "ephemeral"}),
			}}},
			want: []llms.MessageContent{{Role: llms.ChatMessageTypeSystem, Parts: []llms.ContentPart{
				llms.WithCacheControl(llms.TextPart("Edit.\n\n"+block), &llms.CacheControl{Type: "ephemeral"}),
			}}},
		},
		{
			name: "comes before parts without text",
			messages: []llms.MessageContent{{Role: llms.ChatMessageTypeSystem, Parts: []llms.ContentPart{
				llms.ImageURLPart("https://example.org/x.png"),
			}}},
			want: []llms.MessageContent{{Role: llms.ChatMessageTypeSystem, Parts: []llms.ContentPart{
				llms.TextPart(block), llms.ImageURLPart("https://example.org/x.png"),
			}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := textOf(tt.messages)
			got := sent(t, langchain.New(rec, &tt.opts), tt.messages...)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, before, textOf(tt.messages), "the messages given are not changed")
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
	want := "Known: {" + rec.Block() + "} Question: which?"
	assert.Equal(t, []llms.MessageContent{human(want)}, sent(t, w, human(text)))

	// Blocks may be each other's beginnings: this one is shown, then shortened.
	values, err = w.Memory(nil).LoadMemoryVariables(t.Context(), nil)
	require.NoError(t, err)
	text = values[langchain.DefaultVariable].(string)
	entities := rec.Context().Recent(2)
	require.True(t, rec.Context().Remove(wm.Ref{ID: entities[1].ID}))
	assert.Equal(t, []llms.MessageContent{system(rec.Block())}, sent(t, w, system(text)))

	rec.Context().Clear()
	assert.Equal(t, []llms.MessageContent{human("x")}, sent(t, w, human(text+"x")))
}

func TestModelRecordsNativeToolCalls(t *testing.T) {
	t.Parallel()
	home, about := pageJSON(homeID, "Home"), pageJSON(aboutID, "About")
	tests := []struct {
		name     string
		messages []llms.MessageContent
		want     []string
	}{
		{
			name:     "by id",
			messages: []llms.MessageContent{human("x"), asks("1", "cms_getPage", `{"slug":"home"}`), answers("1", "", home)},
			want:     []string{`cms_getPage {"slug":"home"}`},
		},
		{
			name: "in parallel, answered in another order",
			messages: []llms.MessageContent{
				asks("1", "cms_getPage", "a"), asks("2", "cms_getPage", "b"),
				answers("2", "", about), answers("1", "", home),
			},
			want: []string{"cms_getPage b", "cms_getPage a"},
		},
		{
			name: "several answers in one message",
			messages: []llms.MessageContent{
				{Role: llms.ChatMessageTypeAI, Parts: append(asks("1", "cms_getPage", "a").Parts, asks("2", "cms_getPage", "b").Parts...)},
				{Role: llms.ChatMessageTypeTool, Parts: append(answers("1", "", home).Parts, answers("2", "", about).Parts...)},
			},
			want: []string{"cms_getPage a", "cms_getPage b"},
		},
		{
			name: "without ids, by name",
			messages: []llms.MessageContent{
				asks("", "cms_getPage", "a"), asks("", "cms_getUser", "b"),
				answers("", "cms_getUser", `{"id":"u-1234567","name":"Ann"}`), answers("", "cms_getPage", home),
			},
			want: []string{"cms_getUser b", "cms_getPage a"},
		},
		{
			name:     "without ids or names, by order",
			messages: []llms.MessageContent{asks("", "cms_getPage", "a"), answers("", "", home)},
			want:     []string{"cms_getPage a"},
		},
		{
			name: "legacy function messages",
			messages: []llms.MessageContent{asks("", "cms_getPage", "a"), {
				Role: llms.ChatMessageTypeFunction, Parts: []llms.ContentPart{llms.ToolCallResponse{Name: "cms_getPage", Content: home}},
			}},
			want: []string{"cms_getPage a"},
		},
		{
			name:     "whose request was trimmed away",
			messages: []llms.MessageContent{answers("9", "cms_getPage", home)},
			want:     []string{"cms_getPage "},
		},
		{
			name: "genuine repetitions without ids",
			messages: []llms.MessageContent{
				asks("", "cms_getPage", "a"), answers("", "cms_getPage", home),
				asks("", "cms_getPage", "a"), answers("", "cms_getPage", home),
			},
			want: []string{"cms_getPage a", "cms_getPage a"},
		},
		{
			name: "a request alone is no call",
			messages: []llms.MessageContent{
				asks("1", "cms_getPage", "a"), human("stop"), llms.TextParts(llms.ChatMessageTypeAI, home), human(home),
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rec, told := newRecorder()
			w := langchain.New(rec, nil)
			for range 3 {
				sent(t, w, tt.messages...)
			}
			got := told.names()
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], "<nil>", "")
			}
			if tt.want == nil {
				assert.Empty(t, got)
				return
			}
			assert.Equal(t, tt.want, got)
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

func TestModelStaysAReasoningModel(t *testing.T) {
	t.Parallel()
	w := langchain.New(nil, nil)
	assert.True(t, llms.SupportsReasoningModel(w.Model(thinker{script(), true})))
	assert.False(t, llms.SupportsReasoningModel(w.Model(thinker{script(), false})))
	_, ok := w.Model(script()).(llms.ReasoningModel)
	assert.False(t, ok)
}

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
	assert.Equal(t, []llms.MessageContent{system(rec.Block()), human("count")}, m.prompts[0])

	//lint:ignore SA1019 see above
	_, err = w.Model(m).Call(t.Context(), "more")
	require.EqualError(t, err, "the script is over")
}

func TestWrappingTwiceIsWrappingOnce(t *testing.T) {
	t.Parallel()
	w := langchain.New(nil, nil)
	m, r, tool := w.Model(script()), w.Model(thinker{script(), true}), w.Tool(getPage())
	assert.Same(t, m, w.Model(m))
	assert.Same(t, r, w.Model(r))
	assert.Same(t, tool, w.Tool(tool))
	assert.NotSame(t, tool, langchain.New(nil, nil).Tool(tool))
	assert.Nil(t, w.Tools())
}

type brokenExtractor struct{ panics bool }

func (x brokenExtractor) Extract(context.Context, extractor.Input) (extractor.Extraction, error) {
	if x.panics {
		panic("broken")
	}
	return extractor.Extraction{}, errors.New("broken")
}

func TestAFailingRecorderBreaksNothing(t *testing.T) {
	t.Parallel()
	for _, panics := range []bool{false, true} {
		rec := recorderWith(&middleware.Options{Extractor: brokenExtractor{panics}})
		w := langchain.New(rec, nil)
		out, err := w.Tool(getPage()).Call(t.Context(), "home")
		require.NoError(t, err)
		assert.Equal(t, pageJSON(homeID, "Home"), out)
		runLoop(t, w.Model(script(calls("c1 cms_getPage home"), say("done"))), getPage(), human("x"))
	}
}
