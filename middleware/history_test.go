package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// heard collects what a recorder records, each call as "name arguments=result".
type heard struct {
	mu    sync.Mutex
	calls []string
}

func (h *heard) onCall(_ context.Context, c middleware.ToolCall, _ extractor.Extraction, _ error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	result := c.Result
	if c.Err != nil {
		result = c.Err
	}
	h.calls = append(h.calls, fmt.Sprintf("%s %v=%v", c.Name, c.Arguments, result))
}

func (h *heard) sorted() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(slices.Values(h.calls))
}

func newHeard(t require.TestingT) (*middleware.Recorder, *heard) {
	h := new(heard)
	r, err := middleware.NewRecorder(&middleware.Options{OnCall: h.onCall})
	require.NoError(t, err)
	return r, h
}

// exchange is a call in a conversation: "id name arguments=result", or "id =result" for a further
// result of one before. A "!" at its end means that
// the model has answered it. A result of "?" is still to come.
type exchange = string

// historyOf returns the history of exchanges. Calls without a "!" between them are those of one
// message.
func historyOf(view string, exchanges ...exchange) *middleware.History {
	h := &middleware.History{View: view}
	for len(exchanges) > 0 {
		n := slices.IndexFunc(exchanges, func(e exchange) bool { return strings.HasSuffix(e, "!") }) + 1
		if n == 0 {
			n = len(exchanges)
		}
		var requests, results []middleware.ToolCall
		for _, e := range exchanges[:n] {
			call, result, _ := strings.Cut(strings.TrimSuffix(e, "!"), "=")
			f := strings.Split(call, " ")
			if len(f) == 3 {
				requests = append(requests, middleware.ToolCall{ID: f[0], Name: f[1], Arguments: f[2]})
			}
			if result != "?" {
				results = append(results, middleware.ToolCall{ID: f[0], Name: f[1], Result: result})
			}
		}
		h.AddRequests(requests...)
		for _, r := range results {
			h.AddResult(r)
		}
		if strings.HasSuffix(exchanges[n-1], "!") {
			h.AddRequests()
		}
		exchanges = exchanges[n:]
	}
	return h
}

func TestRecordHistory(t *testing.T) {
	t.Parallel()
	type given = []exchange
	for name, tc := range map[string]struct {
		histories []given
		want      []string
	}{
		"given again": {
			[]given{{"1 get a=x"}, {"1 get a=x"}, {"1 get a=x!", "2 get b=y"}}, []string{"get a=x", "get b=y"},
		},
		"an older result is shortened": {
			[]given{{"1 get a=long"}, {"1 get a=short!", "2 get b=y"}}, []string{"get a=long", "get b=y"},
		},
		"the latest result is shortened, before the model answers it": {
			[]given{{"1 get a=long"}, {"1 get a=short"}}, []string{"get a=long"},
		},
		"an older result without an id is shortened": {
			[]given{{" get a=long"}, {" get a=short!", " get b=y"}}, []string{"get a=long", "get b=y"},
		},
		"the oldest messages are missing": {
			[]given{{"1 get a=x!", "2 get b=y"}, {"2 get b=y!", "3 get c=z"}}, []string{"get a=x", "get b=y", "get c=z"},
		},
		"no result yet": {
			[]given{{"1 get a=?"}, {"1 get a=?!"}, {"1 get a=x"}}, []string{"get a=x"},
		},
		"one of two results": {
			[]given{{"1 get a=?", "2 get b=y"}, {"1 get a=x", "2 get b=y"}}, []string{"get a=x", "get b=y"},
		},
		"repeated ids": {
			[]given{{"0 get a=x"}, {"0 get a=x!", "0 get b=y"}, {"0 get a=x!", "0 get b=y!", "0 get a=x"}},
			[]string{"get a=x", "get a=x", "get b=y"},
		},
		"missing ids": {
			[]given{{" get a=x"}, {" get a=x!", " get b=y"}, {" get a=x!", " get b=y!", " get a=x"}},
			[]string{"get a=x", "get a=x", "get b=y"},
		},
		"a status is polled in a window of two calls, with repeated ids": {
			[]given{{"0 get a=1"}, {"0 get a=1!", "0 get a=2"}, {"0 get a=2!", "0 get a=3"}, {"0 get a=3!", "0 get a=4"}},
			[]string{"get a=1", "get a=2", "get a=3", "get a=4"},
		},
		"a status is polled in a window of one call, without ids": {
			[]given{{" get a=1"}, {" get a=2"}, {" get a=3"}}, []string{"get a=1", "get a=2", "get a=3"},
		},
		"equal parallel calls": {
			[]given{{" get a=x", " get a=x", " get a=y"}, {" get a=x", " get a=x", " get a=y"}}, []string{"get a=x", "get a=x", "get a=y"},
		},
		"ids start again in the next conversation": {
			[]given{{"1 get a=x"}, {"1 get a=x!", "2 get b=y!"}, {"1 get a=z"}, {"1 get a=z!", "2 get b=y"}}, []string{"get a=x", "get a=z", "get b=y"},
		},
		"a final result after a first one": {
			[]given{{"1 export a=started!"}, {"1 export a=started!", "1 =file-1001"}, {"1 export a=started!", "1 =file-1001!"}},
			[]string{"export <nil>=file-1001", "export a=started"},
		},
		"a conversation that is resumed": {
			[]given{{"1 get a=x!", "2 get b=y!", "1 get c=z!"}}, []string{"get a=x", "get b=y", "get c=z"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, h := newHeard(t)
			for _, exchanges := range tc.histories {
				require.NoError(t, r.RecordHistory(t.Context(), historyOf("v", exchanges...)))
			}
			assert.Equal(t, tc.want, h.sorted())
		})
	}
}

