package middleware_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/middleware"
)

func TestResultOf(t *testing.T) {
	t.Parallel()
	least, small := map[string]any{"id": -9007199254740992.0}, map[string]any{"id": 7.0}
	cyclic := map[string]any{"n": 1.0}
	cyclic["self"] = cyclic
	both := func(data any, text string) any {
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}, "structuredContent": data}
	}
	for name, tc := range map[string]struct {
		data  any
		texts []string
		want  any
	}{
		"nothing":          {nil, nil, nil},
		"text":             {nil, []string{"a"}, "a"},
		"texts":            {nil, []string{"a", "b"}, []string{"a", "b"}},
		"data":             {small, nil, small},
		"data and a text":  {small, []string{"one order"}, both(small, "one order")},
		"a wrapped text":   {map[string]any{"content": "[FILE] a"}, []string{"[FILE] a"}, "[FILE] a"},
		"wrapped texts":    {json.RawMessage(`{"result":"a\nb"}`), []string{"a", "b"}, []string{"a", "b"}},
		"a list and texts": {json.RawMessage(`{"result":["a",{"id":7}]}`), []string{"a", `{"id": 7}`}, json.RawMessage(`{"result":["a",{"id":7}]}`)},
		"a text beside":    {map[string]any{"path": "/a", "content": "b"}, []string{"b"}, both(map[string]json.RawMessage{"path": []byte(`"/a"`)}, "b")},
		"lost digits":      {least, []string{`{"id":-9007199254740993}`}, `{"id":-9007199254740993}`},
		"deep lost digits": {map[string]any{"a": []any{9007199254740992.0}}, []string{`{"a":[9007199254740993]}`}, `{"a":[9007199254740993]}`},
		"no lost digits":   {small, []string{`{"id":7}`}, small},
		"another text":     {least, []string{`{"id":8}`}, both(least, `{"id":8}`)},
		"text is not JSON": {least, []string{"one"}, both(least, "one")},
		"cyclic data":      {cyclic, []string{"{}"}, cyclic},
	} {
		if got := middleware.ResultOf(tc.data, tc.texts...); name == "cyclic data" {
			assert.Len(t, got, 2, name)
		} else {
			assert.Equal(t, tc.want, got, name)
		}
	}
}

func TestPartTexts(t *testing.T) {
	t.Parallel()
	for part, want := range map[string][]string{
		`{"type":"text","text":"a"}`: {"a"},
		`{"type":"resource_link","uri":"dam://assets/7","name":"Pier.jpg","mimeType":"image/jpeg","size":9}`:  {`{"uri":"dam://assets/7","name":"Pier.jpg","mimeType":"image/jpeg"}`},
		`{"type":"resource","resource":{"uri":"file:///srv/tides.md","mimeType":"text/markdown","text":"a"}}`: {`{"uri":"file:///srv/tides.md","mimeType":"text/markdown"}`, "a"},
		`{"type":"resource","resource":{"uri":"dam://assets/8","blob":"AA=="}}`:                               {`{"uri":"dam://assets/8","mimeType":"application/octet-stream"}`},
		`{"type":"resource","resource":{"text":"a"}}`:                                                         {"a"},
		`{"type":"image","data":"AA==","mimeType":"image/png"}`:                                               nil,
		`{"type":"new","text":"a"}`: nil,
		`7`:                         nil,
	} {
		assert.Equal(t, want, middleware.PartTexts([]byte(part)), part)
	}
}

func TestFailureOf(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"a\nb":                       {"a", "b"},
		"tool failed":                {},
		strings.Repeat("x", 1024):    {strings.Repeat("x", 1025)},
		strings.Repeat("y", 1021):    {strings.Repeat("y", 1021) + "😀😀"},
		strings.Repeat("\xff", 1020): {strings.Repeat("\xff", 2000)},
	} {
		assert.EqualError(t, middleware.FailureOf(texts...), want)
	}
}
