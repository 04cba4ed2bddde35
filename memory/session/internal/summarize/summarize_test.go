package summarize_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

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

// held is a model that answers when it is let go, or its context ends.
func held() (writer *fixture.Model, letGo func()) {
	gate := make(chan struct{})
	return &fixture.Model{Answer: func(ctx context.Context, _ summary.Request) (string, error) {
		select {
		case <-gate:
			return "summary", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}}, func() { close(gate) }
}

func TestBackgroundSummariesDoNotDelayWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		writer, letGo := held()
		m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Mode: summary.InBackground, Summarizer: writer})
		at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
		assert.Equal(t, summary.Queued, at.Summary.Status)
		synctest.Wait()
		// While the summary is written the conversation goes on.
		assert.Equal(t, summary.Queued, fixture.Send(t, m, fixture.Long("i", 2)).Summary.Status)
		assert.Equal(t, summary.Queued, fixture.Send(t, m, fixture.Long("j", 2)).Summary.Status)
		fixture.Holds(t, m, "", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
		letGo()
		synctest.Wait()
		fixture.Holds(t, m, "summary", "e", "f", "g", "h", "i", "j")
		assert.Len(t, writer.Asked(), 1, "44 tokens are not over the threshold")
		require.NoError(t, m.Close(t.Context()))
	})
}

func TestCloseWaitsForSummaries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		writer := &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) {
			time.Sleep(time.Second)
			return "summary", nil
		}}
		m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Mode: summary.InBackground, Summarizer: writer, Workers: 2})
		const sessions = 7
		for i := range sessions {
			fixture.SendTo(t, m, fixture.KeyNo(i), fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
		}
		start := time.Now()
		require.NoError(t, m.Close(t.Context()))
		assert.Equal(t, 4*time.Second, time.Since(start), "two at a time")
		for i := range sessions {
			assert.Equal(t, "summary", fixture.Load(t, m, fixture.KeyNo(i)).Context)
		}
		// It still writes, but starts nothing any more.
		at := fixture.SendTo(t, m, fixture.KeyNo(0), fixture.Tens("i", "j", "k", "l")...)
		assert.Equal(t, summary.NotQueued, at.Summary.Status)
		require.NoError(t, m.Close(t.Context()))
	})
}

func TestCloseCancelsWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		writer, _ := held()
		store := memstore.New(nil)
		m := fixture.Summarizing(t, store, summary.Options{Mode: summary.InBackground, Summarizer: writer, Workers: 1, Timeout: time.Hour})
		for i := range 3 {
			fixture.SendTo(t, m, fixture.KeyNo(i), fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Equal(t, &session.CloseError{Summaries: 3, Err: context.DeadlineExceeded}, m.Close(ctx))
		assert.Len(t, writer.Asked(), 1)
		// All of them are summarised by the next write, also the one that was cancelled.
		next := fixture.Summarizing(t, store, summary.Options{Summarizer: &fixture.Model{}})
		for i := range 3 {
			assert.Len(t, fixture.Load(t, next, fixture.KeyNo(i)).Messages, 8)
			assert.Equal(t, summary.Done, fixture.SendTo(t, next, fixture.KeyNo(i), fixture.Long("i", 2)).Summary.Status)
		}
	})
}
