package session_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

func summarizer(s session.Summaries) func(*session.Options) {
	return func(o *session.Options) { o.Summaries = s }
}

// What a summary is about to drop is extracted from and kept before, whoever is at it.
func TestMessagesThatLeaveWerePromotedBefore(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	writer := &model{answer: func(context.Context, session.SummaryRequest) (string, error) {
		assert.Subset(t, l.keptMessages(), []string{"a", "b", "c", "d"})
		return "summary", nil
	}}
	m := promoting(t, store, l, clock.Now, summarizer(session.Summaries{Summarizer: writer}))
	at := send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	require.Equal(t, session.SummaryDone, at.Summary.Status, "%v", at.Summary.Err)
	s := load(t, m, anna)
	assert.Equal(t, []string{"e", "f", "g", "h"}, ids(s.Messages))
	assert.Len(t, s.Memories, 4)
	assert.EqualValues(t, 5, s.Progress.Kept)
	assert.EqualValues(t, 5, s.Progress.Extracted)
	assert.Empty(t, l.has(), "memories wait for the background")
	assert.Len(t, due(t, m), 1)
	assert.Equal(t, session.PromotionOutcome{Extracted: 4, Memories: 8, Messages: 4}, promoteNow(t, m))
	// What was promoted is not promoted again when it leaves.
	extracted, promoted := l.asked()
	send(t, m, tens("i", "j", "k", "l")...)
	promoteNow(t, m)
	assert.Equal(t, []string{"i", "j", "k"}, ids(l.extractions[extracted].Messages))
	assert.Equal(t, []string{"i", "j", "k"}, ids(l.promotions[promoted].Messages))
}

func TestMessagesStayIfTheyCannotBePromoted(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"extract", "promote"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			store, clock := clocked()
			l := newLongTerm(all)
			l.fail(failingAt(call, errModel))
			m := promoting(t, store, l, clock.Now, summarizer(session.Summaries{Summarizer: &model{}}))
			at := send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...)
			assert.Equal(t, session.SummaryFailed, at.Summary.Status)
			require.ErrorIs(t, at.Summary.Err, errModel)
			assert.Len(t, load(t, m, anna).Messages, 8)
			l.fail(nil)
			clock.Sleep(session.DefaultRetryAfter)
			assert.Equal(t, session.SummaryDone, send(t, m, long("i", 1)).Summary.Status)
			promoteNow(t, m)
			assert.Len(t, l.keptMessages(), 9)
			assert.Len(t, l.has(), 9)
		})
	}
}

// A worker is at the messages that are about to leave: both keep them, one commits what
// was extracted.
func TestASummaryDoesNotWaitForAPromotion(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"extract", "promote"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			store, clock := clocked()
			l := newLongTerm(all)
			worker := promoting(t, store, l, clock.Now)
			m := promoting(t, store, l, clock.Now, summarizer(session.Summaries{Summarizer: &model{}}))
			send(t, worker, tens("a", "b", "c", "d", "e", "f", "g", "h")...)
			extracted := 0
			l.once(call, func() {
				outcome, err := m.Summarize(t.Context(), anna)
				assert.NoError(t, err)
				assert.Equal(t, session.SummaryDone, outcome.Status)
				extracted = len(load(t, m, anna).Memories)
			})
			outcome := promoteNow(t, worker)
			s := load(t, m, anna)
			assert.Equal(t, []string{"e", "f", "g", "h"}, ids(s.Messages))
			assert.Len(t, s.Memories, 8)
			assert.Len(t, l.has(), 8)
			assert.ElementsMatch(t, []string{"a", "b", "c", "d", "e", "f", "g", "h"}, l.keptMessages())
			assert.Equal(t, session.Progress{Kept: 9, Extracted: 9}, s.Progress)
			if call == "extract" {
				assert.Equal(t, 8-extracted, outcome.Extracted)
			}
		})
	}
}

