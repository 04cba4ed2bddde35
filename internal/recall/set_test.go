package recall_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/recall"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// Two memories of anna's, one of ben's.
const memories = `
{"id":"seat","namespace":"n","user":"anna","session":"s","created":"2025-01-01","topics":["travel"],"text":"She likes a window seat."}
{"id":"seat2","namespace":"n","user":"anna","session":"s","created":"2025-06-01","topics":["work"],"text":"Her seat is on the fourth floor."}
{"id":"bens","namespace":"n","user":"ben","session":"s","created":"2025-01-01","topics":["travel"],"text":"He likes an aisle seat."}
`

func TestRead(t *testing.T) {
	t.Parallel()
	set, err := recall.Read(strings.NewReader(memories), strings.NewReader(
		`{"form":"direct","namespace":"n","user":"anna","after":"2025-06-01","text":"seat","answers":["seat2"]}
		 {"form":"question","namespace":"n","before":"2025-06-01","topic":"travel","text":"Which seat?","answers":["bens","seat"]}`))
	require.NoError(t, err)
	require.Len(t, set.Memories, 3)
	require.Len(t, set.Queries, 2)
	assert.Equal(t, longterm.Of("n", "anna"), set.Queries[0].Scope)
	assert.Equal(t, longterm.OfNamespace("n"), set.Queries[1].Scope)
	var passed []string
	for _, m := range set.Memories {
		for i, q := range set.Queries {
			if q.Filter.Matches(&m) {
				passed = append(passed, m.ID+[]string{" first", " second"}[i])
			}
		}
	}
	assert.Equal(t, []string{"seat second", "seat2 first", "bens second"}, passed)
}

func TestReadRefusesBadLabels(t *testing.T) {
	t.Parallel()
	const asked = `{"form":"direct","namespace":"n","user":"anna","text":"seat","answers":["seat"]}`
	for _, tc := range []struct{ name, query, want string }{
		{"no such memory", `{"form":"direct","namespace":"n","text":"seat","answers":["none"]}`, `no memory "none"`},
		{"more than can be found", `{"form":"direct","namespace":"n","text":"seat","answers":["a","b","c","d","e","f"]}`, "6 answers"},
		{"an answer twice", `{"form":"direct","namespace":"n","text":"seat","answers":["seat","seat"]}`, "duplicate answer"},
		{"another user's", `{"form":"direct","namespace":"n","user":"anna","text":"seat","answers":["bens"]}`, "not in the scope"},
		{"another topic", `{"form":"direct","namespace":"n","topic":"food","text":"seat","answers":["seat"]}`, "does not pass the filter"},
		{"no such form", `{"form":"loud","namespace":"n","text":"seat","answers":["seat"]}`, `unknown form "loud"`},
		{"no words", `{"form":"direct","namespace":"n","text":" ?","answers":["seat"]}`, "no words"},
		{"a question twice", asked + asked, "question 2: duplicate question"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := recall.Read(strings.NewReader(memories), strings.NewReader(tc.query))
			require.ErrorContains(t, err, tc.want)
		})
	}
	for _, tc := range []struct{ name, memory, want string }{
		{"an id twice", `{"id":"seat","namespace":"m","created":"2025-01-01","text":"Again."}`, "memory 4: duplicate id"},
		{"no text", `{"id":"x","namespace":"n","created":"2025-01-01","text":" "}`, "no text"},
		{"another field", `{"id":"x","name":"n","created":"2025-01-01","text":"Today."}`, "name"},
	} {
		t.Run("memory: "+tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := recall.Read(strings.NewReader(memories+tc.memory), strings.NewReader(asked))
			require.ErrorContains(t, err, tc.want)
		})
	}
}
