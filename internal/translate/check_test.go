package translate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
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

func TestCheckSession(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", service.MaxIDBytes+1)
	for _, c := range []struct {
		body, kind, msg string
		loc             []any
	}{
		{`{"messages":[{"role":"u","content":"c","created_at":"2026-01-02T03:09:06Z"}]}`, "value_error", "Value error, created_at cannot be more than 300 seconds in the future. Received: 2026-01-02T03:09:06Z, Max allowed (with 300s tolerance): 2026-01-02T03:09:05Z", []any{"body", "messages", 0}},
		{`{"messages":[{"role":"u","content":"c","created_at":"2026-01-02T03:09:05Z"}]}`, "", "", nil},
		{`{"messages":[{"role":"","content":"c"}]}`, "string_too_short", "String should have at least 1 character", []any{"body", "messages", 0, "role"}},
		{`{"messages":[{"role":"u","content":" "}]}`, "", "", nil}, // a 400 of the service
		{`{"messages":[{"role":"u","content":"c","id":"` + long + `"}]}`, "string_too_long", "String should have at most 1024 bytes", []any{"body", "messages", 0, "id"}},
		{`{"messages":[{"role":"u","content":"c","id":"` + long[1:] + `"}]}`, "", "", nil},
		{`{"messages":[{"role":"u","content":"c","tool_calls":[{"name":"` + long + `"}]}]}`, "string_too_long", "String should have at most 1024 bytes", []any{"body", "messages", 0, "tool_calls", 0, "name"}},
		{`{"namespace":"` + long + `"}`, "string_too_long", "String should have at most 1024 bytes", []any{"body", "namespace"}},
		{`{"ttl_seconds":0}`, "greater_than_equal", "Input should be greater than or equal to 1", []any{"body", "ttl_seconds"}},
		{`{"ttl_seconds":"-5"}`, "greater_than_equal", "Input should be greater than or equal to 1", []any{"body", "ttl_seconds"}},
		{`{"ttl_seconds":3153600001}`, "less_than_equal", "Input should be less than or equal to 3153600000", []any{"body", "ttl_seconds"}},
		{`{"memories":[{"text":"t"},{"text":""}]}`, "value_error", "Value error, Memory at index 1 has empty text", []any{"body"}},
		{`{"memories":[{"text":" "}]}`, "", "", nil},
		{`{"memories":[{"text":"t","topics":["a","b,c"]}]}`, "value_error", "Value error, topics[1] contains a comma: 'b,c'. Commas are not allowed because they are used as delimiters in storage.", []any{"body", "memories", 0, "topics"}},
		{`{"memories":[{"text":"t","memory_type":"fact"}]}`, "enum", "Input should be 'episodic', 'semantic' or 'message'", []any{"body", "memories", 0, "memory_type"}},
		{`{"memories":[{"text":"t","access_count":-1}]}`, "greater_than_equal", "Input should be greater than or equal to 0", []any{"body", "memories", 0, "access_count"}},
		{`{"long_term_memory_strategy":{"strategy":"guess"}}`, "enum", "Input should be 'discrete', 'summary', 'preferences', 'custom' or 'entities'", []any{"body", "long_term_memory_strategy", "strategy"}},
		{`{"entities":[{"id":"","name":"n"}]}`, "string_too_short", "String should have at least 1 character", []any{"body", "entities", 0, "id"}},
		{`{"entities":[{"id":"e","uses":-1}]}`, "value_error", "Value error, uses and repeats cannot be negative", []any{"body", "entities", 0}},
	} {
		var body wire.SessionBody
		require.NoError(t, wire.Decode([]byte(c.body), &body), c.body)
		found := mistakes(t, &body)
		if c.kind == "" {
			assert.Empty(t, found, c.body)
			continue
		}
		require.Len(t, found, 1, c.body)
		assert.Equal(t, []any{c.kind, c.msg, c.loc}, []any{found[0].Type, found[0].Msg, found[0].Loc})
	}
}

func TestCheckCollectsAllUpToAHundred(t *testing.T) {
	t.Parallel()
	var a wire.Append
	for range 1000 {
		a.Messages = append(a.Messages, wire.Message{CreatedAt: &wire.Time{Time: now.Add(time.Hour)}})
	}
	assert.Len(t, mistakes(t, &a), 100)
	a.Messages = a.Messages[:3]
	assert.Len(t, mistakes(t, &a), 6)
}

func TestCheckMemories(t *testing.T) {
	t.Parallel()
	for body, msg := range map[string]string{
		`{"memories":[{"id":"m","text":"t"}]}`:                               "",
		`{"memories":[{"id":"m","text":""}]}`:                                "Value error, Memory at index 0 has empty text",
		`{"memories":[{"id":"m","text":"t","entities":[","]}]}`:              "Value error, entities[0] contains a comma: ','. Commas are not allowed because they are used as delimiters in storage.",
		`{"memories":[{"id":"m","text":"t","extracted_from":["a","b, c"]}]}`: "Value error, extracted_from[1] contains a comma: 'b, c'. Commas are not allowed because they are used as delimiters in storage.",
	} {
		found := checked(t, body, &wire.MemoryBody{})
		if msg == "" {
			assert.Empty(t, found)
			continue
		}
		require.Len(t, found, 1)
		assert.Equal(t, msg, found[0].Msg)
	}
	assert.Equal(t, "Value error, Memory at index 0 has empty id", mistakes(t, &wire.MemoryBody{Memories: []wire.Memory{{Text: "t"}}})[0].Msg)
}

