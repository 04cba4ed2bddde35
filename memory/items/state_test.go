package items_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

func TestState(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	data, err := json.Marshal(s)
	require.NoError(t, err)
	require.JSONEq(t, `{"step":0,"items":[]}`, string(data))

	s.AdvanceStep()
	memorize(t, s, items.ItemInput{
		ID: "1", Type: items.TypeGoal, Text: "<&>\u2028", AgentID: "a", Tags: []string{"x", ""},
		Metadata: map[string]string{"k": "v"}, StepIndex: new(-3), Importance: new(0.1),
		Timestamp: start.Add(time.Nanosecond),
	})
	memorize(t, s, items.ItemInput{ID: "2", Text: "two words"})
	_, err = s.Forget(t.Context(), "position:1", items.ForgetSoft)
	require.NoError(t, err)
	data, err = json.Marshal(s)
	require.NoError(t, err)
	require.JSONEq(t, `{"step":1,"items":[
		{"id":"1","type":"goal","text":"<&>\u2028","tokens":1,"timestamp":"2026-01-02T03:04:05.000000007Z","agent_id":"a",
		 "tags":["x",""],"metadata":{"k":"v"},"position":0,"step_index":-3,"importance":0.1},
		{"id":"2","type":"custom","text":"two words","tokens":2,"timestamp":"2026-01-02T03:04:05.000000006Z",
		 "position":1,"step_index":1,"importance":0.5,"deleted":true}]}`, string(data))

	restored := newStore(t, items.Options{})
	require.NoError(t, json.Unmarshal(data, restored))
	require.Equal(t, slices.Collect(s.All()), slices.Collect(restored.All()))
	require.Equal(t, 1, restored.Step())
	require.NoError(t, restored.Restore(t.Context(), "2"))

	// Missing fields are set as by Memorize.
	require.NoError(t, json.Unmarshal([]byte(`{"extra":[1],"items":[{"id":"1","text":"a b","tokens":99,"position":7,"x":{}}],"step":4}`), s))
	require.Equal(t, items.Item{
		ID: "1", Type: items.TypeCustom, Text: "a b", Tokens: 2, Timestamp: start, StepIndex: 4, Importance: 0.5,
	}, get(t, s, "1"))
	require.NoError(t, json.Unmarshal([]byte(`null`), s))
	require.Equal(t, []string{"1"}, allIDs(s), "null is a no-op")
	for _, empty := range []string{`{}`, `{"items":null}`, `{"items":[]}`} {
		memorizeAll(t, s, 0.5)
		require.NoError(t, json.Unmarshal([]byte(empty), s))
		require.Equal(t, []int{0, 0}, []int{s.Len(), s.Step()}, empty)
	}
}

func TestStateLimit(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	require.ErrorAs(t, s.UnmarshalJSON(make([]byte, memory.MaxStateBytes+1)), new(*memory.StateError))
	if soak.Enabled() { // takes seconds
		memorize(t, s, items.ItemInput{Text: strings.Repeat("x", memory.MaxStateBytes)})
		_, err := json.Marshal(s)
		require.ErrorContains(t, err, "items: writing state: ")
	}
}

func TestInvalidState(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what, state string
		index       int
		want        error
	}{
		{"syntax", `{"items":[`, -1, nil},
		{"step not a number", `{"step":"s3cret"}`, -1, nil},
		{"items not a list", `{"items":{"s3cret":1}}`, -1, nil},
		{"item not an object", `{"items":[{"id":"1","text":"a"},"s3cret"]}`, 1, nil},
		{"invalid time", `{"items":[{"id":"1","text":"a","timestamp":"s3cret"}]}`, 0, nil},
		{"invalid UTF-8", "{\"items\":[{\"id\":\"s3cret\xff\"}]}", -1, nil},
		{"no id", `{"items":[{"text":"s3cret"}]}`, 0, memory.ErrNoID},
		{"no text", `{"items":[{"id":"s3cret"}]}`, 0, items.ErrNoText},
		{"importance", `{"items":[{"id":"1","text":"a","importance":1.5}]}`, 0, items.ErrImportance},
		{"repeated id of an evicted item", `{"items":[{"id":"1","text":"a"},{"id":"2","text":"a"},{"id":"3","text":"a"},{"id":"1","text":"a"}]}`, 3, items.ErrDuplicateID},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, items.Options{MaxItems: 2})
			memorizeAll(t, s, 0.9, 0.1)
			before, version := slices.Collect(s.All()), s.Version()
			err := s.UnmarshalJSON([]byte(test.state))
			var damage *memory.StateError
			require.ErrorAs(t, err, &damage)
			require.Equal(t, test.index, damage.Index)
			require.NotContains(t, err.Error(), "s3cret")
			if test.want != nil {
				require.ErrorIs(t, err, test.want)
			}
			require.Equal(t, before, slices.Collect(s.All()))
			require.Equal(t, version, s.Version())
		})
	}
}

// FuzzState reads arbitrary bytes as a state. An invalid state changes nothing; a valid
// one respects the limits and survives another round trip.
func FuzzState(f *testing.F) {
	for _, seed := range []string{
		`{"items":[]}`,
		`null`,
		`{"step":9223372036854775807,"items":[{"id":"1","text":"a b","step_index":-9223372036854775808,"importance":1}]}`,
		`{"step":30,"items":[{"id":"1","text":"a","deleted":true},{"id":"2","text":"b","importance":0.9,"type":"goal"},{"id":"3","text":"c c c c c c c c c"}]}`,
		`{"items":[{"id":"\ud800","text":"\u0000\u2028<&>","timestamp":"0000-01-01T00:00:00+23:59","tags":["",""],"metadata":{"":""}}]}`,
		`{"items":[{"id":"1","text":"a"},{"id":"1","text":"a"}]}`,
		`{"items":[{"id":"1","text":"a","importance":-0.0}],"items":[{"id":"2","text":"a","importance":1e-400}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		opts := items.Options{MaxItems: 3, MaxTokens: 8}
		s := newStore(t, opts)
		memorizeAll(t, s, 0.1, 0.9)
		before, version := slices.Collect(s.All()), s.Version()
		if err := s.UnmarshalJSON(data); err != nil {
			_, typed := errors.AsType[*memory.StateError](err)
			require.True(t, typed)
			require.Equal(t, before, slices.Collect(s.All()))
			require.Equal(t, version, s.Version())
			return
		}
		require.LessOrEqual(t, s.Len(), 3)
		require.LessOrEqual(t, s.Tokens(), 8)
		for it := range s.All() {
			require.NotEmpty(t, it.ID)
			require.NotEmpty(t, it.Text)
			require.Equal(t, byWords(it.Text), it.Tokens)
			require.True(t, it.Importance >= 0 && it.Importance <= 1)
			for _, text := range slices.Concat([]string{it.ID, string(it.Type), it.Text, it.AgentID}, it.Tags) {
				require.True(t, utf8.ValidString(text))
			}
			require.Equal(t, it, get(t, s, it.ID))
		}
		written, err := json.Marshal(s)
		require.NoError(t, err)
		again := newStore(t, opts)
		require.NoError(t, json.Unmarshal(written, again))
		require.Equal(t, slices.Collect(s.All()), slices.Collect(again.All()))
		rewritten, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(written), string(rewritten))
	})
}
