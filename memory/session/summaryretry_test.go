package session_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// loads is a store that knows how many messages were read.
type loads struct {
	session.Store
	messages int
}

func (l *loads) Load(ctx context.Context, key session.Key, last int) (*session.Record, error) {
	r, err := l.Store.Load(ctx, key, last)
	if err == nil {
		l.messages += len(r.Messages)
	}
	return r, err
}

func TestAFailingModelIsNotAskedByEveryWrite(t *testing.T) {
	t.Parallel()
	clock := newClock()
	store := &loads{Store: session.NewMemoryStore(nil)}
	broken := &model{answer: func(context.Context, session.SummaryRequest) (string, error) { return "", errors.New("broken") }}
	working := &model{}
	m := summarizingAt(t, store, session.Summaries{Summarizer: broken, RetryAfter: time.Minute}, clock.Now)
	elsewhere := summarizingAt(t, store, session.Summaries{Summarizer: working, RetryAfter: time.Minute}, clock.Now)

	at := send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	require.Equal(t, session.SummaryFailed, at.Summary.Status)
	assert.Equal(t, load(t, m, anna).Version(), at.Version())
	clock.Sleep(time.Minute - 1)
	store.messages = 0
	for _, writer := range []*session.Manager{m, elsewhere} {
		at = send(t, writer, long("i", 2))
		assert.Equal(t, session.SummaryOutcome{Status: session.SummaryPostponed}, at.Summary)
	}
	assert.Zero(t, store.messages, "what waits is not read again and again")
	assert.Len(t, broken.asked(), 1)

	clock.Sleep(1)
	assert.Equal(t, session.SummaryFailed, send(t, m, long("j", 2)).Summary.Status, "once more")
	assert.Equal(t, session.SummaryPostponed, send(t, elsewhere, long("k", 2)).Summary.Status)
	clock.Sleep(time.Minute)
	assert.Equal(t, session.SummaryDone, send(t, elsewhere, long("l", 2)).Summary.Status)
	holds(t, m, "summary 1", "f", "g", "h", "i", "j", "k", "l")

}

func TestByHandNothingIsPostponed(t *testing.T) {
	t.Parallel()
	writer := &model{answer: func(context.Context, session.SummaryRequest) (string, error) { return "", nil }}
	m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Summarizer: writer})
	send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	_, err := m.Summarize(t.Context(), anna)
	require.ErrorIs(t, err, session.ErrNoSummary)
	assert.Equal(t, session.SummaryPostponed, send(t, m, long("i", 2)).Summary.Status)
	writer.answer = nil
	outcome, err := m.Summarize(t.Context(), anna)
	require.NoError(t, err)
	assert.Equal(t, session.SummaryDone, outcome.Status)
	assert.Equal(t, session.SummaryDone, send(t, m, tens("j", "k", "l", "m")...).Summary.Status)
}

func TestAFailureOfAWrongClockPostponesNothing(t *testing.T) {
	t.Parallel()
	store := session.NewMemoryStore(nil)
	ahead := func() time.Time { return noon.Add(time.Hour) }
	broken := &model{answer: func(context.Context, session.SummaryRequest) (string, error) { return "", nil }}
	at := send(t, summarizingAt(t, store, session.Summaries{Summarizer: broken}, ahead), tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	require.Equal(t, session.SummaryFailed, at.Summary.Status)
	m := summarizing(t, store, session.Summaries{Summarizer: &model{}})
	assert.Equal(t, session.SummaryDone, send(t, m, long("i", 2)).Summary.Status)
}

// Of those that go over the threshold at the same time one asks the model. The
// others have read that nothing is in the way, and find out when they lease.
func TestOneOfManyAsksAFailingModel(t *testing.T) {
	t.Parallel()
	store := session.NewMemoryStore(nil)
	broken := &model{answer: func(context.Context, session.SummaryRequest) (string, error) { return "", nil }}
	other := summarizing(t, store, session.Summaries{Summarizer: broken})
	first := true
	between := &interleaved{Store: store}
	m := summarizing(t, between, session.Summaries{Summarizer: broken})
	between.happens = func() {
		if first {
			first = false
			assert.Equal(t, session.SummaryFailed, send(t, other, long("i", 2)).Summary.Status)
		}
	}
	assert.Equal(t, session.SummaryPostponed, send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...).Summary.Status)
	assert.Len(t, broken.asked(), 1)
}

// interleaved lets something happen after all messages were read.
type interleaved struct {
	session.Store
	happens func()
}

func (i *interleaved) Load(ctx context.Context, key session.Key, last int) (*session.Record, error) {
	r, err := i.Store.Load(ctx, key, last)
	if last < 0 {
		i.happens()
	}
	return r, err
}