func TestCheckPatchForgetAndCalls(t *testing.T) {
	t.Parallel()
	assert.Empty(t, checked(t, `{"text":"t","topics":[],"pinned":"1"}`, &wire.MemoryPatch{}))
	assert.Len(t, checked(t, `{"text":"","topics":[","],"entities":[","],"memory_type":""}`, &wire.MemoryPatch{}), 4)
	assert.Empty(t, checked(t, `{"policy":{}}`, &wire.Forget{}))
	assert.Empty(t, checked(t, `{"policy":{"max_age_days":"1.5","budget":0,"memory_type_allowlist":["semantic"]}}`, &wire.Forget{}))
	assert.Len(t, checked(t, `{"policy":{"max_age_days":-1,"max_inactive_days":-1,"budget":-1,"hard_age_multiplier":-1,"memory_type_allowlist":["x"]}}`, &wire.Forget{}), 5)
	assert.Empty(t, checked(t, `{"name":"list"}`, &wire.RecordedCall{}))
	assert.Len(t, checked(t, `{"name":""}`, &wire.RecordedCall{}), 1)
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

func TestCheckLengthsOfMemoriesAndSearches(t *testing.T) {
	t.Parallel()
	long, longID := strings.Repeat("x", service.MaxTextBytes+1), strings.Repeat("x", service.MaxIDBytes+1)
	memory := func(rest string) string { return `{"memories":[{"id":"m","text":"t",` + rest + `}]}` }
	for at, found := range map[string][]wire.FieldError{
		"text":         checked(t, `{"memories":[{"id":"m","text":"`+long+`"}]}`, &wire.MemoryBody{}),
		"session_id":   checked(t, memory(`"session_id":"`+longID+`"`), &wire.MemoryBody{}),
		"namespace":    checked(t, memory(`"namespace":"`+longID+`"`), &wire.MemoryBody{}),
		"user_id":      checked(t, `{"query":"q","session":{"session_id":"s","user_id":"`+longID+`"}}`, &wire.PromptRequest{}),
		"access_count": checked(t, memory(`"access_count":-1`), &wire.MemoryBody{}),
		"event_date":   checked(t, `{"event_date":{"between":[]}}`, &wire.Search{}),
		"topics":       checked(t, `{"topics":{"not_in":[]}}`, &wire.Search{}),
		"memory_type":  checked(t, `{"memory_type":{"not_in":["poem"]}}`, &wire.Search{}),
	} {
		require.Len(t, found, 1, at)
		assert.Contains(t, found[0].Loc, any(at))
	}
	assert.Len(t, checked(t, `{"text":"`+long+`"}`, &wire.MemoryPatch{}), 1)
	assert.Len(t, checked(t, `{"text":"`+long+`"}`, &wire.Search{}), 1)
	assert.Empty(t, checked(t, `{"text":"`+long[1:]+`"}`, &wire.Search{}))
}

func TestCheckSearch(t *testing.T) {
	t.Parallel()
	for body, mistakes := range map[string]int{
		`{"limit":"100","offset":0,"hybrid_alpha":1,"distance_threshold":0,"search_mode":"hybrid","recency_half_life_created_days":-1}`:    0,
		`{"limit":0,"offset":-1,"hybrid_alpha":1.1,"distance_threshold":-0.1,"search_mode":"fast"}`:                                        5,
		`{"limit":101,"recency_semantic_weight":-1,"recency_recency_weight":-1,"recency_freshness_weight":-1,"recency_novelty_weight":-1}`: 5,
		`{"created_at":{"between":["2024-01-01","2025-01-01"],"lte":null},"event_date":{"gte":"2024-01-01","lte":1.7e9}}`:                  0,
		`{"created_at":{"between":["2024-01-01"]}}`:                                                   1,
		`{"created_at":{"between":["2024-01-01","2025-01-01"],"eq":"2024-01-01","lte":"2024-01-01"}}`: 0,
		`{"created_at":{"eq":"2024-01-01","ne":"2024-01-02"}}`:                                        1,
		`{"session_id":{"eq":"a","ne":"b"},"namespace":{"any":[]},"user_id":{"startswith":""},"entities":{"all":[]},"extraction_strategy":{"eq":"a","ne":"b"},"last_accessed":{"between":[]}}`: 6,
	} {
		assert.Len(t, checked(t, body, &wire.Search{}), mistakes, body)
	}
	assert.Len(t, checked(t, `{"query":"","session":{"session_id":"","context_window_max":-1}}`, &wire.PromptRequest{}), 2)
}
