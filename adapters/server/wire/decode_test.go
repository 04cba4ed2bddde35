package wire_test

import (
	stdjson "encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// places returns the mistakes of an *Invalid.
func places(t *testing.T, err error) []wire.FieldError {
	t.Helper()
	var invalid *wire.Invalid
	require.ErrorAs(t, err, &invalid)
	require.NotEmpty(t, invalid.Fields)
	return invalid.Fields
}

func TestDecodeReportsMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		kind, msg  string
		loc        []any
		input      any
	}{
		{"content of a number", `{"messages":[{"role":"user","content":1}]}`, "string_type", "Input should be a valid string", []any{"body", "messages", 0, "content"}, stdjson.Number("1")},
		{"content of null", `{"messages":[{"role":"user","content":null}]}`, "string_type", "Input should be a valid string", []any{"body", "messages", 0, "content"}, nil},
		{"message without content", `{"messages":[{"role":"a","content":"b"},{"role":"user"}]}`, "missing", "Field required", []any{"body", "messages", 1, "content"}, nil},
		{"message of null", `{"messages":[null]}`, "model_attributes_type", "Input should be a valid dictionary or object to extract fields from", []any{"body", "messages", 0}, nil},
		{"messages of an object", `{"messages":{}}`, "list_type", "Input should be a valid list", []any{"body", "messages"}, nil},
		{"data of a list", `{"data":[1]}`, "dict_type", "Input should be a valid dictionary", []any{"body", "data"}, nil},
		{"body of a list", `[]`, "model_attributes_type", "Input should be a valid dictionary or object to extract fields from", []any{"body"}, nil},
		{"body of null", `null`, "model_attributes_type", "Input should be a valid dictionary or object to extract fields from", []any{"body"}, nil},
		{"tokens of words", `{"tokens":"many"}`, "int_parsing", "Input should be a valid integer, unable to parse string as an integer", []any{"body", "tokens"}, "many"},
		{"tokens of a fraction", `{"tokens":1.5}`, "int_from_float", "Input should be a valid integer, got a number with a fractional part", []any{"body", "tokens"}, stdjson.Number("1.5")},
		{"tokens too large", `{"tokens":1e30}`, "int_parsing_size", "Unable to parse input string as an integer, exceeded maximum size", []any{"body", "tokens"}, stdjson.Number("1e30")},
		{"time of words", `{"created_at":"yesterday"}`, "datetime_parsing", "Input should be a valid datetime, as in 2025-01-02T03:04:05Z", []any{"body", "created_at"}, "yesterday"},
		{"time of a list", `{"created_at":[]}`, "datetime_type", "Input should be a valid datetime", []any{"body", "created_at"}, nil},
		{"pinned of words", `{"memories":[{"text":"t","pinned":"perhaps"}]}`, "bool_parsing", "Input should be a valid boolean, unable to interpret input", []any{"body", "memories", 0, "pinned"}, "perhaps"},
		{"empty id of a memory", `{"memories":[{"text":"t"},{"text":"t","id":""}]}`, "value_error", "Value error, Memory at index 1 has empty id", []any{"body"}, nil},
		{"topics of numbers", `{"memories":[{"text":"t","topics":["a",2]}]}`, "string_type", "Input should be a valid string", []any{"body", "memories", 0, "topics", 1}, stdjson.Number("2")},
		{"entity without a time", `{"entities":[{"id":"e","timestamp":"now"}]}`, "datetime_type", "Input should be a valid datetime", []any{"body", "entities", 0, "timestamp"}, "now"},
		{"nothing", ``, "missing", "Field required", []any{"body"}, nil},
		{"blank", " \n\t", "missing", "Field required", []any{"body"}, nil},
		{"broken off", `{"messages":[`, "json_invalid", "JSON decode error: unexpected end of input", []any{"body", int64(13)}, nil},
		{"no JSON", `{messages:[]}`, "json_invalid", "JSON decode error: invalid syntax or invalid UTF-8", []any{"body", int64(1)}, nil},
		{"a name twice", `{"context":"a","context":"b"}`, "json_invalid", "JSON decode error: duplicate object member name", []any{"body", int64(15)}, nil},
		{"two values", `{} {}`, "json_invalid", "JSON decode error: unexpected data after the value", []any{"body", int64(4)}, nil},
		{"not UTF-8", "{\"context\":\"\xff\"}", "json_invalid", "JSON decode error: invalid syntax or invalid UTF-8", []any{"body", int64(12)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var body wire.SessionBody
			found := places(t, wire.Decode([]byte(c.body), &body))
			assert.Equal(t, c.kind, found[0].Type)
			assert.Equal(t, c.msg, found[0].Msg)
			assert.Equal(t, c.input, found[0].Input)
			if c.kind != "json_invalid" {
				assert.Equal(t, c.loc, found[0].Loc)
			} else {
				assert.Equal(t, "body", found[0].Loc[0])
				assert.LessOrEqual(t, found[0].Loc[1], int64(len(c.body)))
			}
		})
	}
}

