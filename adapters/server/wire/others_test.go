package wire_test

import (
	stdjson "encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// Why the package has its own inspector: clients show all mistakes with their places. json v2
// stops at the first mistake, does not report missing fields, and reports a place within a type
// with its own UnmarshalJSON as that of the type. JSON schema stops at the first mistake, has no
// indexes, does not check the contents of texts, and needs a tree of the body that has lost
// duplicate names and digits.
func TestWhatOtherDecodersWouldSay(t *testing.T) {
	t.Parallel()
	schema, err := schemas(t).Of(reflect.TypeFor[wire.SessionBody]())
	require.NoError(t, err)
	validator, err := schema.Resolve(nil)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		body   string
		ours   []string // places and kinds
		v2     string   // "" for none
		schema string
	}{
		"many mistakes": {
			`{"messages":[{"role":"u","content":"x"},{"role":1}],"ttl_seconds":"soon"}`,
			[]string{"messages.1.role string_type", "messages.1.content missing", "ttl_seconds int_parsing"},
			`within "/role"`, `/properties/messages/items`,
		},
		"something missing":            {`{"memories":[{"text":"a"},{"id":"b"}]}`, []string{"memories.1.text missing"}, "", `/properties/memories/items: required: missing properties: ["text"]`},
		"a text that is no number":     {`{"ttl_seconds":"soon"}`, []string{"ttl_seconds int_parsing"}, `within "/ttl_seconds"`, ""},
		"a name twice":                 {`{"context":"a","context":"b"}`, []string{"15 json_invalid"}, "duplicate", ""},
		"a text that is no time":       {`{"created_at":"yesterday"}`, []string{"created_at datetime_parsing"}, `within "/created_at"`, ""},
		"more than a list may have":    {`{"messages":[{"role":"u","content":"","tool_calls":[{"name":"f"}` + strings.Repeat(`,{"name":"f"}`, 1000) + `]}]}`, []string{"messages.0.tool_calls too_long"}, "", ""},
		"an id that is given as empty": {`{"memories":[{"id":"","text":"x"}]}`, []string{" value_error"}, "", ""},
	} {
		var body wire.SessionBody
		var found []string
		for _, f := range places(t, wire.Decode([]byte(c.body), &body)) {
			found = append(found, strings.ReplaceAll(strings.Trim(fmt.Sprint(f.Loc[1:]), "[]"), " ", ".")+" "+f.Type)
		}
		assert.Equal(t, c.ours, found, name)
		says(t, c.v2, json.Unmarshal([]byte(c.body), new(wire.SessionBody)), name)
		var tree any
		require.NoError(t, stdjson.Unmarshal([]byte(c.body), &tree))
		says(t, c.schema, validator.Validate(tree), name)
	}
}

// says requires an error that contains text, or no error if text is "".
func says(t *testing.T, text string, err error, name string) {
	t.Helper()
	if text == "" {
		assert.NoError(t, err, name)
		return
	}
	assert.ErrorContains(t, err, text, name)
}