// A History that is continued records what one with all messages does.
func TestRecordHistoryInParts(t *testing.T) {
	t.Parallel()
	r, told := newHeard(t)
	h := &middleware.History{View: "v"}
	for i := range 2_000 {
		before := h.Clone()
		id := fmt.Sprint(i % 3)
		h.AddRequests(middleware.ToolCall{ID: id, Name: "get", Arguments: fmt.Sprint(i)})
		h.AddResult(middleware.ToolCall{ID: id, Result: "x"})
		require.NoError(t, r.RecordHistory(t.Context(), h))
		require.NoError(t, r.RecordHistory(t.Context(), h))
		before.AddRequests(middleware.ToolCall{ID: id, Name: "get", Arguments: fmt.Sprint(i)})
		before.AddResult(middleware.ToolCall{ID: id, Result: "x"})
		require.NoError(t, r.RecordHistory(t.Context(), before))
	}
	assert.Len(t, told.calls, 2_000)
}

func TestResultsFindTheirRequests(t *testing.T) {
	t.Parallel()
	type call = middleware.ToolCall
	requests := []call{{ID: "1", Name: "get", Arguments: "a"}, {ID: "2", Name: "get", Arguments: "b", Source: "cms"}, {Name: "put", Arguments: "c"}}
	for name, tc := range map[string]struct {
		result call
		want   string
	}{
		"by id":                 {call{ID: "2", Result: "x"}, "get b=x"},
		"by name":               {call{Name: "put", Result: "x"}, "put c=x"},
		"the first":             {call{Result: "x"}, "get a=x"},
		"an unknown id":         {call{ID: "9", Name: "get", Result: "x"}, "get <nil>=x"},
		"an unknown name":       {call{Name: "cut", Result: "x"}, "cut <nil>=x"},
		"the failure of a call": {call{ID: "1", Err: errors.New("no")}, "get a=no"},
	} {
		r, told := newHeard(t)
		var h middleware.History
		h.AddRequests(requests...)
		h.AddResult(tc.result)
		require.NoError(t, r.RecordHistory(t.Context(), &h))
		assert.Equal(t, []string{tc.want}, told.calls, name)
	}
}

