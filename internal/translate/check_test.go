package translate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// checked decodes a body, and returns the mistakes for which a service refuses it.
func checked(t *testing.T, body string, v any) []wire.FieldError {
	t.Helper()
	require.NoError(t, wire.Decode([]byte(body), v), body)
	return mistakes(t, v)
}

// mistakes are those for which a service refuses a body.
func mistakes(t *testing.T, body any) []wire.FieldError {
	t.Helper()
	w := newMemoryWorld(t, nil)
	w.pass(now.Sub(march))
	ctx, view := t.Context(), writeView{Ref: ref("s")}
	var err error
	switch body := body.(type) {
	case *wire.SessionBody:
		_, err = w.PutSession(ctx, unbound, view, body)
	case *wire.Append:
		_, err = w.AppendMessages(ctx, unbound, view, body)
	case *wire.MemoryBody:
		err = w.CreateMemories(ctx, unbound, nil, nil, body)
	case *wire.MemoryPatch:
		_, err = w.PatchMemory(ctx, unbound, "m", nil, nil, body)
	case *wire.Forget:
		_, err = w.ForgetMemories(ctx, unbound, nil, nil, nil, 1, true, body)
	case *wire.RecordedCall:
		_, err = w.RecordToolCall(ctx, unbound, ref("s"), body)
	case *wire.Search:
		_, err = w.SearchMemories(ctx, unbound, body)
	case *wire.PromptRequest:
		_, err = w.Prompt(ctx, unbound, body)
	default:
		t.Fatalf("%T", body)
	}
	return translate.Mistakes(err)
}

func TestCheckFilters(t *testing.T) {
	t.Parallel()
	for body, msg := range map[string]string{
		`{}`: "", `{"eq":"a"}`: "", `{"ne":"a","any":["b"]}`: "", `{"none":["a"],"eq":"b"}`: "", `{"in_":["a"],"any":["a"]}`: "", `{"in_":["a"],"not_eq":"b","not_in":["c"]}`: "",
		`{"eq":"a","ne":"b"}`:           "eq and ne cannot both be set",
		`{"eq":"a","not_eq":"b"}`:       "eq and ne cannot both be set",
		`{"any":["a"],"all":["b"]}`:     "any and all cannot both be set",
		`{"in_":["a"],"all":["b"]}`:     "any and all cannot both be set",
		`{"any":["a"],"in_":["b"]}`:     "any and in_ cannot both be set",
		`{"none":["a"],"not_in":["b"]}`: "none and not_in cannot both be set",
		`{"ne":"a","not_eq":"b"}`:       "ne and not_eq cannot both be set",
		`{"any":[]}`:                    "any cannot be an empty list",
		`{"all":[]}`:                    "all cannot be an empty list",
		`{"none":[]}`:                   "none cannot be an empty list",
		`{"in_":[]}`:                    "in_ cannot be an empty list",
		`{"startswith":""}`:             "startswith cannot be an empty string",
		`{"startswith":"a","eq":"b"}`:   "", `{"startswith":"a","ne":"b"}`: "", `{"startswith":"a","any":["b"]}`: "", `{"startswith":"a","all":["b"],"none":["c"]}`: "",
	} {
		found := checked(t, `{"topics":`+body+`}`, &wire.Search{})
		prompt := checked(t, `{"query":"q","long_term_search":{"topics":`+body+`}}`, &wire.PromptRequest{})
		require.Len(t, prompt, len(found), body)
		if msg == "" {
			assert.Empty(t, found, body)
			continue
		}
		require.Len(t, found, 1, body)
		assert.Equal(t, "Value error, "+msg, found[0].Msg)
		assert.Equal(t, []any{"body", "topics"}, found[0].Loc)
		assert.Equal(t, []any{"body", "long_term_search", "topics"}, prompt[0].Loc)
	}
	found := checked(t, `{"memory_type":{"eq":"fact"}}`, &wire.Search{})
	require.Len(t, found, 1)
	assert.Equal(t, "Value error, eq value 'fact' not in valid enum values: ['episodic', 'semantic', 'message']", found[0].Msg)
}
