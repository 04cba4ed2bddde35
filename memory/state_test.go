package memory_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

func TestMarshalJSON(t *testing.T) {
	t.Parallel()
	for want, entities := range map[string][]memory.Entity{
		`{"entities":[]}`: nil,
		`{"entities":[{"type":"page","id":"5","name":"N","slug":"s","timestamp":"2026-01-02T03:04:05.000000006Z",` +
			`"description":"d","role":"reference","tool":"t","path":"$.p","uses":3}]}`: {{
			Type: "page", ID: "5", Name: "N", Slug: "s", Timestamp: start,
			Description: "d", Role: memory.RoleReference, Tool: "t", Path: "$.p", Uses: 3,
		}},
	} {
		c := filled(t, 10, entities...)
		data, err := json.Marshal(c)
		require.NoError(t, err)
		assert.Equal(t, want, string(data))
		restored := setup(t, 10)
		require.NoError(t, json.Unmarshal(data, restored))
		assert.Equal(t, all(c), all(restored))
	}

	// The state shares no memory with the context.
	c := filled(t, 10, ent("page 5 Home"))
	data, err := c.MarshalJSON()
	require.NoError(t, err)
	before := bytes.Clone(data)
	require.NoError(t, c.Add(ent("page 5 Other")))
	assert.Equal(t, before, data)
	require.NoError(t, c.UnmarshalJSON(data))
	clear(data)
	assert.Equal(t, []string{"page 5 Home"}, summary(c))
}

func TestUnmarshalJSON(t *testing.T) {
	t.Parallel()
	for state, want := range map[string][]string{
		`{}`:                {},
		`{"entities":null}`: {},
		`{"v":[1],"entities":[{"type":"page","id":"1","color":{"r":1},"name":"Home"}],"w":null}`: {"page 1 Home"},
		`{"entities":[{"id":"1"}]}`: {"resource 1"},
		`{"entities":[{"type":"page","id":"1"},{"type":"page","id":"2","name":"B"},{"type":"page","id":"1","name":"A"},{"type":"page","id":"2","name":"C"}]}`: {"page 1 A", "page 2 B"},
		`{"entities":[{"type":"order","id":"5"},{"type":"resource","id":"5"},{"type":"page","id":"5"}]}`:                                                      {"order 5", "resource 5", "page 5"},
		`{"entities":[{"id":"1"},{"id":"2"},{"id":"3"},{"id":"4"},{"id":"5"},{"id":"1","name":"late"}]}`:                                                      {"resource 1 late", "resource 2", "resource 3"},
		`{"entities":[{"id":"1"}],"entities":[{"id":"2"}]}`:                                                                                                   {"resource 2"},
	} {
		c := filled(t, 3, ents("old 1", "old 2")...)
		version := c.Version()
		require.NoError(t, json.Unmarshal([]byte(state), c))
		assert.Equal(t, want, summary(c), state)
		assert.Greater(t, c.Version(), version)
	}

	c := setup(t, 10)
	require.NoError(t, json.Unmarshal([]byte(`{"entities":[
		{"id":"1","timestamp":"2026-01-02T03:04:05.123456789+05:30"},
		{"id":"2"},
		{"id":"3","timestamp":null},
		{"id":"4","timestamp":"0000-01-01T00:00:00+05:00"}]}`), c))
	for i, e := range all(c) {
		want := start.Add(time.Second)
		if i == 0 {
			want = time.Date(2026, 1, 1, 21, 34, 5, 123456789, time.UTC)
		}
		assert.Equal(t, want, e.Timestamp)
	}
	version := c.Version()
	require.NoError(t, c.UnmarshalJSON([]byte(" null\n")))
	assert.Equal(t, []any{4, version}, []any{c.Len(), c.Version()}, "null is a no-op")
}

