package middleware_test

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// journals runs a test with a journal of this process and one in the store. The function another
// returns the Sessions of another process on the store.
func journals(t *testing.T, opts middleware.JournalOptions, test func(t *testing.T, s *middleware.Sessions, another func() *middleware.Sessions)) {
	for _, stored := range []bool{false, true} {
		t.Run(fmt.Sprint("stored=", stored), func(t *testing.T) {
			t.Parallel()
			opts := opts
			opts.Stored = stored
			store := memstore.New(nil)
			open := func() *middleware.Sessions {
				return newSessions(t, store, &middleware.SessionsOptions{
					Journal: middleware.NewJournal(&opts), Handles: new(handle.Options), Results: &middleware.ResultsOptions{Threshold: 1000},
				})
			}
			test(t, open(), open)
		})
	}
}

func recordIn(t *testing.T, s *middleware.Sessions, call middleware.ToolCall) {
	t.Helper()
	_, err := s.Record(t.Context(), conversation, call)
	require.NoError(t, err)
}

func journalOf(t *testing.T, s *middleware.Sessions) []middleware.JournalCall {
	t.Helper()
	calls, err := s.Journal(t.Context(), conversation)
	require.NoError(t, err)
	return calls
}

func entryOf(t *testing.T, s *middleware.Sessions, call *middleware.JournalCall) *middleware.JournalEntry {
	t.Helper()
	entry, err := s.JournalEntry(t.Context(), conversation, call)
	require.NoError(t, err)
	return entry
}

func TestJournal(t *testing.T) {
	const id, token = "550e8400-e29b-41d4-a716-446655440000", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	journals(t, middleware.JournalOptions{}, func(t *testing.T, s *middleware.Sessions, another func() *middleware.Sessions) {
		recordIn(t, s, middleware.ToolCall{ID: "1", Name: "cms_getPage", Arguments: map[string]any{"password": token}, Result: `{"page":{"id":"` + id + `","title":"Home","note":"` + token + `"}}`})
		recordIn(t, s, middleware.ToolCall{Name: "cms_getPage", Arguments: `{"id":"page#1"}`, Err: errors.New("no such page " + token)})
		recordIn(t, s, middleware.ToolCall{Name: "list_orders", Result: manyOrders(1000)})
		calls := journalOf(t, s)
		require.Len(t, calls, 3)

		first := entryOf(t, s, &calls[0])
		assert.Equal(t, []any{"1", "cms_getPage", false, true, 1}, []any{first.CallID, first.Tool, first.Failed, first.Changed, first.Found})
		assert.Contains(t, first.Result.Text, id)
		assert.Contains(t, first.Arguments.Text, "password")
		page := memory.Ref{Type: "page", ID: id}
		entities, handles, err := first.State()
		require.NoError(t, err)
		_, known := entities.Get(page)
		assert.True(t, known)
		assert.Equal(t, "page#1", handles.Handle(id))
		require.Len(t, first.Decisions, 1)
		assert.Equal(t, "call 1 (cms_getPage): page "+id+" seen at $.page", first.Decisions[0].String())

		second := entryOf(t, s, &calls[1])
		assert.True(t, second.Failed)
		assert.Contains(t, second.Err.Text, "no such page")
		assert.JSONEq(t, `{"id":"`+id+`"}`, second.Arguments.Text, "with ids in place of handles")
		assert.Equal(t, middleware.DecisionUsed, second.Decisions[0].Kind)
		for _, e := range []*middleware.JournalEntry{first, second} {
			assert.NotContains(t, e.Arguments.Text+e.Result.Text+e.Err.Text, token)
		}

		third := entryOf(t, s, &calls[2])
		assert.Equal(t, "result#1", third.Stored)
		assert.Equal(t, len(manyOrders(1000)), third.Result.Size)
		assert.Equal(t, middleware.DefaultJournalText, len(third.Result.Text))
		assert.Equal(t, third.Found, len(third.Decisions)+third.Omitted)

		elsewhere, err := another().Journal(t.Context(), conversation)
		require.NoError(t, err)
		if strings.HasSuffix(t.Name(), "true") {
			assert.Equal(t, calls, elsewhere)
		} else {
			assert.Empty(t, elsewhere)
		}
	})
}

