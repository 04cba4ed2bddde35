package strategy

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

const goodAnswer = `{"memories":[{"type":"episodic","text":" Anna flew to Rome. ","topics":["travel","travel"," air  fare, cheap"],"entities":["Anna","Rome",""],"event_date":"2026-03-01"}]}`

func TestReadAnswer(t *testing.T) {
	t.Parallel()
	good := []session.Record{{
		Type: session.RecordEpisodic, Text: "Anna flew to Rome.", Topics: []string{"travel", "air fare cheap"}, Entities: []string{"Anna", "Rome"},
		EventDate: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
	}}
	for _, tc := range []struct {
		name, answer string
		want         []session.Record
		err          error
	}{
		{"as asked", goodAnswer, good, nil},
		{"in a fence", "```json\n" + goodAnswer + "\n```", good, nil},
		{"in prose with braces", "Here {as you asked} it is: {\"a\": 1}\n" + goodAnswer + "\nIs {that} all?}", good, nil},
		{"after a draft", `<think>{"memories":[{"text":"no"}]}</think>` + goodAnswer, good, nil},
		{"no memories", `{"memories": []}`, nil, nil},
		{"text only", `{"memories":[{"text":"x"}]}`, []session.Record{{Text: "x"}}, nil},
		{"nulls", `{"memories":[{"text":"x","type":"semantic","topics":null,"entities":null,"event_date":null}]}`, []session.Record{{Text: "x", Type: session.RecordSemantic}}, nil},
		{"invalid date", `{"memories":[{"text":"x","event_date":"next week"}]}`, []session.Record{{Text: "x"}}, nil},
		{"date before year 0", `{"memories":[{"text":"x","event_date":"0000-01-01T00:00:00+23:00"}]}`, []session.Record{{Text: "x"}}, nil},
		{"empty text", `{"memories":[{"text":" "},{"text":"x"}]}`, []session.Record{{Text: "x"}}, nil},
		{"other fields", `{"memories":[{"id":"1","user_id":"bert","namespace":"bank","session_id":"s","persisted_at":"2026-01-01T00:00:00Z","pinned":true,"text":"x"}],"user_id":"y"}`, []session.Record{{Text: "x"}}, nil},
		{"long text", `{"memories":[{"text":"` + strings.Repeat("x", maxFoundBytes+1) + `"},{"text":"x"}]}`, []session.Record{{Text: "x"}}, nil},
		{"empty", "", nil, ErrAnswer},
		{"refusal", "I'm sorry, but I can't help with that.", nil, ErrAnswer},
		{"no list", `{"facts":[]}`, nil, ErrAnswer},
		{"a bare list", `[{"text":"x"}]`, nil, ErrAnswer},
		{"memories not a list", `{"memories":{"text":"x"}}`, nil, ErrAnswer},
		{"memories null", `{"memories":null}`, nil, ErrAnswer},
		{"memory not an object", `{"memories":["x"]}`, nil, ErrAnswer},
		{"text is a number", `{"memories":[{"text":1}]}`, nil, ErrAnswer},
		{"text is a list", `{"memories":[{"text":["x"]}]}`, nil, ErrAnswer},
		{"topics are a text", `{"memories":[{"text":"x","topics":"y"}]}`, nil, ErrAnswer},
		{"date is a number", `{"memories":[{"text":"x","event_date":1}]}`, nil, ErrAnswer},
		{"message", `{"memories":[{"type":"message","text":"x"}]}`, nil, ErrAnswer},
		{"two lists", `{"memories":[],"memories":[{"text":"x"}]}`, nil, ErrAnswer},
		{"cut off", goodAnswer[:len(goodAnswer)-3], nil, errCut},
		{"cut off in prose", "```json\n" + goodAnswer[:40], nil, errCut},
		{"not UTF-8", "{\"memories\":[{\"text\":\"\xff\"}]}", nil, ErrAnswer},
		{"too long", strings.Repeat(" ", maxAnswerBytes) + goodAnswer, nil, ErrAnswer},
		{"deep", strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000), nil, ErrAnswer},
		{"nothing but braces", strings.Repeat("{}", 100_000) + goodAnswer, nil, ErrAnswer},
		{"nothing but open braces", strings.Repeat("{ ", 100_000) + goodAnswer, nil, ErrAnswer},
	} {
		got, err := readAnswer(tc.answer)
		require.ErrorIs(t, err, tc.err, tc.name)
		require.Equal(t, tc.want, got, tc.name)
	}
}

func TestReadAnswerBoundsNames(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("%q", fmt.Sprint("topic ", i)))
	}
	got, err := readAnswer(`{"memories":[{"text":"x","topics":["` + strings.Repeat("y", maxTagBytes+1) + `",` + strings.Join(names, ",") + `]}]}`)
	require.NoError(t, err)
	require.Len(t, got[0].Topics, maxFoundTags)
	require.Equal(t, "topic 0", got[0].Topics[0])
}

func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{
		goodAnswer, "```json\n" + goodAnswer + "\n```", `{"memories":[]}`, `{"memories":[{"text":1}]}`, `{{"memories":[{}]}`, "I'm sorry", goodAnswer[:50],
		`{"memories":[{"text":"\u0000","type":"semantic","event_date":"2026-01-31T09:00:00+02:00"}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		records, err := readAnswer(answer)
		if err != nil {
			require.ErrorIs(t, err, ErrAnswer)
			require.Empty(t, records)
			return
		}
		for i := range records {
			r := records[i]
			require.LessOrEqual(t, len(r.Text), maxFoundBytes)
			require.True(t, utf8.ValidString(r.Text))
			require.LessOrEqual(t, len(r.Topics)+len(r.Entities), 2*maxFoundTags)
			for _, tag := range append(r.Topics, r.Entities...) {
				require.NotEmpty(t, tag)
				require.NotContains(t, tag, ",")
			}
			// Only the requested fields are read.
			require.Equal(t, session.Record{Type: r.Type, Text: r.Text, Topics: r.Topics, Entities: r.Entities, EventDate: r.EventDate}, r)
			r.ID = "id"
			require.NoError(t, driver.CheckRecord(&r))
		}
	})
}
