package handle_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
)

// uuid returns the n-th UUID. The first ones begin with digits.
func uuid(n int) string { return fmt.Sprintf("%08x-52ab-4c0e-9a77-0d2f61b8e5aa", 0x10000000+n) }

func refs(typ string, ids ...string) (refs []memory.Ref) {
	for _, id := range ids {
		refs = append(refs, memory.Ref{Type: typ, ID: id})
	}
	return refs
}

// pages returns a table in which ids are page#1, page#2 and so on.
func pages(ids ...string) *handle.Table {
	t := handle.NewTable(nil)
	t.Apply(handle.Change{IDs: refs("page", ids...)})
	return t
}

func TestEncode(t *testing.T) {
	t.Parallel()
	id := uuid(1)
	for name, tc := range map[string]struct {
		ids      []string
		in, want string
	}{
		"whole text":              {[]string{id}, id, "page#1"},
		"JSON":                    {[]string{id}, `{"id":"` + id + `","n":1}`, `{"id":"page#1","n":1}`},
		"key":                     {[]string{id}, `{"` + id + `":1}`, `{"page#1":1}`},
		"JSON in JSON":            {[]string{id}, `{"x":"{\"id\":\"` + id + `\"}"}`, `{"x":"{\"id\":\"page#1\"}"}`},
		"behind a line break":     {[]string{id}, `{"x":"a\n` + id + `"}`, `{"x":"a\npage#1"}`},
		"behind another escape":   {[]string{id}, `{"x":"a\u000a` + id + `"}`, `{"x":"a\u000apage#1"}`},
		"behind a percent escape": {[]string{id}, "/p%2F" + id + "%2Fx", "/p%2Fpage#1%2Fx"},
		"in a URL":                {[]string{id}, "https://example.com/p/" + id + "?v=" + id, "https://example.com/p/page#1?v=page#1"},
		"in YAML":                 {[]string{id}, "page:\n  id: " + id + "\n", "page:\n  id: page#1\n"},
		"in a sentence":           {[]string{id}, "See (" + id + ").", "See (page#1)."},
		"in Japanese":             {[]string{id}, "ページ" + id + "を開く", "ページpage#1を開く"},
		"in a Windows path":       {[]string{id}, `C:\data\` + id, `C:\data\page#1`},
		"several lines":           {[]string{id, uuid(2)}, id + "\n" + uuid(2) + "\r\n" + id, "page#1\npage#2\r\npage#1"},

		"other capitals":    {[]string{id}, strings.ToUpper(id), strings.ToUpper(id)},
		"in a longer word":  {[]string{id}, "x" + id + " " + id + "9 " + id + "_a " + id + "-a -" + id, "x" + id + " " + id + "9 " + id + "_a " + id + "-a -" + id},
		"an escape itself":  {[]string{"f47ac10b-58cc-4372"}, `{"x":"\f47ac10b-58cc-4372 f47ac10b-58cc-4372"}`, `{"x":"\f47ac10b-58cc-4372 page#1"}`},
		"an escape by four": {[]string{"u00e9-58cc-4372"}, `"\u00e9-58cc-4372"`, `"\u00e9-58cc-4372"`},
		"NUL":               {[]string{id}, id + "\x00", id + "\x00"},
		"not in UTF-8":      {[]string{id}, id + " \xff", id + " \xff"},
		"empty":             {[]string{id}, "", ""},
		"no ids":            {nil, id, id},

		"prefix of another":        {[]string{"vol-1", "vol-1-snap"}, "vol-1 vol-1-snap vol-1.x", "page#1 page#2 page#1.x"},
		"only the shorter is":      {[]string{"vol-1"}, "vol-1-snap vol-1", "vol-1-snap page#1"},
		"only the longer is":       {[]string{"vol-1-snap"}, "vol-1-snap vol-1", "page#1 vol-1"},
		"nested, the longest":      {[]string{"a.b", "a.b.c", "a.b.c.d"}, "a.b.c.d a.b.c.x a.b.x a.x a.b.cx", "page#3 page#2.x page#1.x a.x page#1.cx"},
		"overlapping, the first":   {[]string{"a.b", "b.c"}, "a.b.c", "page#1.c"},
		"with signs":               {[]string{"a/b", "a:b", "a@b", "a+b"}, `"a/b","a:b","a@b","a+b","a\/b"`, `"page#1","page#2","page#3","page#4","a\/b"`},
		"with signs at its ends":   {[]string{"/a/", "{b}"}, "x/a/ /a/y /a/ {b} x{b}", "x/a/ /a/y page#1 page#2 x{b}"},
		"with spaces and Japanese": {[]string{"資料 1", "é"}, "資料 1 資料 12 é", "page#1 資料 12 page#2"},
		"in the form of a handle":  {[]string{"page#9", "x page#1"}, "page#9 x page#1", "page#1 page#2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := pages(tc.ids...)
			got := table.Encode(tc.in)
			assert.Equal(t, tc.want, got)
			assert.Equal(t, json.Valid([]byte(tc.in)), json.Valid([]byte(got)))
			if got != tc.in || !strings.Contains(tc.in, "#") {
				assert.Equal(t, tc.in, table.Decode(got))
			}
		})
	}
}

