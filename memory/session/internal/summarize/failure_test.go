package summarize_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
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

func TestACancelledWriteGivesItsLeaseBack(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	writer := &fixture.Model{Answer: func(ctx context.Context, _ summary.Request) (string, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	}}
	store := memstore.New(nil)
	at, err := fixture.Summarizing(t, store, summary.Options{Summarizer: writer}).Append(ctx, fixture.Anna, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h"), nil)
	require.NoError(t, err, "the messages were written")
	require.ErrorIs(t, at.Summary.Err, context.Canceled)
	other := fixture.Summarizing(t, store, summary.Options{Summarizer: &fixture.Model{}})
	assert.Equal(t, summary.Done, fixture.Send(t, other, fixture.Long("i", 2)).Summary.Status)
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