// The LongTerm failed when a session that had expired was appended to: it is rebuilt
// before any of the new messages leaves.
func TestASummaryOfASessionThatIsStillToBeRestored(t *testing.T) {
	t.Parallel()
	for name, had := range map[string][]string{"rebuilt": {"a", "b", "c", "d", "e"}, "new": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, store, l, clock := expired(t)
			if had == nil {
				require.NoError(t, m.Delete(t.Context(), anna))
			}
			l.fail(failingAt("messages", errModel))
			send(t, m, tens("k", "l", "m", "n", "o", "p", "q", "r")...)
			l.fail(nil)
			other := promoting(t, store, l, clock.Now, summarizer(session.Summaries{Summarizer: &model{}}))
			outcome, err := other.Summarize(t.Context(), anna)
			require.NoError(t, err)
			if had != nil {
				assert.Equal(t, session.SummaryOutrun, outcome.Status)
				assert.Equal(t, had, ids(load(t, m, anna).Messages[:5]))
				outcome, err = other.Summarize(t.Context(), anna)
				require.NoError(t, err)
			}
			assert.Equal(t, session.SummaryDone, outcome.Status)
			assert.Equal(t, []string{"o", "p", "q", "r"}, ids(load(t, m, anna).Messages))
			promoteNow(t, m)
			assert.Equal(t, append(had, "k", "l", "m", "n", "o", "p", "q", "r"), l.keptMessages())
		})
	}
}

func TestASessionThatIsDeletedBeforeItsSummary(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	m := promoting(t, store, l, clock.Now)
	other := promoting(t, store, l, clock.Now, summarizer(session.Summaries{Summarizer: &model{}}))
	send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	l.once("extract", func() { require.NoError(t, m.Delete(t.Context(), anna)) })
	outcome, err := other.Summarize(t.Context(), anna)
	require.NoError(t, err)
	assert.Equal(t, session.SummaryOutrun, outcome.Status)
}

// A long conversation does not grow its head without end: of the memories that were
// extracted, the last stay.
func TestHeadsDoNotGrowWithWhatWasExtracted(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	m := promoting(t, store, l, clock.Now, func(o *session.Options) { o.Promotions.Batch = 100 })
	remember(t, m, fact("mine", "likes tea"))
	for i := range 6 {
		send(t, m, numbered(i*100+1, i*100+100)...)
		promoteNow(t, m)
	}
	s := load(t, m, anna)
	assert.Len(t, s.Memories, 1+256+100)
	assert.Equal(t, "mine", s.Memories[0].ID)
	assert.Len(t, l.has(), 601)
	assert.Equal(t, "of m600", s.Memories[len(s.Memories)-1].ID)
}

// huge extracts more than a head has room for.
type huge struct{ *longTerm }

func (h huge) Extract(context.Context, session.Extraction) ([]session.Memory, error) {
	return []session.Memory{{Text: strings.Repeat("x", memory.MaxStateBytes)}}, nil
}

func TestMoreIsExtractedThanAHeadHolds(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	m := promoting(t, store, huge{l}, clock.Now)
	send(t, m, tens("a")...)
	outcome, err := m.Promote(t.Context(), anna)
	require.ErrorIs(t, err, session.ErrTooLarge)
	assert.Equal(t, 1, outcome.Messages, "messages are kept all the same")
	assert.WithinDuration(t, clock.Now().Add(session.DefaultPromotionRetry), outcome.Again, time.Millisecond)
	assert.Empty(t, load(t, m, anna).Memories)
}

// A session is deleted, and made again with fewer messages, while those of the one before
// are about to leave it.
func TestASessionThatIsMadeAgainBeforeItsSummary(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"extract", "promote"} {
		store, clock := clocked()
		l := newLongTerm(all)
		m := promoting(t, store, l, clock.Now)
		other := promoting(t, store, l, clock.Now, summarizer(session.Summaries{Summarizer: &model{}}))
		send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...)
		l.once(call, func() {
			require.NoError(t, m.Delete(t.Context(), anna))
			clock.Sleep(time.Second)
			send(t, m, tens("x")...)
		})
		outcome, err := other.Summarize(t.Context(), anna)
		require.NoError(t, err)
		assert.Equal(t, session.SummaryOutrun, outcome.Status)
		assert.Equal(t, []string{"x"}, ids(load(t, m, anna).Messages))
		promoteNow(t, m)
		assert.Equal(t, []string{"of x"}, l.has())
		assert.Equal(t, []string{"x"}, l.keptMessages())
	}
}
