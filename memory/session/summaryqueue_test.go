package session_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

func keyNo(i int) session.Key { return session.Key{SessionID: fmt.Sprint("s-", i)} }

func sendTo(t testing.TB, m *session.Manager, key session.Key, messages ...session.Message) *session.Appended {
	t.Helper()
	appended, err := m.Append(t.Context(), key, messages, nil)
	require.NoError(t, err)
	return appended
}

// held is a model that answers when it is let go, or its context ends.
func held() (writer *model, letGo func()) {
	gate := make(chan struct{})
	return &model{answer: func(ctx context.Context, _ session.SummaryRequest) (string, error) {
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
		m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Mode: session.SummarizeInBackground, Summarizer: writer})
		at := send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...)
		assert.Equal(t, session.SummaryQueued, at.Summary.Status)
		synctest.Wait()
		// While the summary is written the conversation goes on.
		assert.Equal(t, session.SummaryQueued, send(t, m, long("i", 2)).Summary.Status)
		assert.Equal(t, session.SummaryQueued, send(t, m, long("j", 2)).Summary.Status)
		holds(t, m, "", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
		letGo()
		synctest.Wait()
		holds(t, m, "summary", "e", "f", "g", "h", "i", "j")
		assert.Len(t, writer.asked(), 1, "44 tokens are not over the threshold")
		require.NoError(t, m.Close(t.Context()))
	})
}

func TestCloseWaitsForSummaries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		writer := &model{answer: func(context.Context, session.SummaryRequest) (string, error) {
			time.Sleep(time.Second)
			return "summary", nil
		}}
		m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Mode: session.SummarizeInBackground, Summarizer: writer, Workers: 2})
		const sessions = 7
		for i := range sessions {
			sendTo(t, m, keyNo(i), tens("a", "b", "c", "d", "e", "f", "g", "h")...)
		}
		start := time.Now()
		require.NoError(t, m.Close(t.Context()))
		assert.Equal(t, 4*time.Second, time.Since(start), "two at a time")
		for i := range sessions {
			assert.Equal(t, "summary", load(t, m, keyNo(i)).Context)
		}
		// It still writes, but starts nothing any more.
		at := sendTo(t, m, keyNo(0), tens("i", "j", "k", "l")...)
		assert.Equal(t, session.SummaryNotQueued, at.Summary.Status)
		require.NoError(t, m.Close(t.Context()))
	})
}

func TestCloseCancelsWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		writer, _ := held()
		store := session.NewMemoryStore(nil)
		m := summarizing(t, store, session.Summaries{Mode: session.SummarizeInBackground, Summarizer: writer, Workers: 1, Timeout: time.Hour})
		for i := range 3 {
			sendTo(t, m, keyNo(i), tens("a", "b", "c", "d", "e", "f", "g", "h")...)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, m.Close(ctx), context.DeadlineExceeded)
		assert.Len(t, writer.asked(), 1)
		// All of them are summarised by the next write, also the one that was cancelled.
		next := summarizing(t, store, session.Summaries{Summarizer: &model{}})
		for i := range 3 {
			assert.Len(t, load(t, next, keyNo(i)).Messages, 8)
			assert.Equal(t, session.SummaryDone, sendTo(t, next, keyNo(i), long("i", 2)).Summary.Status)
		}
	})
}

func TestTheQueueIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		writer, letGo := held()
		m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{
			Mode: session.SummarizeInBackground, Summarizer: writer, Workers: 1, QueueLimit: 2,
		})
		var got []session.SummaryStatus
		for i := range 5 {
			got = append(got, sendTo(t, m, keyNo(i), tens("a", "b", "c", "d", "e", "f", "g", "h")...).Summary.Status)
			synctest.Wait()
		}
		queued, refused := session.SummaryQueued, session.SummaryNotQueued
		assert.Equal(t, []session.SummaryStatus{queued, queued, queued, refused, refused}, got, "one runs, two wait")
		letGo()
		synctest.Wait()
		assert.Equal(t, queued, sendTo(t, m, keyNo(4), long("i", 2)).Summary.Status, "the next write asks again")
		require.NoError(t, m.Close(t.Context()))
		assert.Equal(t, "summary", load(t, m, keyNo(4)).Context)
		assert.Empty(t, load(t, m, keyNo(3)).Context)
	})
}

// A session that goes over the threshold again while it is summarised has its turn
// again.
func TestASessionThatGrowsMeanwhileIsSummarisedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		writer, letGo := held()
		m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Mode: session.SummarizeInBackground, Summarizer: writer})
		send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...)
		synctest.Wait()
		send(t, m, tens("i", "j", "k", "l", "m", "n", "o", "p")...)
		letGo()
		synctest.Wait()
		holds(t, m, "summary", "m", "n", "o", "p")
		assert.Len(t, writer.asked(), 2)
		require.NoError(t, m.Close(t.Context()))
	})
}

func TestCloseWithoutSummariesIsNoError(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Mode: session.SummarizeInBackground})
	for range 100 {
		require.NoError(t, m.Close(ctx), "nothing was cancelled")
	}
}