func TestInvalidState(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("x", n+1) }
	for _, test := range []struct {
		state string
		index int
		is    error
	}{
		{`{"entities":[{"id":"1"},{"id":"se`, -1, nil},
		{`{"entities":[]} {"entities":[]}`, -1, nil},
		{`[{"id":"1"}]`, -1, nil},
		{`{"entities":{"secret":1}}`, -1, nil},
		{`{"entities":[{"id":"1"},"secret"]}`, 1, nil},
		{`{"entities":[{"id":"1","uses":123456789e99}]}`, 0, nil},
		{`{"entities":[{"id":"1"},{"id":"2","timestamp":"secret"}]}`, 1, nil},
		{`{"entities":[{"id":"1"},{"name":"secret"}]}`, 1, memory.ErrNoID},
		{`{"entities":[{"id":"` + long(memory.MaxIDBytes) + `"}]}`, 0, memory.ErrTooLong},
		{`{"entities":[{"id":"1","type":"` + long(memory.MaxTypeBytes) + `"}]}`, 0, memory.ErrTooLong},
		{"{\"entities\":[{\"id\":\"secret\xff\"}]}", -1, nil},
		{strings.Repeat(`{"entities":[`, 20_000), -1, nil},
		{`{"entities":[]}` + strings.Repeat(" ", memory.MaxStateBytes), -1, nil},
	} {
		c := filled(t, 3, ents("page 1 Home", "page 2")...)
		before, version := all(c), c.Version()
		err := c.UnmarshalJSON([]byte(test.state))
		state, ok := errors.AsType[*memory.StateError](err)
		require.True(t, ok, "%.99s: %v", test.state, err)
		assert.Equal(t, test.index, state.Index, "%.99s", test.state)
		require.Error(t, errors.Unwrap(err))
		if test.is != nil {
			require.ErrorIs(t, err, test.is)
		}
		assert.NotContains(t, err.Error(), "secret")
		assert.NotContains(t, err.Error(), "123456789")
		assert.Less(t, len(err.Error()), 200)
		assert.Equal(t, before, all(c))
		assert.Equal(t, version, c.Version())
	}
	_, ok := errors.AsType[*json.SyntaxError](setup(t, 3).UnmarshalJSON([]byte(`{"entities":[`)))
	assert.True(t, ok)
}

// FuzzState reads arbitrary bytes as a state. An invalid state changes nothing; a valid
// one respects the limits and survives another round trip.
func FuzzState(f *testing.F) {
	for _, seed := range []string{
		`{"entities":[]}`,
		`{"entities":null}`,
		`null`,
		`{"entities":[{"type":"page","id":"5","name":"Home","slug":"home","timestamp":"2026-01-02T03:04:05.6Z"}]}`,
		`{"entities":[{"type":"order","id":"5"},{"id":"5"},{"type":"page","id":"5"},{"type":"page","id":"5","name":"N"}]}`,
		`{"entities":[{"id":"a-long-identifier","type":"x"},{"id":"a-long-identifier","type":"y","role":"alias","uses":2}]}`,
		`{"entities":[{"id":"\ud800","name":"\u0000\u2028<&>","timestamp":"0000-01-01T00:00:00+23:59"}]}`,
		`{"entities":[{"id":"1"},{"id":"2"},{"id":"3"},{"id":"4"},{"id":"5","uses":-1}],"Entities":[{"id":"6"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := filled(t, 4, ents("page 1 Home", "page 2")...)
		before, version := all(c), c.Version()
		if err := c.UnmarshalJSON(data); err != nil {
			_, ok := errors.AsType[*memory.StateError](err)
			require.True(t, ok)
			require.Equal(t, before, all(c))
			require.Equal(t, version, c.Version())
			return
		}
		for e := range c.All() {
			require.True(t, e.ID != "" && e.Type != "" && len(e.ID) <= memory.MaxIDBytes && len(e.Type) <= memory.MaxTypeBytes)
			for _, text := range []string{e.Name, e.Slug, e.Description, e.Tool, e.Path} {
				require.True(t, len(text) <= memory.MaxTextBytes && utf8.ValidString(text))
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
		require.True(t, same(all(c), all(again)))
		rewritten, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(written), string(rewritten))
	})
}
