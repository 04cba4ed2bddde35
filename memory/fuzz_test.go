package memory_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

// FuzzState reads arbitrary bytes as a state. Whatever they are, the context
// stays sound: damage leaves it as it was, and what was read is written and
// read again without a change.
func FuzzState(f *testing.F) {
	for _, seed := range []string{
		`{"entities":[]}`,
		`{"entities":null}`,
		`null`,
		`{"entities":[{"type":"page","id":"5","name":"Home","slug":"home","timestamp":"2026-01-02T03:04:05.6Z"}]}`,
		`{"entities":[{"type":"order","id":"5"},{"id":"5"},{"type":"page","id":"5"},{"type":"page","id":"5","name":"N"}]}`,
		`{"entities":[{"id":"a-long-identifier","type":"x"},{"id":"a-long-identifier","type":"y","role":"alias","uses":2}]}`,
		`{"entities":[{"id":"\ud800","name":"\u0000\u2028<&>","timestamp":"0000-01-01T00:00:00+23:59"}]}`,
		`{"entities":[{"id":1}]}`,
		`{"entities":[{"name":"no id"}]}`,
		`{"entities":[{"id":"1"},{"id":"2"},{"id":"3"},{"id":"4"},{"id":"5","uses":-1}],"Entities":[{"id":"6"}]}`,
		`{"entities":[{"id":"1"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := filled(t, 4, ents("page 1 Home", "page 2")...)
		before, version := all(c), c.Version()
		if err := c.UnmarshalJSON(data); err != nil {
			_, typed := errors.AsType[*memory.StateError](err)
			require.True(t, typed)
			require.Equal(t, before, all(c))
			require.Equal(t, version, c.Version())
			return
		}
		for e := range c.All() {
			require.NotEmpty(t, e.ID)
			require.NotEmpty(t, e.Type)
			require.LessOrEqual(t, len(e.ID), memory.MaxIDBytes)
			require.LessOrEqual(t, len(e.Type), memory.MaxTypeBytes)
			for _, text := range []string{e.Name, e.Slug, e.Description, e.Tool, e.Path} {
				require.LessOrEqual(t, len(text), memory.MaxTextBytes)
				require.True(t, utf8.ValidString(text))
			}
			require.False(t, e.Timestamp.IsZero())
			require.GreaterOrEqual(t, e.Uses, 0)
			found, ok := c.Get(memory.Ref{Type: e.Type, ID: e.ID})
			require.True(t, ok)
			require.Equal(t, e, found)
		}
		written, err := json.Marshal(c)
		require.NoError(t, err)
		again := setup(t, 4)
		require.NoError(t, json.Unmarshal(written, again))
		require.True(t, slices.Equal(all(c), all(again)))
		rewritten, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(written), string(rewritten))
	})
}
