package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// manyOrders is a long result.
func manyOrders(n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"order_id":"ord-%d","status":"paid","customer":{"name":"Customer %d"}}`, 10_000+i, i)
	}
	return `{"orders":[` + strings.Join(rows, ",") + `]}`
}

// keeping are recorders that store results: of this process, and of a stored session. Those of
// one set share what they store.
func keeping(t *testing.T, opts *middleware.ResultsOptions, test func(t *testing.T, another func() *middleware.Recorder)) {
	t.Run("in process", func(t *testing.T) {
		results := middleware.NewResults(opts)
		test(t, func() *middleware.Recorder { return newRecorder(t, &middleware.Options{Results: results}) })
	})
	t.Run("stored", func(t *testing.T) {
		store := memstore.New(nil)
		test(t, func() *middleware.Recorder {
			return newSessions(t, store, &middleware.SessionsOptions{Results: opts}).Recorder(conversation)
		})
	})
}

// call runs a tool that returns a result, and returns what a model sees.
func call(t *testing.T, rec *middleware.Recorder, name string, result any, failure error) any {
	t.Helper()
	run := middleware.Chain(func(context.Context, middleware.ToolCall) (any, error) { return result, failure }, middleware.RecordCalls(rec))
	shown, err := run(t.Context(), middleware.ToolCall{Name: name})
	require.Equal(t, failure, err)
	return shown
}

func TestLargeResults(t *testing.T) {
	keeping(t, &middleware.ResultsOptions{Threshold: 1000}, func(t *testing.T, another func() *middleware.Recorder) {
		rec, large := another(), manyOrders(1000)
		shown, ok := call(t, rec, "list_orders", large, nil).(string)
		require.True(t, ok)
		require.True(t, strings.HasPrefix(shown, "[STORED RESULT] result#1\n"), shown)
		assert.Contains(t, shown, "JSON")
		assert.Contains(t, shown, fmt.Sprint(len(large), " bytes"))
		assert.Contains(t, shown, "$.orders: array of 1,000 objects")
		assert.Contains(t, shown, "ord-10000", "what was found in it")
		assert.Contains(t, rec.Block(), "ord-10000")
		assert.Less(t, len(shown), 4<<10)

		part, err := rec.ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#1", Path: "$.orders[998].order_id"})
		require.NoError(t, err)
		assert.Contains(t, part, "ord-10998")
		part, err = rec.ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#1", Query: "777"})
		require.NoError(t, err)
		assert.Contains(t, part, "ord-10777")

		assert.Equal(t, shown, rec.Show(t.Context(), large), "in a history")
		assert.Equal(t, shown, another().Show(t.Context(), large), "in a history that another recorder is given")
		assert.Equal(t, shown, call(t, rec, "outer", shown, nil), "what stands in for a result is not stored again")
		list, err := another().ListResults(t.Context())
		require.NoError(t, err)
		assert.Contains(t, list, `result#1: "list_orders", JSON`)
		assert.NotContains(t, list, "result#2")
	})
}

func TestResultsThatAreShown(t *testing.T) {
	large := manyOrders(100)
	for name, test := range map[string]struct {
		opts    middleware.ResultsOptions
		tool    string
		result  any
		failure error
	}{
		"short":             {tool: "list", result: manyOrders(10)},
		"failed":            {opts: middleware.ResultsOptions{Threshold: 10}, tool: "list", result: large, failure: errors.New("no")},
		"of a reader":       {opts: middleware.ResultsOptions{Threshold: 10}, tool: "read_result", result: large},
		"of a list":         {opts: middleware.ResultsOptions{Threshold: 10}, tool: "mcp__wmem__list_results", result: large},
		"above the bound":   {opts: middleware.ResultsOptions{Threshold: 10, MaxBytes: 1000}, tool: "list", result: large},
		"refused":           {opts: middleware.ResultsOptions{ShouldOffload: func(middleware.ToolCall, int) bool { return false }}, tool: "list", result: manyOrders(5000)},
		"refused in panic":  {opts: middleware.ResultsOptions{ShouldOffload: func(middleware.ToolCall, int) bool { panic("x") }}, tool: "list", result: manyOrders(5000)},
		"shorter than stub": {opts: middleware.ResultsOptions{Threshold: 1}, tool: "get", result: `{"id":"ord-1"}`},
		"nothing":           {opts: middleware.ResultsOptions{Threshold: 1}, tool: "get"},
	} {
		t.Run(name, func(t *testing.T) {
			keeping(t, &test.opts, func(t *testing.T, another func() *middleware.Recorder) {
				assert.Equal(t, test.result, call(t, another(), test.tool, test.result, test.failure))
			})
		})
	}
}

