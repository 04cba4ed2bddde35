package handle_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/handle"
)

func TestDecodeArguments(t *testing.T) {
	t.Parallel()
	id := uuid(1)
	for name, tc := range map[string]struct{ in, want any }{
		"JSON":                  {`{"id": "page#1", "n": 1}`, `{"id": "` + id + `", "n": 1}`},
		"all else stays":        {`{ "a":1e5,"b":"\u00e9\/", "id":"page#1" }`, `{ "a":1e5,"b":"\u00e9\/", "id":"` + id + `" }`},
		"escaped":               {`{"id":"page\u00231"}`, `{"id":"` + id + `"}`},
		"key":                   {`{"page#1":"x"}`, `{"` + id + `":"x"}`},
		"list":                  {`["page#1",["page#2"]]`, `["` + id + `",["` + uuid(2) + `"]]`},
		"JSON string":           {`"page#1"`, `"` + id + `"`},
		"JSON in JSON":          {`{"__arg1":"{\"id\":\"page#1\"}"}`, `{"__arg1":"{\"id\":\"` + id + `\"}"}`},
		"escaped JSON in JSON":  {`{"__arg1":"{\"id\":\"page\\u00231\"}"}`, `{"__arg1":"{\"id\":\"` + id + `\"}"}`},
		"in a URL":              {`{"url":"https://example.com/p/page#1?q"}`, `{"url":"https://example.com/p/` + id + `?q"}`},
		"behind an escape":      {`{"x":"a\npage#1"}`, `{"x":"a\n` + id + `"}`},
		"unknown in a text":     {`{"x":"as in page#9"}`, `{"x":"as in page#9"}`},
		"in other capitals":     {`{"id":"Page#1"}`, `{"id":"` + id + `"}`},
		"unknown in capitals":   {`{"id":"Page#9"}`, `{"id":"Page#9"}`},
		"with spaces":           {`{"id":" page#1 "}`, `{"id":" ` + id + ` "}`},
		"real id":               {`{"id":"` + id + `"}`, `{"id":"` + id + `"}`},
		"in a longer word":      {`{"x":"homepage#1 page#1st"}`, `{"x":"homepage#1 page#1st"}`},
		"plain text":            {"page#1", id},
		"text with a handle":    {"open page#1 now", "open " + id + " now"},
		"bytes":                 {[]byte(`{"id":"page#1"}`), []byte(`{"id":"` + id + `"}`)},
		"raw message":           {json.RawMessage(`{"id":"page#1"}`), json.RawMessage(`{"id":"` + id + `"}`)},
		"object":                {map[string]any{"id": "page#1", "page#2": []any{"page#1", 2}}, map[string]any{"id": id, uuid(2): []any{id, 2}}},
		"JSON in an object":     {map[string]any{"q": `{"id":"page#1"}`}, map[string]any{"q": `{"id":"` + id + `"}`}},
		"struct":                {page{ID: "page#1"}, map[string]any{"id": id, "number": json.Number("0")}},
		"without handles":       {page{ID: id}, page{ID: id}},
		"no JSON":               {`{"id":"page#1"`, `{"id":"` + id + `"`},
		"empty":                 {"", ""},
		"nothing":               {nil, nil},
		"other bytes in a text": {"{\"x\":\"\xff\",\"id\":\"page#1\"}", "{\"x\":\"\xff\",\"id\":\"" + id + "\"}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := pages(uuid(1), uuid(2)).DecodeArguments(tc.in, nil)
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestDecodeArgumentsDoesNotChangeThem(t *testing.T) {
	t.Parallel()
	arguments := map[string]any{"ids": []any{"page#1"}, "in": map[string]any{"page#1": "x"}}
	_, err := pages(uuid(1)).DecodeArguments(arguments, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"ids": []any{"page#1"}, "in": map[string]any{"page#1": "x"}}, arguments)
}

func TestWholeOnly(t *testing.T) {
	t.Parallel()
	table := handle.NewTable(&handle.Options{WholeOnly: true})
	table.Apply(handle.Change{IDs: refs("page", uuid(1))})
	got, err := table.DecodeArguments(`{"id":"page#1","url":"/p/page#1","q":"[\"page#1\",\"see page#1\"]"}`, nil)
	require.NoError(t, err)
	assert.Equal(t, `{"id":"`+uuid(1)+`","url":"/p/page#1","q":"[\"`+uuid(1)+`\",\"see page#1\"]"}`, got)
	_, err = table.DecodeArguments(`{"id":"page#2"}`, nil)
	require.Error(t, err)
}

func TestUnknownHandles(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string]any{
		"JSON":         `{"n":1,"id":"page#9"}`,
		"escaped":      `{"id":"\u0070age\u00239"}`,
		"key":          `{"page#9":1}`,
		"JSON in JSON": `{"__arg1":"{\"id\":\"page#9\"}"}`,
		"text":         "page#9",
		"with spaces":  "page#9\n",
		"object":       map[string]any{"a": []any{map[string]any{"b": "page#9"}}},
		"texts":        []string{"page#9"},
		"struct":       page{ID: "page#9"},
		"other bytes":  "{\"x\":\"\xff\",\"id\":\"page#9\"}",
	} {
		_, err := pages(uuid(1), uuid(2)).DecodeArguments(arguments, nil)
		var unknown *handle.UnknownError
		require.ErrorAs(t, err, &unknown, name)
		assert.Equal(t, handle.UnknownError{Handle: "page#9", Nearest: []string{"page#2", "page#1"}}, *unknown, name)
	}
	assert.EqualError(t, pages(uuid(1), uuid(2)).Unknown("page#9"), "unknown handle page#9: the tool was not called; known handles are page#2, page#1")
	assert.EqualError(t, pages().Unknown("page#9"), "unknown handle page#9: the tool was not called")
}

func TestNearestHandles(t *testing.T) {
	t.Parallel()
	table := handle.NewTable(nil)
	for i := range 4 {
		table.Apply(handle.Change{IDs: append(refs("user", uuid(2*i)), refs("page", uuid(2*i+1))...)})
	}
	table.Apply(handle.Change{Used: refs("page", uuid(1))})
	assert.Equal(t, []string{"page#1", "page#4", "page#3", "page#2", "user#4"}, table.Unknown("page#9").Nearest)
	assert.Equal(t, []string{"page#1", "page#4", "user#4", "page#3", "user#3"}, table.Unknown("order#1").Nearest)
}

func TestLiterals(t *testing.T) {
	t.Parallel()
	table := handle.NewTable(nil)
	opts := table.Options()
	table.Apply(opts.ChangeFor(`{"text":"see page#1, Page#3, homepage#4 and xpage#12"}`, nil, nil))
	table.Apply(handle.Change{IDs: refs("page", uuid(1), uuid(2))})
	assert.Equal(t, "page#2", table.Handle(uuid(1)), "literals are never given out")
	assert.Equal(t, "page#4", table.Handle(uuid(2)), "literals are never given out")
	got, err := table.DecodeArguments(`["page#1","page#3","see page#1"]`, nil)
	require.NoError(t, err, "literals are texts")
	assert.Equal(t, `["page#1","page#3","see page#1"]`, got)

	table.Apply(opts.ChangeFor(`{"text":"page#2"}`, nil, nil))
	assert.Equal(t, uuid(1), table.Decode("page#2"), "a literal that was given out before means the handle")

	_, err = table.DecodeArguments("page#5", nil)
	require.Error(t, err)
	got, err = table.DecodeArguments("page#5", func(literal string) bool { return literal == "page#5" })
	require.NoError(t, err)
	assert.Equal(t, "page#5", got)
	got, err = table.DecodeArguments("page#2", func(string) bool { return true })
	require.NoError(t, err)
	assert.Equal(t, uuid(1), got, "a known handle is no literal")
}

func TestLiteralsAreFoundInAllValues(t *testing.T) {
	t.Parallel()
	for _, result := range []any{
		"page#1", `{"id":"page#1"}`, []byte("page#1"), []any{map[string]any{"page#1": nil}},
		page{ID: "page#1"}, []string{"PAGE#1"}, map[string]any{"a": json.RawMessage(`"page#1"`)},
	} {
		assert.Equal(t, []string{"page#1"}, new(handle.Options).ChangeFor(result, nil, nil).Literals, "%v", result)
	}
	assert.True(t, new(handle.Options).ChangeFor("page#", nil, nil).IsEmpty())
}

func TestUnknownIn(t *testing.T) {
	t.Parallel()
	table := pages(uuid(1))
	assert.Equal(t, []string{"issue#7"}, table.UnknownIn("Close Issue#7, issue#7 and page#9"))
	assert.True(t, table.HasUnknown("page#9"))
	assert.False(t, table.HasUnknown(map[string]any{"id": "page#1"}))
}

func TestDeeplyNestedJSON(t *testing.T) {
	t.Parallel()
	table, nested := pages(uuid(1)), `"page#1"`
	for level := range 9 {
		got, err := table.DecodeArguments(nested, nil)
		require.NoError(t, err)
		if level <= 4 {
			assert.Equal(t, strings.Replace(nested, "page#1", uuid(1), 1), got, "level %d", level)
		}
		quoted, err := json.Marshal(nested)
		require.NoError(t, err)
		nested = fmt.Sprintf(`{"a":%s}`, quoted)
	}
}
