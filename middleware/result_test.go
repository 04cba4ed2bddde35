package middleware_test

import (
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
	for name, tc := range map[string]struct {
		data  any
		texts []string
		want  any
	}{
		"nothing":          {nil, nil, nil},
		"text":             {nil, []string{"a"}, "a"},
		"texts":            {nil, []string{"a", "b"}, []string{"a", "b"}},
		"data":             {small, []string{"one order"}, small},
		"lost digits":      {least, []string{`{"id":-9007199254740993}`}, `{"id":-9007199254740993}`},
		"deep lost digits": {map[string]any{"a": []any{9007199254740992.0}}, []string{`{"a":[9007199254740993]}`}, `{"a":[9007199254740993]}`},
		"no lost digits":   {small, []string{`{"id":7}`}, small},
		"another text":     {least, []string{`{"id":8}`}, least},
		"text is not JSON": {least, []string{"one"}, least},
		"cyclic data":      {cyclic, []string{"{}"}, cyclic},
	} {
		if got := middleware.ResultOf(tc.data, tc.texts...); name == "cyclic data" {
			assert.Len(t, got, 2, name)
		} else {
			assert.Equal(t, tc.want, got, name)
		}
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