func TestDecodeRequiresFields(t *testing.T) {
	t.Parallel()
	for body, v := range map[string]any{
		`{"x":1}`:                        &wire.Append{},
		`{"deduplicate":true}`:           &wire.MemoryBody{},
		`{"memories":[{"text":"t"}]}`:    &wire.MemoryBody{},
		`{"memories":[{"id":"m"}]}`:      &wire.MemoryBody{},
		`{"session":{"session_id":"s"}}`: &wire.PromptRequest{},
		`{"query":"q","session":{}}`:     &wire.PromptRequest{},
		`{"pinned_ids":["a"]}`:           &wire.Forget{},
		`{"result":1}`:                   &wire.RecordedCall{},
		`{"messages":[{"content":"c"}]}`: &wire.Append{},
	} {
		found := places(t, wire.Decode([]byte(body), v))
		assert.Len(t, found, 1, body)
		assert.Equal(t, "missing", found[0].Type, body)
	}
	require.NoError(t, wire.Decode([]byte(`{"memories":[{"text":"t"},{"text":"t","id":null}]}`), &wire.SessionBody{}), "ids of memories in sessions are made")
}

func TestDecodeCollectsMistakes(t *testing.T) {
	t.Parallel()
	var a wire.Append
	found := places(t, wire.Decode([]byte(`{"messages":[{},{"role":1,"content":"c","created_at":"x"}]}`), &a))
	require.Len(t, found, 4)
	found = places(t, wire.Decode([]byte(`{"messages":[{}`+strings.Repeat(",{}", 1000)+`]}`), &a))
	require.Len(t, found, wire.MaxErrors)
}

func TestDecodeKeepsNumbers(t *testing.T) {
	t.Parallel()
	var body wire.SessionBody
	const data = `{"data":{"a":[1.10,12345678901234567890123,{"b":null}],"z":"x","n":-0.0}}`
	require.NoError(t, wire.Decode([]byte(data), &body))
	assert.Equal(t, map[string]any{
		"a": []any{stdjson.Number("1.10"), stdjson.Number("12345678901234567890123"), map[string]any{"b": nil}},
		"z": "x", "n": stdjson.Number("-0.0"),
	}, body.Data)
	out, err := wire.Encode(&body)
	require.NoError(t, err)
	assert.Contains(t, string(out), `"data":{"a":[1.10,12345678901234567890123,{"b":null}],"n":-0.0,"z":"x"}`)
}

func TestDecodeLimitsNestingAndLists(t *testing.T) {
	t.Parallel()
	nested := func(depth int) []byte {
		return []byte(`{"x":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`)
	}
	require.NoError(t, wire.Decode(nested(wire.MaxDepth), &wire.SessionBody{}))
	found := places(t, wire.Decode(nested(wire.MaxDepth+1), &wire.SessionBody{}))
	assert.Equal(t, "json_invalid", found[0].Type)
	found = places(t, wire.Decode([]byte(strings.Repeat("[", 500_000)), &wire.SessionBody{}))
	assert.Equal(t, "json_invalid", found[0].Type)

	// Brackets in texts do not count, even after escapes.
	text := strings.Repeat("[", 2000)
	for _, escaped := range []string{`\\`, `\"`, `\\\"`, `\\\\`, ``} {
		var body wire.SessionBody
		require.NoError(t, wire.Decode([]byte(`{"context":"`+escaped+text+`","x":"`+text+`"}`), &body), escaped)
		assert.True(t, strings.HasSuffix(*body.Context, text))
	}

	many := func(n int) []byte { return []byte(`{"topics":{"any":["a"` + strings.Repeat(`,"a"`, n-1) + `]}}`) }
	require.NoError(t, wire.Decode(many(1000), &wire.Search{}))
	found = places(t, wire.Decode(many(1001), &wire.Search{}))
	assert.Equal(t, "too_long", found[0].Type)
	assert.Equal(t, []any{"body", "topics", "any"}, found[0].Loc)

	found = places(t, wire.Decode([]byte(`{"data":{"a":[{"":0}`+strings.Repeat(`,{"":0}`, 100_000)+`]}}`), &wire.SessionBody{}))
	assert.Equal(t, "too_complex", found[0].Type)
}