// A call that was recorded when it was made, or in another view, is not recorded again.
func TestCallsAreClaimed(t *testing.T) {
	t.Parallel()
	made := func(r *middleware.Recorder, id, arguments, result string) {
		_, running := r.Begin(t.Context(), middleware.ToolCall{ID: id, Name: "Get", Arguments: arguments})
		require.NoError(t, running.Finish(result, nil))
	}
	const long = "a result of some length"
	for name, tc := range map[string]struct {
		id, arguments, result string
		shown                 exchange
		again                 bool // recorded once more
	}{
		"as it was made":          {"1", "a", "x", "1 get a=x", false},
		"the result is shortened": {"", "a", "x", "1 get a=y", false},
		"other arguments":         {"", "{a}", long, "1 get a=" + long, false},
		"other arguments, a result that many calls have": {"", "{a}", "ok", "1 get a=ok", true},
		"another form of JSON":                           {"1", `{"b":1,"a":{}}`, "x", `1 get {"a":{},"b":1}=y`, false},
		"no arguments":                                   {"1", "{}", "x", "1 get =y", false},
		"an MCP server in front":                         {"", `{"a":1}`, "x", `1 mcp__cms__get {"a":1}=y`, false},
		"another tool":                                   {"", "a", long, "1 forget a=" + long, true},
		"all but the id differs":                         {"1", "{a}", "x", "1 get a=y", true},
		"all differs":                                    {"", "{a}", "x", "1 get a=y", true},
		"another id":                                     {"2", "a", "x", "1 get a=x", true},
	} {
		r, told := newHeard(t)
		made(r, tc.id, tc.arguments, tc.result)
		for _, view := range []string{"v", "w", "v", "w"} {
			require.NoError(t, r.RecordHistory(t.Context(), historyOf(view, tc.shown)))
		}
		if tc.again {
			assert.Len(t, told.calls, 2, name)
			continue
		}
		assert.Len(t, told.calls, 1, name)
		made(r, tc.id, tc.arguments, tc.result)
		before := len(told.calls)
		require.NoError(t, r.RecordHistory(t.Context(), historyOf("v", tc.shown+"!", tc.shown)))
		assert.Len(t, told.calls, before, "%s: made twice, shown twice", name)
	}
}

// panicking is a value whose method for encoding/json panics.
type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("secret") }

// Values that have no text never break a call.
func TestValuesWithoutText(t *testing.T) {
	t.Parallel()
	cyclic := map[string]any{}
	cyclic["self"] = cyclic
	for _, value := range []any{panicking{}, cyclic, func() {}, make(chan int)} {
		calls := 0
		r, err := middleware.NewRecorder(&middleware.Options{OnCall: func(context.Context, middleware.ToolCall, extractor.Extraction, error) { calls++ }})
		require.NoError(t, err)
		_, running := r.Begin(t.Context(), middleware.ToolCall{Name: "get", Arguments: value})
		_ = running.Finish(value, nil) // the extractor may refuse it
		h := &middleware.History{}
		h.AddRequests(middleware.ToolCall{Name: "put", Arguments: value})
		h.AddResult(middleware.ToolCall{Result: value})
		_ = r.RecordHistory(t.Context(), h)
		assert.Equal(t, 2, calls)
	}
}

// A call that was made waits for its message, however many calls of others are shown before.
func TestMadeCallWaits(t *testing.T) {
	t.Parallel()
	r, told := newHeard(t)
	made := func(id string) {
		_, running := r.Begin(t.Context(), middleware.ToolCall{ID: id, Name: "get", Arguments: id})
		require.NoError(t, running.Finish("x", nil))
	}
	made("first")
	for i := range 1_000 {
		id := fmt.Sprint(i)
		made(id)
		require.NoError(t, r.RecordHistory(t.Context(), historyOf("v", id+" get "+id+"=x")))
	}
	require.NoError(t, r.RecordHistory(t.Context(), historyOf("v", "first get first=x")))
	assert.Len(t, told.calls, 1_001)
}

func TestThreadsAreIndependent(t *testing.T) {
	t.Parallel()
	r, told := newHeard(t)
	for _, thread := range []string{"1", "2", "1"} {
		h := historyOf("v", " get a=x")
		h.Thread = thread
		require.NoError(t, r.RecordHistory(t.Context(), h))
	}
	assert.Equal(t, []string{"get a=x", "get a=x"}, told.calls)
}

// The oldest message of a sliding window may be a result, whose id other calls have too.
func TestResultsWithoutTheirRequests(t *testing.T) {
	t.Parallel()
	r, told := newHeard(t)
	record := func(h *middleware.History) { require.NoError(t, r.RecordHistory(t.Context(), h)) }
	orphan := func(result string) *middleware.History {
		h := &middleware.History{View: "v"}
		h.AddResult(middleware.ToolCall{ID: "0", Name: "get", Result: result})
		return h
	}
	for range 2 {
		record(orphan("w"))
		record(historyOf("v", "0 get a=w"))
		record(historyOf("v", "0 get b=x"))
		record(orphan("x"))
		record(historyOf("v", "0 get c=y"))
	}
	assert.Equal(t, []string{"get <nil>=w", "get b=x", "get c=y"}, told.calls)
}