func TestEncodeLongTexts(t *testing.T) {
	t.Parallel()
	table := pages(uuid(1))
	long := uuid(1) + strings.Repeat(" ", handle.MaxTextBytes)
	assert.Equal(t, long, table.Encode(long))
	assert.Equal(t, long, table.EncodeValue(long))
	long = "page#1" + long
	assert.Equal(t, long, table.Decode(long))
	got, err := table.DecodeArguments(long, nil)
	require.NoError(t, err)
	assert.Equal(t, long, got)
}

func TestDecode(t *testing.T) {
	t.Parallel()
	table := pages(uuid(1), uuid(2))
	for in, want := range map[string]string{
		"page#1":              uuid(1),
		"Page#2, PAGE#1.":     uuid(2) + ", " + uuid(1) + ".",
		"page#3":              "page#3",
		"page#12 page#1x":     "page#12 page#1x",
		"xpage#1 page#1-b":    "xpage#1 page#1-b",
		"page#01 page# 1":     "page#01 page# 1",
		"page#page#1#page#1#": "page#" + uuid(1) + "#" + uuid(1) + "#",
		"ｐage#1":              "ｐage#1",
		`a\npage#1`:           `a\n` + uuid(1),
		"page#1\x00":          "page#1\x00",
	} {
		assert.Equal(t, want, table.Decode(in), in)
	}
	assert.Equal(t, "<page#1>", table.Replace("PAGE#1", func(handle, _ string) string { return "<" + handle + ">" }))
}

// The Kelvin sign is a k in small letters, of another length.
func TestDecodeFoldsOnlyASCII(t *testing.T) {
	t.Parallel()
	table := handle.NewTable(nil)
	table.Apply(handle.Change{IDs: refs("kube", "a", "b")})
	assert.Equal(t, "\u212aube#123 b", table.Decode("\u212aube#123 KUBE#2"))
}

type page struct {
	ID     string `json:"id"`
	Number int64  `json:"number"`
	Parent *page  `json:"parent,omitempty"`
}

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("no JSON") }

