package summarize_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

func TestAboveTheThresholdTheOldestLeave(t *testing.T) {
	t.Parallel()
	writer := &fixture.Model{}
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Summarizer: writer})
	at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g")...)
	assert.Equal(t, summary.Outcome{}, at.Summary, "exactly at the threshold")
	assert.Empty(t, writer.Asked())

	at = fixture.Send(t, m, fixture.Long("h", 2))
	assert.Equal(t, summary.Done, at.Summary.Status)
	assert.Equal(t, 4, at.Summary.Messages)
	assert.Equal(t, 2, at.Summary.Tokens)
	assert.Equal(t, 32, at.Tokens(), "where the session stands after the summary")
	fixture.Holds(t, m, "summary 1", "e", "f", "g", "h")
	assert.Equal(t, fixture.Load(t, m, fixture.Anna).Version(), at.Version())

	var want []string
	for _, message := range fixture.Tens("a", "b", "c", "d") {
		want = append(want, message.Text())
	}
	assert.Equal(t, []summary.Request{{Messages: want, MaxTokens: 25}}, writer.Asked())
}

func TestThePreviousSummaryIsCarriedOn(t *testing.T) {
	t.Parallel()
	writer := &fixture.Model{}
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Summarizer: writer})
	fixture.Send(t, m, fixture.Tens("A1", "b", "c", "d", "e", "f", "g", "h")...)
	fixture.Holds(t, m, "summary 1\n\nIdentifiers: A1", "e", "f", "g", "h")
	fixture.Send(t, m, fixture.Tens("i", "j", "k", "l")...)
	fixture.Holds(t, m, "summary 2\n\nIdentifiers: A1", "i", "j", "k", "l")
	asked := writer.Asked()
	require.Len(t, asked, 2)
	assert.Equal(t, "summary 1", asked[1].Previous, "without the identifiers")
	assert.Len(t, asked[1].Messages, 4)
}

func TestSummarizeByHand(t *testing.T) {
	t.Parallel()
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Mode: summary.Off, Summarizer: &fixture.Model{}})
	_, err := m.Summarize(t.Context(), fixture.Anna)
	require.ErrorIs(t, err, session.ErrNotFound)
	_, err = m.Summarize(t.Context(), session.Key{})
	require.ErrorIs(t, err, session.ErrKey)

	assert.Equal(t, summary.None, fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...).Summary.Status, "off")
	outcome, err := m.Summarize(t.Context(), fixture.Anna)
	require.NoError(t, err)
	assert.Equal(t, 4, outcome.Messages)
	fixture.Holds(t, m, "summary 1", "e", "f", "g", "h")
	outcome, err = m.Summarize(t.Context(), fixture.Anna)
	require.NoError(t, err)
	assert.Equal(t, summary.None, outcome.Status, "what is within Keep stays")
	fixture.Send(t, m, fixture.Long("i", 2))
	outcome, err = m.Summarize(t.Context(), fixture.Anna)
	require.NoError(t, err)
	assert.Equal(t, 1, outcome.Messages, "below the threshold too")
}

func TestOnSummaryReceivesOutcomes(t *testing.T) {
	t.Parallel()
	var outcomes []string
	writer := &fixture.Model{}
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{
		Summarizer: writer,
		OnSummary: func(key session.Key, o summary.Outcome) {
			outcomes = append(outcomes, fmt.Sprintf("%s %s %d", key.SessionID, o.Status, o.Messages))
		},
	})
	fixture.Send(t, m, fixture.Tens("a", "b", "c", "d")...)
	fixture.Send(t, m, fixture.Tens("e", "f", "g", "h")...)
	writer.Answer = func(context.Context, summary.Request) (string, error) { return "", nil }
	fixture.Send(t, m, fixture.Tens("i", "j", "k", "l")...)
	assert.Equal(t, []string{"s-1 done 4", "s-1 failed 0"}, outcomes)
}