// Any process may serve a turn. What another one recorded is in the messages.
func TestRecordHistoryOfASessionOfTwoProcesses(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	key := session.Key{UserID: "anna", SessionID: "s"}
	var processes [2]*middleware.Recorder
	var told [2]heard
	for i := range processes {
		manager, err := session.NewManager(store, nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = manager.Close(context.Background()) })
		sessions, err := middleware.NewSessions(manager, &middleware.SessionsOptions{OnCall: func(ctx context.Context, _ session.Key, c middleware.ToolCall, found extractor.Extraction, err error) {
			told[i].onCall(ctx, c, found, err)
		}})
		require.NoError(t, err)
		processes[i] = sessions.Recorder(key)
	}
	var shown []exchange
	for turn := range 6 {
		shown = append(shown, fmt.Sprintf(`c%d get %[1]d={"page":{"id":"page-100%[1]d"}}`, turn))
		require.NoError(t, processes[turn%2].RecordHistory(t.Context(), historyOf("v", shown...)))
		shown[turn] += "!"
		require.NoError(t, processes[turn%2].RecordHistory(t.Context(), historyOf("v", shown...)))
	}
	for i := range told {
		assert.Len(t, told[i].calls, 3, "process %d", i)
	}
}

// What the model has answered in a stored session was recorded by the process before.
func TestRecordHistoryOfAStoredSession(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	key := session.Key{UserID: "anna", SessionID: "s"}
	process := func() (*middleware.Sessions, *heard) {
		manager, err := session.NewManager(store, nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = manager.Close(context.Background()) })
		told := new(heard)
		sessions, err := middleware.NewSessions(manager, &middleware.SessionsOptions{OnCall: func(ctx context.Context, _ session.Key, c middleware.ToolCall, found extractor.Extraction, err error) {
			told.onCall(ctx, c, found, err)
		}})
		require.NoError(t, err)
		return sessions, told
	}
	first, told := process()
	a, b := `1 get a={"page":{"id":"page-1001"}}!`, `2 get b={"page":{"id":"page-1002"}}`
	for range 3 { // a recorder for each request
		require.NoError(t, first.Recorder(key).RecordHistory(t.Context(), historyOf("v", a, b)))
	}
	assert.Len(t, told.calls, 2)
	second, told := process()
	for _, view := range []string{"v", "w", "v"} {
		require.NoError(t, second.Recorder(key).RecordHistory(t.Context(), historyOf(view, a, b+"!", `3 get c={"page":{"id":"page-1003"}}`)))
	}
	assert.Len(t, told.calls, 1)
	assert.Contains(t, second.Recorder(key).Block(), "page-1002")
}

// newSession returns a function that opens a stored session as another process does.
func newSession(t *testing.T) func() (*middleware.Recorder, *session.Manager) {
	store := memstore.New(nil)
	return func() (*middleware.Recorder, *session.Manager) {
		manager, err := session.NewManager(store, nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = manager.Close(context.Background()) })
		sessions, err := middleware.NewSessions(manager, nil)
		require.NoError(t, err)
		return sessions.Recorder(storedKey), manager
	}
}

var storedKey = session.Key{UserID: "anna", SessionID: "s"}

const getHome = `1 get home={"page":{"id":"page-1001"}}`

// What was cleared does not come back with the messages.
func TestClearedCallsStayCleared(t *testing.T) {
	t.Parallel()
	open := newSession(t)
	first, _ := open()
	require.NoError(t, first.RecordHistory(t.Context(), historyOf("v", getHome)))
	second, _ := open()
	require.NoError(t, second.Clear(t.Context()))
	for _, view := range []string{"v", "w"} {
		require.NoError(t, second.RecordHistory(t.Context(), historyOf(view, getHome+"!")))
	}
	assert.Empty(t, second.Block())
}

// Messages that the program appends to the session are not the work of another recorder.
func TestAppendedMessagesHideNoCalls(t *testing.T) {
	t.Parallel()
	r, manager := newSession(t)()
	require.NoError(t, r.RecordHistory(t.Context(), historyOf("v", getHome)))
	_, err := manager.Append(t.Context(), storedKey, []session.Message{{Role: session.RoleUser, Content: "And the news?"}}, nil)
	require.NoError(t, err)
	require.NoError(t, r.RecordHistory(t.Context(), historyOf("v", getHome+"!", `2 get news={"page":{"id":"page-1002"}}!`)))
	assert.Contains(t, r.Block(), "page-1002")
}

