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

func TestInTheBackgroundAWriteDoesNotWait(t *testing.T) {
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

func TestTheQueueIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		writer, letGo := held()
		m := fixture.Summarizing(t, memstore.New(nil), summary.Options{
			Mode: summary.InBackground, Summarizer: writer, Workers: 1, QueueLimit: 2,
		})
		var got []summary.Status
		for i := range 5 {
			got = append(got, fixture.SendTo(t, m, fixture.KeyNo(i), fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...).Summary.Status)
			synctest.Wait()
		}
		queued, refused := summary.Queued, summary.NotQueued
		assert.Equal(t, []summary.Status{queued, queued, queued, refused, refused}, got, "one runs, two wait")
		letGo()
		synctest.Wait()
		assert.Equal(t, queued, fixture.SendTo(t, m, fixture.KeyNo(4), fixture.Long("i", 2)).Summary.Status, "the next write asks again")
		require.NoError(t, m.Close(t.Context()))
		assert.Equal(t, "summary", fixture.Load(t, m, fixture.KeyNo(4)).Context)
		assert.Empty(t, fixture.Load(t, m, fixture.KeyNo(3)).Context)
	})
}

// A session that goes over the threshold again while it is summarised has its turn
// again.
func TestASessionThatGrowsMeanwhileIsSummarisedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		writer, letGo := held()
		m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Mode: summary.InBackground, Summarizer: writer})
		fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
		synctest.Wait()
		fixture.Send(t, m, fixture.Tens("i", "j", "k", "l", "m", "n", "o", "p")...)
		letGo()
		synctest.Wait()
		fixture.Holds(t, m, "summary", "m", "n", "o", "p")
		assert.Len(t, writer.Asked(), 2)
		require.NoError(t, m.Close(t.Context()))
	})
}
