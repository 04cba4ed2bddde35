package middleware

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// These tests look inside: what a ledger holds shows nowhere else.

func TestLedgerIsBounded(t *testing.T) {
	t.Parallel()
	rec := new(Recorder)
	require.NoError(t, rec.Context().Add(memory.Entity{Type: "page", ID: "1"}))
	endless := &History{View: "endless"}
	for i := range 5_000 {
		n := strconv.Itoa(i)
		_, running := rec.Begin(t.Context(), ToolCall{ID: n, Name: "made"})
		require.NoError(t, running.Finish(n, nil))
		h := &History{View: "v" + n, Thread: n}
		h.AddResult(ToolCall{ID: n, Name: "shown", Result: n})
		require.NoError(t, rec.RecordHistory(t.Context(), h))
		endless.AddRequests(ToolCall{ID: n, Name: "shown"}, ToolCall{Name: "never answered"})
		endless.AddResult(ToolCall{ID: n, Result: n})
		require.NoError(t, rec.RecordHistory(t.Context(), endless))
		rec.Edits([]prompt.Message{{Role: "tool", Content: n}}, prompt.PlaceAppend)
	}
	l := rec.ledger
	assert.LessOrEqual(t, len(l.made), maxMade)
	assert.LessOrEqual(t, len(l.seen.young)+len(l.seen.old), 2*maxSeen)
	assert.Len(t, l.views, maxViews)
	assert.Len(t, l.placed, maxPrompts)
	assert.Less(t, len(endless.calls), 2*maxPast)
	assert.LessOrEqual(t, len(endless.awaited), maxPast)
}

func TestLongestHistoryThatIsExaminedStaysKnown(t *testing.T) {
	t.Parallel()
	var history []ToolCall
	for i := range 3 * maxPast {
		history = append(history, ToolCall{ID: strconv.Itoa(i), Name: "x", Result: strconv.Itoa(i)})
	}
	l := newLedger()
	for i, want := range []int{maxPast, 0, 0, 0} {
		h := new(History)
		for _, c := range history {
			h.AddRequests(c)
			h.AddResult(c)
		}
		assert.Len(t, l.newCalls(h), want, "time %d", i)
	}
}

// The histories of an agent and of those that it calls do not drive each other out.
func TestHistoriesOfManyAgentsStayKnown(t *testing.T) {
	t.Parallel()
	l := newLedger()
	show := func(thread string, n int) int {
		h := &History{Thread: thread}
		for i := range n {
			id := thread + strconv.Itoa(i)
			h.AddRequests(ToolCall{ID: id, Name: "x"})
			h.AddResult(ToolCall{ID: id, Result: id})
		}
		return len(l.newCalls(h))
	}
	assert.Equal(t, 10, show("outer", 10))
	for i := range 30 {
		assert.Equal(t, 50, show(fmt.Sprint("inner", i), 50))
	}
	assert.Zero(t, show("outer", 10))
}

func TestRecentSessions(t *testing.T) {
	t.Parallel()
	r := newRecentSessions[int](2)
	for i, want := range []string{"a 0", "b 1", "a 0", "c 3", "b 4", "a 5", "b 4"} {
		key := want[:1]
		value := r.get(session.Key{SessionID: key}, func() int { return i })
		assert.Equal(t, want, fmt.Sprintf("%s %d", key, value))
	}
	assert.Len(t, r.values, 2)
}
