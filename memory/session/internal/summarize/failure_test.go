package summarize_test

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
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

func TestAFailingSummarizerLosesNothing(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	saying := func(text string, err error) func(context.Context, summary.Request) (string, error) {
		return func(context.Context, summary.Request) (string, error) { return text, err }
	}
	for _, tc := range []struct {
		name   string
		answer func(context.Context, summary.Request) (string, error)
		want   error
		text   string
	}{
		{"failing", saying("half a summary", broken), broken, "broken"},
		{"empty", saying("", nil), summary.ErrEmpty, ""},
		{"blank", saying(" \n\t ", nil), summary.ErrEmpty, ""},
		{"refusing", saying("I'm sorry, but I can't assist with that.", nil), summary.ErrRefused, ""},
		{"slow", func(ctx context.Context, _ summary.Request) (string, error) {
			<-ctx.Done()
			return "too late", ctx.Err()
		}, context.DeadlineExceeded, ""},
		{"panicking", func(context.Context, summary.Request) (string, error) { panic("boom") }, memory.ErrPanic, "panicked: string"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			writer := &fixture.Model{Answer: tc.answer}
			clock := fixture.NewClock()
			m := fixture.SummarizingAt(t, memstore.New(nil), summary.Options{Summarizer: writer, Timeout: 10 * time.Millisecond}, clock.Now)
			_, err := m.UpdateHead(t.Context(), fixture.Anna, func(s *session.Session) error {
				s.Context = "before"
				return nil
			}, nil)
			require.NoError(t, err)

			at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
			assert.Equal(t, summary.Failed, at.Summary.Status)
			require.ErrorIs(t, at.Summary.Err, tc.want)
			require.ErrorContains(t, at.Summary.Err, tc.text)
			assert.NotContains(t, at.Summary.Err.Error(), "boom")
			fixture.Holds(t, m, "before", "a", "b", "c", "d", "e", "f", "g", "h")
			assert.Equal(t, fixture.Load(t, m, fixture.Anna).Version(), at.Version())

			writer.SetAnswer(nil)
			clock.Sleep(summary.DefaultRetryAfter)
			assert.Equal(t, summary.Done, fixture.Send(t, m, fixture.Long("i", 2)).Summary.Status, "a later write tries again")
			fixture.Holds(t, m, "summary 2", "f", "g", "h", "i")
			assert.Equal(t, "before", writer.Asked()[1].Previous)
		})
	}
}

func TestBeforeSeesWhatLeaves(t *testing.T) {
	t.Parallel()
	fail := errors.New("not indexed")
	var err error
	var seen [][]string
	writer := &fixture.Model{}
	clock := fixture.NewClock()
	m := fixture.SummarizingAt(t, memstore.New(nil), summary.Options{
		Summarizer: writer,
		Before: func(_ context.Context, key session.Key, messages []session.Message) error {
			assert.Equal(t, fixture.Anna, key)
			seen = append(seen, fixture.IDs(messages))
			messages[0].Content = "not the session's"
			return err
		},
	}, clock.Now)
	err = fail
	at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	require.ErrorIs(t, at.Summary.Err, fail)
	assert.Empty(t, writer.Asked())
	fixture.Holds(t, m, "", "a", "b", "c", "d", "e", "f", "g", "h")
	err = nil
	clock.Sleep(summary.DefaultRetryAfter)
	fixture.Send(t, m, fixture.Long("i", 2))
	assert.Equal(t, [][]string{{"a", "b", "c", "d"}, {"a", "b", "c", "d", "e"}}, seen)
	assert.Equal(t, fixture.Tens("a")[0].Content, writer.Asked()[0].Messages[0][len("user: "):])
}

// Models and hooks may quote in their errors what they were given.
func TestLogsHaveNoContents(t *testing.T) {
	t.Parallel()
	quoting := errors.New("cannot read: secret1")
	for name, s := range map[string]summary.Options{
		"the summarizer fails":  {Summarizer: &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) { return "", quoting }}},
		"the summarizer panics": {Summarizer: &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) { panic(quoting) }}},
		"Before fails":          {Before: func(context.Context, session.Key, []session.Message) error { return quoting }},
		"Before panics":         {Before: func(context.Context, session.Key, []session.Message) error { panic(quoting) }},
		"OnSummary panics":      {Summarizer: fixture.During(t, func() {}), OnSummary: func(session.Key, summary.Outcome) { panic(quoting) }},
		"identifiers are lost":  {Summarizer: fixture.During(t, func() {})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			m, err := session.NewManager(memstore.New(nil), &session.Options{
				Counter: fixture.WordCounter{}, Window: 8, Logger: slog.New(slog.NewTextHandler(&log, nil)), Summaries: s,
			})
			require.NoError(t, err)
			fixture.Send(t, m, fixture.Says("", session.RoleUser, "secret1"), fixture.Says("", session.RoleUser, "secret2"), fixture.Says("", session.RoleUser, "x x x"))
			assert.Contains(t, log.String(), "level=WARN")
			assert.Contains(t, log.String(), "shop/anna/s-1")
			assert.NotContains(t, log.String(), "secret")
		})
	}
}

func TestAFailingModelIsNotAskedByEveryWrite(t *testing.T) {
	t.Parallel()
	clock := fixture.NewClock()
	reads := 0
	store := &interleaved{Store: memstore.New(nil), happens: func() { reads++ }}
	broken := &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) { return "", errors.New("broken") }}
	working := &fixture.Model{}
	m := fixture.SummarizingAt(t, store, summary.Options{Summarizer: broken, RetryAfter: time.Minute}, clock.Now)
	elsewhere := fixture.SummarizingAt(t, store, summary.Options{Summarizer: working, RetryAfter: time.Minute}, clock.Now)

	at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	require.Equal(t, summary.Failed, at.Summary.Status)
	assert.Equal(t, fixture.Load(t, m, fixture.Anna).Version(), at.Version())
	clock.Sleep(time.Minute - 1)
	reads = 0
	for _, writer := range []*session.Manager{m, elsewhere} {
		at = fixture.Send(t, writer, fixture.Long("i", 2))
		assert.Equal(t, summary.Outcome{Status: summary.Postponed}, at.Summary)
	}
	assert.Zero(t, reads, "what waits is not read again and again")
	assert.Len(t, broken.Asked(), 1)

	clock.Sleep(1)
	assert.Equal(t, summary.Failed, fixture.Send(t, m, fixture.Long("j", 2)).Summary.Status, "once more")
	assert.Equal(t, summary.Postponed, fixture.Send(t, elsewhere, fixture.Long("k", 2)).Summary.Status)
	clock.Sleep(time.Minute)
	assert.Equal(t, summary.Done, fixture.Send(t, elsewhere, fixture.Long("l", 2)).Summary.Status)
	fixture.Holds(t, m, "summary 1", "f", "g", "h", "i", "j", "k", "l")
}

func TestSummarizeIgnoresRetryAfter(t *testing.T) {
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
func TestOneWriterAsksAFailingModel(t *testing.T) {
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

// interleaved calls a function after all messages were read.
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

// Before may take long: the lease is renewed before the model is asked.
func TestLeaseOutlastsBefore(t *testing.T) {
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

// A failure of any write of a summary leaves no lease.
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