func TestAWriteThatTakesTooLongPostpones(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		writer, _ := held()
		m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Summarizer: writer})
		at, err := m.Append(ctx, anna, tens("a", "b", "c", "d", "e", "f", "g", "h"), nil)
		require.NoError(t, err)
		require.ErrorIs(t, at.Summary.Err, context.DeadlineExceeded)
		assert.Equal(t, session.SummaryPostponed, send(t, m, long("i", 2)).Summary.Status)
	})
}

func TestPanicsOfCallbacksLoseNothing(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	m, err := session.NewManager(session.NewMemoryStore(nil), &session.Options{
		Counter: wordCounter{}, Window: 100, Logger: slog.New(slog.NewTextHandler(&log, nil)), Now: newClock().Now,
		Summaries: session.Summaries{
			Mode: session.SummarizeInBackground, Summarizer: &model{},
			Before:    func(context.Context, session.Key, []session.Message) error { panic("secret") },
			OnSummary: func(session.Key, session.SummaryOutcome) { panic("secret") },
		},
	})
	require.NoError(t, err)
	assert.Equal(t, session.SummaryQueued, send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...).Summary.Status)
	require.NoError(t, m.Close(t.Context()))
	outcome, err := m.Summarize(t.Context(), anna)
	require.ErrorIs(t, err, memory.ErrPanic)
	assert.Equal(t, session.SummaryFailed, outcome.Status)
	holds(t, m, "", "a", "b", "c", "d", "e", "f", "g", "h")
	assert.Contains(t, log.String(), "OnSummary failed")
	assert.NotContains(t, log.String(), "secret")
}

// What happens before a summary may take as long as it does: the lease lasts for
// the model's answer all the same.
func TestTheLeaseOutlastsBefore(t *testing.T) {
	t.Parallel()
	clock := newClock()
	store := session.NewMemoryStore(nil)
	idle := &model{}
	other := summarizingAt(t, store, session.Summaries{Summarizer: idle}, clock.Now)
	writer := during(t, func() {
		clock.Sleep(session.DefaultTimeout)
		assert.Equal(t, session.SummaryLeased, send(t, other, long("i", 2)).Summary.Status)
	})
	m := summarizingAt(t, store, session.Summaries{Summarizer: writer, Before: func(context.Context, session.Key, []session.Message) error {
		clock.Sleep(session.DefaultTimeout)
		return nil
	}}, clock.Now)
	assert.Equal(t, session.SummaryDone, send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...).Summary.Status)
	assert.Empty(t, idle.asked())
}

// conflicting lets something happen before a write, so that it conflicts.
type conflicting struct {
	session.Store
	happens func(w session.Write)
}

func (c *conflicting) Write(ctx context.Context, key session.Key, w session.Write) (session.Position, error) {
	c.happens(w)
	return c.Store.Write(ctx, key, w)
}

// Whichever write of a summary conflicts with another one, it is tried again.
func TestASummaryGoesOnAfterConflicts(t *testing.T) {
	t.Parallel()
	store := &conflicting{Store: session.NewMemoryStore(nil)}
	other := summarizing(t, store.Store, session.Summaries{Mode: session.SummarizeOff})
	writes := 0
	store.happens = func(session.Write) {
		if writes++; writes%2 == 1 {
			head(t, other, func(s *session.Session) { s.Data = map[string]any{"writes": writes} })
		}
	}
	writer := &model{}
	m := summarizing(t, store, session.Summaries{Summarizer: writer, InputTokens: 256})
	at := send(t, m, long("a", 250), long("b", 2))
	require.NoError(t, at.Summary.Err)
	assert.Equal(t, session.SummaryDone, at.Summary.Status)
	require.Len(t, writer.asked(), 2)
	assert.Equal(t, 2*3, writes, "lease, renewal, commit: each twice")
	holds(t, m, "summary 2", "b")
	assert.Equal(t, session.SummaryDone, send(t, m, long("c", 90)).Summary.Status, "nothing is leased")
}

// failing is a store of which one write fails.
type failing struct {
	session.Store
	at, writes int
}

func (f *failing) Write(ctx context.Context, key session.Key, w session.Write) (session.Position, error) {
	if f.writes++; f.writes == f.at {
		return session.Position{}, session.ErrUnavailable
	}
	return f.Store.Write(ctx, key, w)
}

// Whichever write of a summary fails, nothing is leased afterwards.
func TestAWriteThatFailsGivesTheLeaseBack(t *testing.T) {
	t.Parallel()
	for at := 1; at <= 3; at++ { // lease, renewal, commit
		store := &failing{Store: session.NewMemoryStore(nil), at: at}
		m := summarizing(t, store, session.Summaries{Summarizer: &model{}, InputTokens: 256})
		require.ErrorIs(t, send(t, m, long("a", 250), long("b", 2)).Summary.Err, session.ErrUnavailable)
		holds(t, m, "", "a", "b")
		outcome, err := m.Summarize(t.Context(), anna)
		require.NoError(t, err)
		assert.Equal(t, session.SummaryDone, outcome.Status, "write %d", at)
	}
}