func TestErrorsQuoteLittle(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 500)
	found := places(t, wire.Decode([]byte(`{"tokens":"`+long+`"}`), &wire.SessionBody{}))
	assert.Nil(t, found[0].Input)
	assert.Len(t, wire.Field("x", "y", long, "body").Input, 200)
	err := wire.Decode([]byte(`{"tokens":"geheim","ttl_seconds":"geheim"}`), &wire.SessionBody{})
	assert.EqualError(t, err, "wire: body.tokens: Input should be a valid integer, unable to parse string as an integer (and 1 more)")
	assert.EqualError(t, &wire.Invalid{}, "wire: invalid")
}

func TestSearchOrBool(t *testing.T) {
	t.Parallel()
	limit := wire.Int(3)
	for body, want := range map[string]*wire.SearchOrBool{
		`true`: {Bool: true}, `false`: {}, `"true"`: {Bool: true}, `null`: nil, `{}`: {Search: &wire.Search{}}, `{"limit":"3"}`: {Search: &wire.Search{Limit: &limit}},
	} {
		var p wire.PromptRequest
		require.NoError(t, wire.Decode([]byte(`{"query":"q","long_term_search":`+body+`}`), &p))
		assert.Equal(t, want, p.LongTerm, body)
		out, err := wire.Encode(&p)
		require.NoError(t, err)
		var again wire.PromptRequest
		require.NoError(t, wire.Decode(out, &again))
		assert.Equal(t, p, again)
	}
	found := places(t, wire.Decode([]byte(`{"query":"q","long_term_search":{"limit":"x"}}`), &wire.PromptRequest{}))
	assert.Equal(t, []any{"body", "long_term_search", "limit"}, found[0].Loc)
	found = places(t, wire.Decode([]byte(`{"query":"q","long_term_search":[]}`), &wire.PromptRequest{}))
	assert.Equal(t, "bool_type", found[0].Type)
}

func TestEmptied(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`{"role":"user","content":"x"}`: nil,
		`{"role":"name","content":"\"name\":null","tool_calls":[{"name":"find","id":""}]}`:      nil,
		`{"tool_call_id":"c","reasoning":"","content":"x","tool_calls":[],"role":"r"}`:          {"reasoning", "tool_calls"},
		`{"role":"user","content":"x","name":null,"tool_call_id":null,"tool_calls":null}`:       {"name", "tool_call_id", "tool_calls"},
		`{"role":"user","content":"x","unknown":{"name":"","reasoning":[{}]},"reasoning" : ""}`: {"reasoning"},
	} {
		var body wire.Append
		require.NoError(t, wire.Decode([]byte(`{"messages":[`+text+`]}`), &body), text)
		var emptied []string
		for _, field := range []string{"name", "reasoning", "tool_call_id", "tool_calls", "role"} {
			if body.Messages[0].Emptied(field) {
				emptied = append(emptied, field)
			}
		}
		assert.Equal(t, want, emptied, text)
	}
}

// A strict Decoder names unknown fields, also of objects in lists, and those that there are.
func TestStrictDecoder(t *testing.T) {
	t.Parallel()
	body := `{"policy":{"budget":1,"age":2},"ids":["a"]}`
	var in wire.Forget
	require.NoError(t, wire.Decode([]byte(body), &in))
	strict := wire.Decoder{Strict: true}
	wrong := places(t, strict.Decode([]byte(body), &in, nil))
	require.Len(t, wrong, 2)
	assert.Equal(t, []any{"body", "policy", "age"}, wrong[0].Loc)
	assert.Equal(t, []any{"body", "ids"}, wrong[1].Loc)
	assert.Equal(t, "Extra inputs are not permitted: known are policy, pinned_ids", wrong[1].Msg)
}
