package summarize_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// loads is a store that knows how many messages were read.
type loads struct {
	driver.Store
	messages int
}

func (l *loads) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	r, err := l.Store.Load(ctx, key, last)
	if err == nil {
		l.messages += len(r.Messages)
	}
	return r, err
}

func TestAFailingModelIsNotAskedByEveryWrite(t *testing.T) {
	t.Parallel()
	clock := fixture.NewClock()
	store := &loads{Store: memstore.New(nil)}
	broken := &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) { return "", errors.New("broken") }}
	working := &fixture.Model{}
	m := fixture.SummarizingAt(t, store, summary.Options{Summarizer: broken, RetryAfter: time.Minute}, clock.Now)
	elsewhere := fixture.SummarizingAt(t, store, summary.Options{Summarizer: working, RetryAfter: time.Minute}, clock.Now)

	at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	require.Equal(t, summary.Failed, at.Summary.Status)
	assert.Equal(t, fixture.Load(t, m, fixture.Anna).Version(), at.Version())
	clock.Sleep(time.Minute - 1)
	store.messages = 0
	for _, writer := range []*session.Manager{m, elsewhere} {
		at = fixture.Send(t, writer, fixture.Long("i", 2))
		assert.Equal(t, summary.Outcome{Status: summary.Postponed}, at.Summary)
	}
	assert.Zero(t, store.messages, "what waits is not read again and again")
	assert.Len(t, broken.Asked(), 1)

	clock.Sleep(1)
	assert.Equal(t, summary.Failed, fixture.Send(t, m, fixture.Long("j", 2)).Summary.Status, "once more")
	assert.Equal(t, summary.Postponed, fixture.Send(t, elsewhere, fixture.Long("k", 2)).Summary.Status)
	clock.Sleep(time.Minute)
	assert.Equal(t, summary.Done, fixture.Send(t, elsewhere, fixture.Long("l", 2)).Summary.Status)
	fixture.Holds(t, m, "summary 1", "f", "g", "h", "i", "j", "k", "l")

}

func TestByHandNothingIsPostponed(t *testing.T) {
	t.Parallel()
	writer := &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) { return "", nil }}
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Summarizer: writer})
	fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	_, err := m.Summarize(t.Context(), fixture.Anna)
	require.ErrorIs(t, err, summary.ErrEmpty)
	assert.Equal(t, summary.Postponed, fixture.Send(t, m, fixture.Long("i", 2)).Summary.Status)
	writer.Answer = nil
	outcome, err := m.Summarize(t.Context(), fixture.Anna)
	require.NoError(t, err)
	assert.Equal(t, summary.Done, outcome.Status)
	assert.Equal(t, summary.Done, fixture.Send(t, m, fixture.Tens("j", "k", "l", "m")...).Summary.Status)
}

func TestAFailureOfAWrongClockPostponesNothing(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	ahead := func() time.Time { return fixture.Noon.Add(time.Hour) }
	broken := &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) { return "", nil }}
	at := fixture.Send(t, fixture.SummarizingAt(t, store, summary.Options{Summarizer: broken}, ahead), fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	require.Equal(t, summary.Failed, at.Summary.Status)
	m := fixture.Summarizing(t, store, summary.Options{Summarizer: &fixture.Model{}})
	assert.Equal(t, summary.Done, fixture.Send(t, m, fixture.Long("i", 2)).Summary.Status)
}

// Of those that go over the threshold at the same time one asks the model. The
// others have read that nothing is in the way, and find out when they lease.
func TestOneOfManyAsksAFailingModel(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	broken := &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) { return "", nil }}
	other := fixture.Summarizing(t, store, summary.Options{Summarizer: broken})
	first := true
	between := &interleaved{Store: store}
	m := fixture.Summarizing(t, between, summary.Options{Summarizer: broken})
	between.happens = func() {
		if first {
			first = false
			assert.Equal(t, summary.Failed, fixture.Send(t, other, fixture.Long("i", 2)).Summary.Status)
		}
	}
	assert.Equal(t, summary.Postponed, fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...).Summary.Status)
	assert.Len(t, broken.Asked(), 1)
}

