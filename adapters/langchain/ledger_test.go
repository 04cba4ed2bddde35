package langchain

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// These tests look inside: what a ledger holds shows nowhere else.

type noTool struct{}

func (noTool) Name() string                                 { return "noop" }
func (noTool) Description() string                          { return "" }
func (noTool) Call(context.Context, string) (string, error) { return "{}", nil }

func TestLedgersGoWithTheirRecorders(t *testing.T) {
	w := New(nil, nil)
	for range 20 {
		ctx := middleware.WithRecorder(t.Context(), new(middleware.Recorder))
		_, err := w.Tool(noTool{}).Call(ctx, "x")
		require.NoError(t, err)
	}
	collectUntil(t, func() bool {
		left := 0
		w.ledgers.Range(func(any, any) bool { left++; return true })
		return left == 0
	})
	runtime.KeepAlive(w)
}

func TestARecorderGoesWithItsOnlyWorkingMemory(t *testing.T) {
	gone := make(chan struct{})
	func() {
		rec := new(middleware.Recorder)
		runtime.AddCleanup(rec, func(c chan struct{}) { close(c) }, gone)
		_, err := New(rec, nil).Tool(noTool{}).Call(t.Context(), "x")
		require.NoError(t, err)
	}()
	collectUntil(t, func() bool {
		select {
		case <-gone:
			return true
		default:
			return false
		}
	})
}

func collectUntil(t *testing.T, done func() bool) {
	t.Helper()
	for range 1000 {
		runtime.GC()
		runtime.Gosched()
		if done() {
			return
		}
	}
	t.Fatal("not collected")
}

func TestLedgerIsBounded(t *testing.T) {
	t.Parallel()
	l := newLedger()
	rec := new(middleware.Recorder)
	require.NoError(t, rec.Context().Add(memory.Entity{Type: "page", ID: "1"}))
	for i := range 3_000 {
		n := strconv.Itoa(i)
		l.add(observed{name: "made", args: n})
		l.newInPrompt([]observed{{id: n, name: "prompted", result: n, latest: true}})
		inputs := map[string]string{"input": n}
		l.newInRun(inputs, nil)
		l.newInRun(inputs, []observed{{name: "stepped", args: n}})
		l.addShown(n)
		l.place([]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeTool, n)}, rec)
	}
	assert.LessOrEqual(t, len(l.recorded), maxRecorded)
	assert.LessOrEqual(t, len(l.seen.young)+len(l.seen.old), 2*maxSeen)
	assert.LessOrEqual(t, len(l.shown), maxShown)
	assert.Len(t, l.prompts, maxPrompts)
}

func TestLongestHistoryThatIsLookedAtStaysKnown(t *testing.T) {
	t.Parallel()
	l := newLedger()
	var calls []observed
	for i := range 3 * maxObserved {
		calls = append(calls, observed{id: fmt.Sprint(i), name: "x", result: fmt.Sprint(i)})
	}
	assert.Len(t, l.newInPrompt(calls), maxObserved)
	for range 5 {
		assert.Empty(t, l.newInPrompt(calls))
	}
}