func TestResultsByCall(t *testing.T) {
	var asked []int
	opts := &middleware.ResultsOptions{ShouldOffload: func(c middleware.ToolCall, tokens int) bool {
		asked = append(asked, tokens)
		return c.Name == "read_file"
	}}
	keeping(t, opts, func(t *testing.T, another func() *middleware.Recorder) {
		rec, large := another(), manyOrders(100)
		assert.Equal(t, large, call(t, rec, "list_orders", large, nil))
		assert.Contains(t, call(t, rec, "read_file", large+" ", nil), "result#1")
		assert.InDelta(t, 2500, asked[0], 1500)
	})
}

func TestResultsOfAnyShape(t *testing.T) {
	keeping(t, &middleware.ResultsOptions{Threshold: 100}, func(t *testing.T, another func() *middleware.Recorder) {
		rec := another()
		type row struct{ ID, Text string }
		rows := make([]row, 200)
		for i := range rows {
			rows[i] = row{fmt.Sprint("row-", i), "text"}
		}
		assert.Contains(t, call(t, rec, "rows", rows, nil), "array of 200 objects")
		assert.Contains(t, call(t, rec, "bytes", []byte(manyOrders(100)), nil), "result#2")
		assert.Contains(t, call(t, rec, "texts", []string{manyOrders(100), manyOrders(101)}, nil), "result#3")
		part, err := rec.ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#1", Path: "[150].ID"})
		require.NoError(t, err)
		assert.Contains(t, part, "row-150")
	})
}

func TestDroppedResults(t *testing.T) {
	keeping(t, &middleware.ResultsOptions{Threshold: 100, MaxBytes: 20_000}, func(t *testing.T, another func() *middleware.Recorder) {
		rec := another()
		for i := range 3 {
			require.Contains(t, call(t, rec, "list_orders", manyOrders(110+i), nil), fmt.Sprint("result#", i+1))
		}
		_, err := rec.ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#1"})
		require.ErrorIs(t, err, middleware.ErrResultDropped)
		_, err = rec.ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#3", Path: "$.orders[0]"})
		require.NoError(t, err)
		list, err := rec.ListResults(t.Context())
		require.NoError(t, err)
		assert.Contains(t, list, "result#1: dropped\n")
	})
}

func TestReadingWhatIsNotThere(t *testing.T) {
	keeping(t, &middleware.ResultsOptions{Threshold: 100}, func(t *testing.T, another func() *middleware.Recorder) {
		rec := another()
		list, err := rec.ListResults(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "No results are stored.", list)
		call(t, rec, "list_orders", manyOrders(100), nil)
		_, err = rec.ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#9"})
		unknown, ok := errors.AsType[*handle.UnknownError](err)
		require.True(t, ok, err)
		assert.Equal(t, []string{"result#1"}, unknown.Nearest)
		for _, wrong := range []middleware.ReadRequest{
			{Handle: "result#1", Path: "$.["}, {Handle: "result#1", Offset: -1}, {Handle: "result#1", Limit: -1}, {Handle: ""},
		} {
			_, err = rec.ReadResult(t.Context(), wrong)
			assert.Error(t, err, wrong)
		}
	})
	none := new(middleware.Recorder)
	_, err := none.ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#1"})
	require.ErrorIs(t, err, middleware.ErrNoResults)
	_, err = none.ListResults(t.Context())
	require.ErrorIs(t, err, middleware.ErrNoResults)
}

func TestStoredResultsHoldNoSecrets(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	keeping(t, &middleware.ResultsOptions{Threshold: 100}, func(t *testing.T, another func() *middleware.Recorder) {
		rec := another()
		shown := call(t, rec, "get_config", `{"token":"`+secret+`","orders":`+manyOrders(100)+`}`, nil)
		assert.NotContains(t, shown, secret)
		part, err := rec.ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#1", Path: "$.token"})
		require.NoError(t, err)
		assert.NotContains(t, part, secret)
	})
}

func TestWhatWasReadIsRecorded(t *testing.T) {
	keeping(t, &middleware.ResultsOptions{Threshold: 1000}, func(t *testing.T, another func() *middleware.Recorder) {
		rec := another()
		call(t, rec, "shop_listOrders", manyOrders(1000), nil)
		require.NotContains(t, rec.Block(), "ord-10990")
		tools := middleware.ResultTools(rec)
		require.Equal(t, []string{"read_result", "list_results"}, []string{tools[0].Name, tools[1].Name})
		part, err := tools[0].Call(t.Context(), `{"handle":"result#1","path":"$.orders[990]"}`)
		require.NoError(t, err)
		call(t, rec, "read_result", part, nil)
		assert.Contains(t, rec.Block(), "orders:\n  - \"Customer 990, paid\" (ord-10990)", "as if the tool had returned it")
		part, err = tools[0].Call(t.Context(), `{"handle":"result#1","query":"777"}`)
		require.NoError(t, err)
		call(t, rec, "read_result", part, nil)
		assert.Contains(t, rec.Block(), "(ord-10777)")
		list, err := tools[1].Call(t.Context(), `{}`)
		require.NoError(t, err)
		before := rec.Block()
		call(t, rec, "list_results", list, nil)
		assert.Equal(t, before, rec.Block(), "a list of results has nothing to record")
		_, err = tools[0].Call(t.Context(), `"result#1"`)
		assert.Error(t, err)
	})
}