// interleaved lets something happen after all messages were read.
type interleaved struct {
	driver.Store
	happens func()
}

func (i *interleaved) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
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
		m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Summarizer: writer})
		at, err := m.Append(ctx, fixture.Anna, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h"), nil)
		require.NoError(t, err)
		require.ErrorIs(t, at.Summary.Err, context.DeadlineExceeded)
		assert.Equal(t, summary.Postponed, fixture.Send(t, m, fixture.Long("i", 2)).Summary.Status)
	})
}

// What happens before a summary may take as long as it does: the lease lasts for
// the model's answer all the same.
func TestTheLeaseOutlastsBefore(t *testing.T) {
	t.Parallel()
	clock := fixture.NewClock()
	store := memstore.New(nil)
	idle := &fixture.Model{}
	other := fixture.SummarizingAt(t, store, summary.Options{Summarizer: idle}, clock.Now)
	writer := fixture.During(t, func() {
		clock.Sleep(summary.DefaultTimeout)
		assert.Equal(t, summary.Leased, fixture.Send(t, other, fixture.Long("i", 2)).Summary.Status)
	})
	m := fixture.SummarizingAt(t, store, summary.Options{Summarizer: writer, Before: func(context.Context, session.Key, []session.Message) error {
		clock.Sleep(summary.DefaultTimeout)
		return nil
	}}, clock.Now)
	assert.Equal(t, summary.Done, fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...).Summary.Status)
	assert.Empty(t, idle.Asked())
}

// conflicting lets something happen before a write, so that it conflicts.
type conflicting struct {
	driver.Store
	happens func(w driver.Write)
}

func (c *conflicting) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	c.happens(w)
	return c.Store.Write(ctx, key, w)
}

// Whichever write of a summary conflicts with another one, it is tried again.
func TestASummaryGoesOnAfterConflicts(t *testing.T) {
	t.Parallel()
	store := &conflicting{Store: memstore.New(nil)}
	other := fixture.Summarizing(t, store.Store, summary.Options{Mode: summary.Off})
	writes := 0
	store.happens = func(driver.Write) {
		if writes++; writes%2 == 1 {
			fixture.ChangeHead(t, other, func(s *session.Session) { s.Data = map[string]any{"writes": writes} })
		}
	}
	writer := &fixture.Model{}
	m := fixture.Summarizing(t, store, summary.Options{Summarizer: writer, InputTokens: 256})
	at := fixture.Send(t, m, fixture.Long("a", 250), fixture.Long("b", 2))
	require.NoError(t, at.Summary.Err)
	assert.Equal(t, summary.Done, at.Summary.Status)
	require.Len(t, writer.Asked(), 2)
	assert.Equal(t, 2*3, writes, "lease, renewal, commit: each twice")
	fixture.Holds(t, m, "summary 2", "b")
	assert.Equal(t, summary.Done, fixture.Send(t, m, fixture.Long("c", 90)).Summary.Status, "nothing is leased")
}

// Whichever write of a summary fails, nothing is leased afterwards.
func TestAWriteThatFailsGivesTheLeaseBack(t *testing.T) {
	t.Parallel()
	for at := 1; at <= 3; at++ { // lease, renewal, commit
		store := &fixture.Failing{Store: memstore.New(nil), At: at}
		m := fixture.Summarizing(t, store, summary.Options{Summarizer: &fixture.Model{}, InputTokens: 256})
		require.ErrorIs(t, fixture.Send(t, m, fixture.Long("a", 250), fixture.Long("b", 2)).Summary.Err, session.ErrUnavailable)
		fixture.Holds(t, m, "", "a", "b")
		outcome, err := m.Summarize(t.Context(), fixture.Anna)
		require.NoError(t, err)
		assert.Equal(t, summary.Done, outcome.Status, "write %d", at)
	}
}