// A call that changes nothing has an entry, too, unless it has no session to be in.
func TestJournalOfACallWithoutEffect(t *testing.T) {
	journals(t, middleware.JournalOptions{}, func(t *testing.T, s *middleware.Sessions, _ func() *middleware.Sessions) {
		recordIn(t, s, middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"page-40017"}}`})
		recordIn(t, s, middleware.ToolCall{Name: "wait", Result: "ok"})
		calls := journalOf(t, s)
		require.Len(t, calls, 2)
		wait := entryOf(t, s, &calls[1])
		assert.Equal(t, []any{"wait", "ok", false}, []any{wait.Tool, wait.Result.Text, wait.Changed})
		entities, _, err := wait.State()
		require.NoError(t, err)
		assert.Nil(t, entities)
	})
}

func TestJournalIsBounded(t *testing.T) {
	journals(t, middleware.JournalOptions{MaxBytes: 4 << 10, MaxText: 300}, func(t *testing.T, s *middleware.Sessions, _ func() *middleware.Sessions) {
		for n := range 40 {
			recordIn(t, s, middleware.ToolCall{Name: "get_order", Result: fmt.Sprintf(`{"order":{"id":"o-%d","note":%q}}`, n, strings.Repeat("é", 400))})
		}
		calls := journalOf(t, s)
		require.Less(t, len(calls), 40)
		require.Greater(t, len(calls), 2)
		last := entryOf(t, s, &calls[len(calls)-1])
		assert.LessOrEqual(t, len(last.Result.Text), 300)
		assert.Contains(t, last.Result.Text, "o-39")
		assert.Equal(t, "call "+fmt.Sprint(len(calls))+" (get_order): order o-39 seen at $.order", last.Decisions[0].String())
	})
}

// The decisions of a call are kept as far as they have room.
func TestJournalOmitsDecisions(t *testing.T) {
	t.Parallel()
	s := newSessions(t, memstore.New(nil), &middleware.SessionsOptions{Journal: middleware.NewJournal(nil), Extractor: scripted})
	var many []memory.Entity
	for n := range 200 {
		many = append(many, memory.Entity{Type: "page", ID: fmt.Sprint(n, strings.Repeat("x", 500))})
	}
	recordIn(t, s, middleware.ToolCall{Name: "list_pages", Result: found(many...)})
	calls := journalOf(t, s)
	require.Len(t, calls, 1)
	assert.NotEmpty(t, calls[0].Decisions)
	assert.Greater(t, calls[0].Omitted, 100)
}

// Journals of this process belong to the sessions used last, and can be forgotten.
func TestJournalForgets(t *testing.T) {
	t.Parallel()
	journal := middleware.NewJournal(&middleware.JournalOptions{Sessions: 2})
	s := newSessions(t, memstore.New(nil), &middleware.SessionsOptions{Journal: journal})
	key := func(id string) session.Key { return session.Key{SessionID: id} }
	length := func(id string) int {
		calls, err := s.Journal(t.Context(), key(id))
		require.NoError(t, err)
		return len(calls)
	}
	for _, id := range []string{"a", "b", "a", "c"} {
		_, err := s.Record(t.Context(), key(id), middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"page-40017"}}`})
		require.NoError(t, err)
	}
	assert.Equal(t, []int{2, 0, 1}, []int{length("a"), length("b"), length("c")})
	journal.Forget(key("a"))
	assert.Zero(t, length("a"))
	_, err := s.JournalEntry(t.Context(), key("a"), new(middleware.JournalCall))
	require.ErrorIs(t, err, session.ErrNotFound)
}

