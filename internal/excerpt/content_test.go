package excerpt_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/excerpt"
)

func TestContent(t *testing.T) {
	const users = `{"users":[{"id":1,"name":{"first":"Ann"}},{"id":2,"name":{"first":"Bob"}}],"a: b":[true],"at":"x: y"}`
	long := strings.Repeat("word ", 2000)
	for name, test := range map[string]struct {
		text string
		req  excerpt.Request
		want string
	}{
		"lines":      {"a: 1\nb: 2\n3: c\n", excerpt.Request{Offset: 2}, "b: 2\n3: c"},
		"long lines": {long + "\nend", excerpt.Request{}, long + "\nend"},
		"members":    {users, excerpt.Request{Path: "$"}, users},
		"elements":   {users, excerpt.Request{Path: "$.users"}, `[{"id":1,"name":{"first":"Ann"}},{"id":2,"name":{"first":"Bob"}}]`},
		"values":     {users, excerpt.Request{Path: "$.users[*].name"}, `[{"first":"Ann"},{"first":"Bob"}]`},
		"object":     {users, excerpt.Request{Path: "$.users[1]"}, `{"id":2,"name":{"first":"Bob"}}`},
		"key":        {users, excerpt.Request{Path: `$["a: b"]`}, `[true]`},
		"record":     {users, excerpt.Request{Query: "bob"}, `[{"id":2,"name":{"first":"Bob"}}]`},
		"nothing":    {users, excerpt.Request{Query: "eve"}, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := excerpt.Read(t.Context(), strings.NewReader(test.text), int64(len(test.text)), test.req, 16<<10)
			require.NoError(t, err)
			assert.Equal(t, test.want, excerpt.Content(text))
		})
	}
	assert.NotPanics(t, func() { excerpt.Content("") })
}