// Calls are not lost where the session cannot be read.
func TestRecordHistoryWithoutTheStore(t *testing.T) {
	t.Parallel()
	r, _ := newSession(t)()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.RecordHistory(ended, historyOf("v", getHome+"!")), context.Canceled)
	assert.Contains(t, r.Prepare(t.Context()), "page-1001")
}

// A program that shows its messages at the end of each turn records all of them.
func TestRecordHistoryAfterTheAnswer(t *testing.T) {
	t.Parallel()
	manager, err := session.NewManager(memstore.New(nil), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = manager.Close(context.Background()) })
	sessions, err := middleware.NewSessions(manager, nil)
	require.NoError(t, err)
	r := sessions.Recorder(session.Key{UserID: "anna", SessionID: "s"})
	var shown []exchange
	for i := range 3 {
		shown = append(shown, fmt.Sprintf(`c%d get %[1]d={"page":{"id":"page-100%[1]d"}}!`, i))
		require.NoError(t, r.RecordHistory(t.Context(), historyOf("v", shown...)))
	}
	assert.Equal(t, 3, r.Context().Len())
}

// TestConversationsModel plays agents that share a recorder, one after another and at once, on
// frameworks that show their messages again in every way, and checks that each call is recorded
// once.
func TestConversationsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r, told := newHeard(t)
		wrapped := rapid.Bool().Draw(t, "wrapped tools")
		var want []string
		next := 0
		agents := make([][]exchange, rapid.IntRange(1, 3).Draw(t, "agents"))
		showAs := func(view string, messages []exchange) {
			assert.NoError(t, r.RecordHistory(context.Background(), historyOf(view, messages...)))
		}
		show := func(messages []exchange) {
			showAs(rapid.SampledFrom([]string{"v", "w"}).Draw(t, "view"), messages)
		}
		// call adds calls to the messages of an agent, and returns a function that runs them.
		call := func(a int) func() {
			for i := range agents[a] {
				agents[a][i] = strings.TrimSuffix(agents[a][i], "!") + "!"
			}
			var calls []middleware.ToolCall
			for range rapid.IntRange(1, 3).Draw(t, "parallel") {
				next++
				id := rapid.SampledFrom([]string{"", "0", fmt.Sprintf("c%d", next)}).Draw(t, "id")
				c := middleware.ToolCall{ID: id, Name: "get", Arguments: fmt.Sprintf("a%d", next), Result: fmt.Sprintf("r%d", next)}
				want = append(want, fmt.Sprintf("get %s=%s", c.Arguments, c.Result))
				agents[a] = append(agents[a], fmt.Sprintf("%s get %s=%s", id, c.Arguments, c.Result))
				calls = append(calls, c)
			}
			return func() {
				for _, c := range calls {
					if wrapped {
						_, running := r.Begin(context.Background(), c)
						assert.NoError(t, running.Finish(c.Result, nil))
					}
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"call": func(t *rapid.T) {
				a := rapid.IntRange(0, len(agents)-1).Draw(t, "agent")
				call(a)()
				show(agents[a])
			},
			"all at once": func(t *rapid.T) {
				var running sync.WaitGroup
				for a := range agents {
					run, messages := call(a), slices.Clone(agents[a])
					running.Go(func() {
						run()
						for _, view := range []string{"v", "w", "v"} {
							showAs(view, messages)
						}
					})
				}
				running.Wait()
			},
			"show again": func(t *rapid.T) {
				a := rapid.IntRange(0, len(agents)-1).Draw(t, "agent")
				show(agents[a])
			},
			"show the last": func(t *rapid.T) {
				a := rapid.IntRange(0, len(agents)-1).Draw(t, "agent")
				show(agents[a][rapid.IntRange(0, len(agents[a])).Draw(t, "from"):])
			},
			"shorten a result": func(t *rapid.T) {
				a := rapid.IntRange(0, len(agents)-1).Draw(t, "agent")
				if len(agents[a]) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(agents[a])-1).Draw(t, "call")
				call, _, _ := strings.Cut(agents[a][i], "=")
				if !strings.HasSuffix(agents[a][i], "!") {
					t.Skip() // a latest result without an id would count as a new call
				}
				agents[a][i] = call + "=…!"
				show(agents[a])
			},
			"": func(t *rapid.T) {
				assert.Equal(t, slices.Sorted(slices.Values(want)), told.sorted())
			},
		})
	})
}