// A stored journal follows a branch and ends with its session.
func TestStoredJournalSharesTheLifeOfItsSession(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	s := newSessions(t, store, &middleware.SessionsOptions{Journal: middleware.NewJournal(&middleware.JournalOptions{Stored: true})})
	recordIn(t, s, middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"page-40017"}}`})
	branch, manager := session.Key{SessionID: "branch"}, newManager(t, store, nil)
	_, err := manager.Branch(t.Context(), conversation, branch, nil)
	require.NoError(t, err)
	require.NoError(t, manager.Delete(t.Context(), conversation))
	assert.Empty(t, journalOf(t, s))
	calls, err := s.Journal(t.Context(), branch)
	require.NoError(t, err)
	assert.Len(t, calls, 1)
}

// TestJournalThatFails: the call is recorded.
func TestJournalThatFails(t *testing.T) {
	t.Parallel()
	s := newSessions(t, noResults{memstore.New(nil)}, &middleware.SessionsOptions{Journal: middleware.NewJournal(&middleware.JournalOptions{Stored: true})})
	recordIn(t, s, middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"page-40017"}}`})
	block, err := s.Block(t.Context(), conversation)
	require.NoError(t, err)
	assert.Contains(t, block, "page-40017")
	_, err = middleware.NewSessions(newManager(t, struct{ driver.Store }{memstore.New(nil)}, nil), &middleware.SessionsOptions{
		Journal: middleware.NewJournal(&middleware.JournalOptions{Stored: true}),
	})
	require.ErrorIs(t, err, session.ErrNoResultStore)
}

// TestDamagedJournal: an entry that cannot be read is an error without contents.
func TestDamagedJournal(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	s := newSessions(t, store, &middleware.SessionsOptions{Journal: middleware.NewJournal(&middleware.JournalOptions{Stored: true})})
	recordIn(t, s, middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"page-40017"}}`})
	entry := driver.StoredResult{ResultInfo: driver.ResultInfo{Kind: driver.JournalEntry, ID: "2", Meta: []byte(`{"tool":"x","changed":true}`)}, Content: []byte("hunter2")}
	require.NoError(t, store.PutResult(t.Context(), conversation, entry, 1<<20))
	calls := journalOf(t, s)
	require.Len(t, calls, 2)
	_, err := s.JournalEntry(t.Context(), conversation, &calls[1])
	require.ErrorContains(t, err, "damaged")
	var deflated bytes.Buffer
	w, err := flate.NewWriter(&deflated, flate.BestSpeed)
	require.NoError(t, err)
	_, err = w.Write([]byte(`{"entities":"hunter2"}`))
	require.NoError(t, errors.Join(err, w.Close()))
	entry.ID, entry.Content = "4", deflated.Bytes()
	require.NoError(t, store.PutResult(t.Context(), conversation, entry, 1<<20))
	calls = journalOf(t, s)
	_, _, err = entryOf(t, s, &calls[2]).State()
	require.ErrorContains(t, err, "damaged")
	entry.ID, entry.Meta = "3", []byte(`"hunter2"`)
	require.NoError(t, store.PutResult(t.Context(), conversation, entry, 1<<20))
	_, err = s.Journal(t.Context(), conversation)
	require.ErrorContains(t, err, "damaged")
	assert.NotContains(t, err.Error(), "hunter2")
}

func TestConcurrentJournal(t *testing.T) {
	journals(t, middleware.JournalOptions{}, func(t *testing.T, s *middleware.Sessions, _ func() *middleware.Sessions) {
		rec := s.Recorder(conversation)
		var calls sync.WaitGroup
		for n := range 16 {
			calls.Go(func() {
				assert.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: fmt.Sprintf(`{"page":{"id":"page-%d"}}`, 40_000+n)}))
			})
		}
		calls.Wait()
		journal := journalOf(t, s)
		require.Len(t, journal, 16)
		for i := range journal {
			require.NotEmpty(t, journal[i].Decisions)
			id := journal[i].Decisions[0].ID
			assert.Contains(t, entryOf(t, s, &journal[i]).Result.Text, id, "the decisions of its own call")
		}
	})
}