func TestResultsShareTheLifeOfTheirSession(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	store := memstore.New(&memstore.Options{Now: func() time.Time { return now }})
	opts := &middleware.SessionsOptions{Results: &middleware.ResultsOptions{Threshold: 100}, Write: session.WriteOptions{TTL: time.Hour}}
	manager, err := session.NewManager(store, &session.Options{Now: func() time.Time { return now }})
	require.NoError(t, err)
	sessions, err := middleware.NewSessions(manager, opts)
	require.NoError(t, err)
	rec := sessions.Recorder(conversation)
	call(t, rec, "list_orders", manyOrders(100), nil)
	now = now.Add(30 * time.Minute)
	call(t, rec, "get_order", `{"order_id":"ord-1"}`, nil) // renews the TTL
	now = now.Add(45 * time.Minute)
	_, err = rec.ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#1"})
	require.NoError(t, err)
	now = now.Add(time.Hour)
	_, err = rec.ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#1"})
	require.Error(t, err)
}

// A branch of a stored session reads the results of the session that it is from.
func TestBranchReadsResults(t *testing.T) {
	store := memstore.New(nil)
	opts := &middleware.SessionsOptions{Results: &middleware.ResultsOptions{Threshold: 100}}
	sessions := newSessions(t, store, opts)
	call(t, sessions.Recorder(conversation), "list_orders", manyOrders(100), nil)
	branch := session.Key{SessionID: "branch"}
	_, err := newManager(t, store, nil).Branch(t.Context(), conversation, branch, nil)
	require.NoError(t, err)
	_, err = sessions.Recorder(branch).ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#1"})
	require.NoError(t, err)
	assert.Contains(t, call(t, sessions.Recorder(branch), "list_orders", manyOrders(101), nil), "result#2a")
	assert.Contains(t, call(t, sessions.Recorder(conversation), "list_orders", manyOrders(102), nil), "result#2\n")
}

// noResults is a store that fails to store results.
type noResults struct{ *memstore.Store }

func (noResults) PutResult(context.Context, driver.Key, driver.StoredResult, int64) error {
	return driver.ErrUnavailable
}

func TestResultThatIsNotStoredIsShown(t *testing.T) {
	large := manyOrders(100)
	sessions := newSessions(t, noResults{memstore.New(nil)}, &middleware.SessionsOptions{Results: &middleware.ResultsOptions{Threshold: 100}})
	recorded, err := sessions.Record(t.Context(), conversation, middleware.ToolCall{Name: "list_orders", Result: large})
	require.ErrorIs(t, err, driver.ErrUnavailable)
	assert.Equal(t, large, recorded.Shown, "as it is")
	_, err = sessions.ReadResult(t.Context(), conversation, middleware.ReadRequest{Handle: "result#1"})
	require.ErrorIs(t, err, middleware.ErrResultDropped)
}

func TestSessionsShowResults(t *testing.T) {
	sessions := newSessions(t, memstore.New(nil), &middleware.SessionsOptions{
		Results: &middleware.ResultsOptions{Threshold: 100}, Handles: new(handle.Options),
	})
	recorded, err := sessions.Record(t.Context(), conversation, middleware.ToolCall{Name: "list_orders", Result: manyOrders(100)})
	require.NoError(t, err)
	assert.Contains(t, recorded.Shown, "result#1")
	const id = "550e8400-e29b-41d4-a716-446655440000"
	recorded, err = sessions.Record(t.Context(), conversation, middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"` + id + `"}}`})
	require.NoError(t, err)
	assert.Equal(t, `{"page":{"id":"page#1"}}`, recorded.Shown)
	arguments, err := sessions.DecodeArguments(t.Context(), conversation, `{"id":"page#1"}`)
	require.NoError(t, err)
	assert.Equal(t, `{"id":"`+id+`"}`, arguments)
	_, err = sessions.DecodeArguments(t.Context(), session.Key{SessionID: "other"}, `{"id":"page#1"}`)
	_, unknown := errors.AsType[*handle.UnknownError](err)
	assert.True(t, unknown, "a handle of another session")
}

func TestWhatWasReadIsNotStoredAgain(t *testing.T) {
	keeping(t, &middleware.ResultsOptions{Threshold: 100}, func(t *testing.T, another func() *middleware.Recorder) {
		rec := another()
		call(t, rec, "list_orders", manyOrders(1000), nil)
		part, err := rec.ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#1"})
		require.NoError(t, err)
		require.Greater(t, len(part), 10_000)
		assert.Equal(t, part, call(t, rec, "read_result", part, nil))
	})
}