func TestEncodeValue(t *testing.T) {
	t.Parallel()
	table, id := pages(uuid(1)), uuid(1)
	failing := map[string]any{"id": id, "f": func() {}}
	for name, tc := range map[string]struct{ in, want any }{
		"nil":             {nil, nil},
		"text":            {id, "page#1"},
		"bytes":           {[]byte(id), []byte("page#1")},
		"no bytes":        {[]byte(nil), []byte(nil)},
		"raw message":     {json.RawMessage(`"` + id + `"`), json.RawMessage(`"page#1"`)},
		"no raw message":  {map[string]any{"a": json.RawMessage(nil)}, map[string]any{"a": json.RawMessage(nil)}},
		"JSON value":      {jsontext.Value(`"` + id + `"`), jsontext.Value(`"page#1"`)},
		"texts":           {[]string{id, "a"}, []string{"page#1", "a"}},
		"lists":           {[]any{id, 1, nil, []any{id}}, []any{"page#1", 1, nil, []any{"page#1"}}},
		"no list":         {[]any(nil), []any(nil)},
		"object":          {map[string]any{id: id, "n": 1.5}, map[string]any{"page#1": "page#1", "n": 1.5}},
		"no object":       {map[string]any(nil), map[string]any(nil)},
		"struct":          {page{ID: id, Number: 1<<53 + 1}, map[string]any{"id": "page#1", "number": json.Number("9007199254740993")}},
		"pointer":         {[]any{&page{ID: "P", Parent: &page{ID: id}}}, []any{map[string]any{"id": "P", "number": json.Number("0"), "parent": map[string]any{"id": "page#1", "number": json.Number("0")}}}},
		"without ids":     {page{ID: "P"}, page{ID: "P"}},
		"panics":          {[]any{id, panicking{}}, []any{"page#1", panicking{}}},
		"a time":          {time.Unix(1, 0), time.Unix(1, 0)},
		"two keys as one": {map[string]any{id: 1, "page#1": 2}, map[string]any{id: 1, "page#1": 2}},
	} {
		assert.Equal(t, tc.want, table.EncodeValue(tc.in), name)
	}
	encoded := table.EncodeValue(failing).(map[string]any)
	assert.Equal(t, "page#1", encoded["id"], "next to a value without JSON")
	assert.NotNil(t, encoded["f"])
	assert.Equal(t, id, failing["id"], "the value itself is not modified")
	assert.Equal(t, map[string]any{"id": id}, table.DecodeValue(map[string]any{"id": "page#1"}))
}

func TestDeepValues(t *testing.T) {
	t.Parallel()
	table := pages(uuid(1))
	deep := any(uuid(1))
	for range 2000 {
		deep = []any{deep}
	}
	assert.Equal(t, deep, table.EncodeValue(deep))
	_, err := table.DecodeArguments(deep, nil)
	require.Error(t, err)
}

func TestNoTable(t *testing.T) {
	t.Parallel()
	var table *handle.Table
	assert.Equal(t, uuid(1), table.Encode(uuid(1)))
	assert.Equal(t, "page#1", table.Decode("page#1"))
	assert.Equal(t, uuid(1), table.Handle(uuid(1)))
	assert.Equal(t, uuid(1), table.EncodeValue(uuid(1)))
	assert.Equal(t, "page#1", table.DecodeValue("page#1"))
	arguments, err := table.DecodeArguments("page#1", nil)
	require.NoError(t, err)
	assert.Equal(t, "page#1", arguments)
	assert.False(t, table.HasUnknown("page#1"))
	assert.Empty(t, table.UnknownIn("page#1"))
	assert.True(t, table.IsEmpty())
	assert.Zero(t, table.Len()+int(table.Version()))
	for range table.OfType("page") {
		t.Fail()
	}
}

func TestIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"page#1": true, "security_group#12": true, "s3_object#3": true, "page#7a": true, "page#7abcdefgh": true,
		"page#999999": true, strings.Repeat("t", 32) + "#1": true, "ab#1": true,
		"": false, "page": false, "page#": false, "#1": false, "a#1": false, "page#0": false, "page#01": false,
		"page#1000000": false, "Page#1": false, "page#1A": false, "page#1a1": false, "page#7abcdefghi": false,
		"page #1": false, "page#1 ": false, " page#1": false, "page#-1": false, "3page#1": false, "_page#1": false,
		"pa-ge#1": false, "página#1": false, strings.Repeat("t", 33) + "#1": false, "page#1#2": false, "page#1-x": false,
		"page#1.": false, "page#99999999999999999999": false,
	} {
		assert.Equal(t, want, handle.Is(text), text)
	}
}
