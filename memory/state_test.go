package memory_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

func TestMarshalJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		entities []memory.Entity
		want     string
	}{
		{"empty", nil, `{"entities":[]}`},
		{"newest first, nothing superfluous",
			[]memory.Entity{
				{Type: "page", ID: "p1", Name: "Home", Slug: "home", Timestamp: start},
				{Type: "entry", ID: "e1", Name: "Welcome", Timestamp: start.Truncate(time.Second)},
			},
			`{"entities":[` +
				`{"type":"page","id":"p1","name":"Home","slug":"home","timestamp":"2026-01-02T03:04:05.000000006Z"},` +
				`{"type":"entry","id":"e1","name":"Welcome","timestamp":"2026-01-02T03:04:05Z"}]}`},
		{"no name", []memory.Entity{{ID: "5", Timestamp: start}},
			`{"entities":[{"type":"resource","id":"5","name":"Unnamed resource","timestamp":"2026-01-02T03:04:05.000000006Z"}]}`},
		{"everything",
			[]memory.Entity{{
				Type: "page", ID: "5", Name: "N", Slug: "s", Timestamp: start,
				Description: "d", Role: memory.RoleReference, Tool: "t", Path: "$.p", Uses: 3,
			}},
			`{"entities":[{"type":"page","id":"5","name":"N","slug":"s","timestamp":"2026-01-02T03:04:05.000000006Z",` +
				`"description":"d","role":"reference","tool":"t","path":"$.p","uses":3}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := filled(t, 10, tt.entities...)
			data, err := json.Marshal(c)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(data))

			restored := setup(t, 10)
			require.NoError(t, json.Unmarshal(data, restored))
			assert.Equal(t, all(c), all(restored))
		})
	}
}

func TestStateDoesNotAliasTheContext(t *testing.T) {
	t.Parallel()
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
	tests := []struct {
		name, state string
		want        []string
	}{
		{"nothing", `{}`, []string{}},
		{"empty list", ` {"entities": [ ] } `, []string{}},
		{"null list", `{"entities":null}`, []string{}},
		{"newest first", `{"entities":[{"type":"page","id":"1"},{"type":"page","id":"2"}]}`, []string{"page 1", "page 2"}},
		{"unknown fields", `{"v":[1],"entities":[{"type":"page","id":"1","color":{"r":1},"name":"Home"}],"w":null}`, []string{"page 1 Home"}},
		{"no type", `{"entities":[{"id":"1"}]}`, []string{"resource 1"}},
		{"placeholder", `{"entities":[{"type":"page","id":"1","name":"Unnamed page"}]}`, []string{"page 1"}},
		{"duplicates are merged, the newest wins",
			`{"entities":[{"type":"page","id":"1"},{"type":"page","id":"2","name":"B"},{"type":"page","id":"1","name":"A"},{"type":"page","id":"2","name":"C"}]}`,
			[]string{"page 1 A", "page 2 B"}},
		{"duplicates under several types",
			`{"entities":[{"type":"a","id":"` + strongID + `"},{"type":"b","id":"` + strongID + `","name":"N"}]}`,
			[]string{"a " + strongID + " N"}},
		{"what stood apart stays apart",
			`{"entities":[{"type":"order","id":"5"},{"type":"resource","id":"5"},{"type":"page","id":"5"}]}`,
			[]string{"order 5", "resource 5", "page 5"}},
		{"pruned to the newest",
			`{"entities":[{"id":"1"},{"id":"2"},{"id":"3"},{"id":"4"},{"id":"5"},{"id":"1","name":"late"}]}`,
			[]string{"resource 1 late", "resource 2", "resource 3"}},
		{"repeated key", `{"entities":[{"id":"1"}],"entities":[{"id":"2"}]}`, []string{"resource 2"}},
		{"repeated key, null first", `{"entities":null,"entities":[{"id":"2"}]}`, []string{"resource 2"}},
		{"repeated key, null last", `{"entities":[{"id":"1"}],"entities":null}`, []string{}},
		{"a state without our fields",
			`{"entities":[{"type":"page","id":"550e8400-e29b-41d4-a716-446655440000","name":"Home","slug":"home","timestamp":"2026-01-02T03:04:05.123Z"}]}`,
			[]string{"page 550e8400-e29b-41d4-a716-446655440000 Home"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := filled(t, 3, ents("old 1", "old 2")...)
			version := c.Version()
			require.NoError(t, json.Unmarshal([]byte(tt.state), c))
			assert.Equal(t, tt.want, summary(c))
			assert.Greater(t, c.Version(), version)
			assert.Equal(t, 3, c.Capacity())

			var zero memory.WorkingContext
			require.NoError(t, zero.UnmarshalJSON([]byte(tt.state)))
			require.NoError(t, zero.Add(ent("page 9")))
		})
	}
}

func TestUnmarshalJSONTimestamps(t *testing.T) {
	t.Parallel()
	c := setup(t, 10)
	require.NoError(t, json.Unmarshal([]byte(`{"entities":[
		{"id":"1","timestamp":"2026-01-02T03:04:05.123456789+05:30"},
		{"id":"2"},
		{"id":"3","timestamp":null},
		{"id":"4","timestamp":"0000-01-01T00:00:00+05:00"}]}`), c))
	var got []time.Time
	for e := range c.All() {
		got = append(got, e.Timestamp)
	}
	now := start.Add(time.Second)
	assert.Equal(t, []time.Time{time.Date(2026, 1, 1, 21, 34, 5, 123456789, time.UTC), now, now, now}, got)
}

func TestNullStateChangesNothing(t *testing.T) {
	t.Parallel()
	c := filled(t, 3, ent("page 1"))
	version := c.Version()
	require.NoError(t, json.Unmarshal([]byte(" null "), c))
	require.NoError(t, c.UnmarshalJSON([]byte(" null\n")))
	assert.Equal(t, []string{"page 1"}, summary(c))
	assert.Equal(t, version, c.Version())
}

func TestDamagedState(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("x", n+1) }
	tests := []struct {
		name, state string
		index       int
		cause       error // where it is a sentinel
	}{
		{"nothing at all", ``, -1, nil},
		{"not JSON", `secret`, -1, nil},
		{"cut off", `{"entities":[{"id":"1"},{"id":"se`, -1, nil},
		{"trailing data", `{"entities":[]} {"entities":[]}`, -1, nil},
		{"trailing comma", `{"entities":[{"id":"1"},]}`, -1, nil},
		{"a list", `[{"id":"1"}]`, -1, nil},
		{"a string", `"secret"`, -1, nil},
		{"entities are an object", `{"entities":{"secret":1}}`, -1, nil},
		{"entities are a string", `{"entities":"secret"}`, -1, nil},
		{"entities are a number", `{"entities":7}`, -1, nil},
		{"entity is a string", `{"entities":[{"id":"1"},"secret"]}`, 1, nil},
		{"entity is null", `{"entities":[{"id":"1"},{"id":"2"},null]}`, 2, memory.ErrNoID},
		{"entity is a list", `{"entities":[[]]}`, 0, nil},
		{"id is a number", `{"entities":[{"id":5}]}`, 0, nil},
		{"uses is a string", `{"entities":[{"id":"1","uses":"secret"}]}`, 0, nil},
		{"uses is too large", `{"entities":[{"id":"1","uses":123456789e99}]}`, 0, nil},
		{"timestamp is no time", `{"entities":[{"id":"1"},{"id":"2","timestamp":"secret"}]}`, 1, nil},
		{"timestamp is a number", `{"entities":[{"id":"1","timestamp":17}]}`, 0, nil},
		{"no id", `{"entities":[{"id":"1"},{"name":"secret"}]}`, 1, memory.ErrNoID},
		{"empty id", `{"entities":[{"id":""}]}`, 0, memory.ErrNoID},
		{"long id", `{"entities":[{"id":"` + long(memory.MaxIDBytes) + `"}]}`, 0, memory.ErrTooLong},
		{"long type", `{"entities":[{"id":"1","type":"` + long(memory.MaxTypeBytes) + `"}]}`, 0, memory.ErrTooLong},
		{"damage beyond the capacity", `{"entities":[{"id":"1"},{"id":"2"},{"id":"3"},{"id":"4"},{}]}`, 4, memory.ErrNoID},
		{"not UTF-8", "{\"entities\":[{\"id\":\"secret\xff\"}]}", -1, nil},
		{"very deep", strings.Repeat(`{"entities":[`, 1_000_000), -1, nil},
		{"very deep and unknown", `{"secret":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, -1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := filled(t, 3, ents("page 1 Home", "page 2")...)
			before, version := all(c), c.Version()

			err := c.UnmarshalJSON([]byte(tt.state))
			damage, ok := errors.AsType[*memory.StateError](err)
			require.True(t, ok, "got %v", err)
			assert.Equal(t, tt.index, damage.Index)
			require.Error(t, errors.Unwrap(err))
			if tt.cause != nil {
				require.ErrorIs(t, err, tt.cause)
			}
			assert.NotContains(t, err.Error(), "secret")
			assert.NotContains(t, err.Error(), "123456789")
			assert.Less(t, len(err.Error()), 200)

			assert.Equal(t, before, all(c))
			assert.Equal(t, version, c.Version())
			require.Error(t, json.Unmarshal([]byte(tt.state), c))
			assert.Equal(t, before, all(c))
		})
	}

	err := setup(t, 3).UnmarshalJSON([]byte(`{"entities":[`))
	_, ok := errors.AsType[*json.SyntaxError](err)
	assert.True(t, ok, "the cause is there: %v", err)
}

func TestStateSizeIsBounded(t *testing.T) {
	t.Parallel()
	c := filled(t, 3, ent("page 1"))
	err := c.UnmarshalJSON([]byte(`{"entities":[]}` + strings.Repeat(" ", memory.MaxStateBytes)))
	_, ok := errors.AsType[*memory.StateError](err)
	assert.True(t, ok, "got %v", err)
	assert.Equal(t, 1, c.Len())
}

func TestRestoredContextGoesOn(t *testing.T) {
	t.Parallel()
	c := setup(t, 40)
	for i := range 60 {
		require.NoError(t, c.Add(ent(fmt.Sprintf("page %d", i))))
	}
	require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{ref("page 33")}}))
	data, err := json.Marshal(c)
	require.NoError(t, err)

	restored := setup(t, 40)
	require.NoError(t, json.Unmarshal(data, restored))
	assert.Equal(t, all(c), all(restored))
	require.NoError(t, restored.Add(ent("page 33 Home")))
	assert.Equal(t, 40, restored.Len())
	got, ok := restored.Get(ref("page 33"))
	require.True(t, ok)
	assert.Equal(t, 1, got.Uses)
}
