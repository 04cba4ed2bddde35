package service_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

const (
	homeID  = "0b7c4f0e-6d0b-4c39-9f0a-5b0f6c1d2e3f"
	otherID = "5e1d9a44-1c1a-47f5-8a3b-9d2c4e6f7081"
)

var (
	nobody  = service.Tenant{}
	handles = service.Rewriting{Handles: new(true)}
	storing = service.Rewriting{StoreResults: new(true)}
)

// recordPage records a call that returned a page, and returns what the model is to see.
func recordPage(t *testing.T, s *service.Service, id, title string, r service.Rewriting) any {
	t.Helper()
	recorded, err := s.RecordToolCall(t.Context(), nobody, here.Ref, middleware.ToolCall{
		Name: "get_page", Result: map[string]any{"page": map[string]any{"id": id, "title": title}},
	}, r)
	require.NoError(t, err)
	require.Equal(t, id, recorded.Found.Entities[0].ID, "entities have ids")
	return recorded.Shown
}

func page(id, title string) any {
	return map[string]any{"page": map[string]any{"id": id, "title": title}}
}

// large is a result of some 14,000 tokens.
func large() string {
	var rows []string
	for i := range 2000 {
		rows = append(rows, fmt.Sprintf(`{"id":"order-%d","paid":true}`, 1000+i))
	}
	return `{"orders":[` + strings.Join(rows, ",") + `]}`
}

func TestHandlesByDefaultAndByCall(t *testing.T) {
	t.Parallel()
	off, on := inspected(t, memstore.New(nil), nil), inspected(t, memstore.New(nil), &middleware.SessionsOptions{Handles: &handle.Options{}})
	assert.Nil(t, recordPage(t, off, homeID, "Home", service.Rewriting{}))
	assert.Equal(t, page("page#1", "Home"), recordPage(t, off, homeID, "Home", handles))
	assert.Equal(t, page("page#1", "Home"), recordPage(t, on, homeID, "Home", service.Rewriting{}))
	assert.Nil(t, recordPage(t, on, homeID, "Home", service.Rewriting{Handles: new(false)}))

	failed, err := on.RecordToolCall(t.Context(), nobody, here.Ref, middleware.ToolCall{Name: "get_page", Err: errors.New("no access to " + homeID)}, service.Rewriting{})
	require.NoError(t, err)
	assert.Equal(t, "no access to page#1", failed.Shown)
	assert.Empty(t, failed.Found.Entities)
}

func TestBlocksShowHandles(t *testing.T) {
	t.Parallel()
	s := newService(t)
	recordPage(t, s, homeID, "Home", handles)
	block, err := s.Block(t.Context(), nobody, here.Ref, service.BlockView{})
	require.NoError(t, err)
	assert.Equal(t, "[WORKING MEMORY]\npages:\n  - \"Home\" (page#1)\n", block+"\n")
	ids, err := s.Block(t.Context(), nobody, here.Ref, service.BlockView{IDs: true})
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(block, "page#1", homeID, 1), ids)

	prompted, err := s.Prompt(t.Context(), nobody, &service.PromptRequest{Query: "rename page#1", Session: &service.PromptSession{Ref: here.Ref}})
	require.NoError(t, err)
	assert.Contains(t, prompted.Messages[0].Content, block)

	decisions, err := s.Decisions(t.Context(), nobody, here.Ref)
	require.NoError(t, err)
	require.Len(t, decisions.Entities, 1)
	assert.Equal(t, []string{homeID, "page#1", "shown"}, []string{decisions.Entities[0].ID, decisions.Entities[0].Handle, string(decisions.Entities[0].Verdict)})
}

func TestDecodeArguments(t *testing.T) {
	t.Parallel()
	s := newService(t)
	unknown := func(arguments any, message string) {
		t.Helper()
		_, err := s.DecodeArguments(t.Context(), nobody, here.Ref, arguments)
		assert.Equal(t, map[string]service.Problem{"arguments": service.UnknownHandle}, invalid(t, err))
		var e *service.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, message, e.Fields[0].Message)
	}
	unknown(map[string]any{"id": "page#1"}, "unknown handle page#1: the tool was not called")
	recordPage(t, s, homeID, "Home", handles)
	recordPage(t, s, otherID, "Prices", handles)
	for _, tc := range []struct{ given, want any }{
		{map[string]any{"id": "page#2", "n": 1.0}, map[string]any{"id": otherID, "n": 1.0}},
		{`{"id":"page#1"}`, `{"id":"` + homeID + `"}`},
		{"I renamed page#1.", "I renamed " + homeID + "."},
		{map[string]any{"id": homeID}, map[string]any{"id": homeID}},
		{nil, nil},
	} {
		decoded, err := s.DecodeArguments(t.Context(), nobody, here.Ref, tc.given)
		require.NoError(t, err)
		assert.Equal(t, tc.want, decoded)
	}
	unknown(map[string]any{"id": "page#7"}, "unknown handle page#7: the tool was not called; known handles are page#2, page#1")

	unknown([]any{"issue#5"}, "unknown handle issue#5: the tool was not called; known handles are page#2, page#1")
	_, err := s.AppendMessages(t.Context(), nobody, here, []session.Message{said("1", "Close issue#5 on page#7")})
	require.NoError(t, err)
	decoded, err := s.DecodeArguments(t.Context(), nobody, here.Ref, []any{"issue#5"})
	require.NoError(t, err)
	assert.Equal(t, []any{"issue#5"}, decoded, "the user typed it, and there are no handles of issues")
	unknown([]any{"page#7"}, "unknown handle page#7: the tool was not called; known handles are page#2, page#1")

	for _, other := range []service.Tenant{{Namespace: "rival"}, {UserID: "bob"}} {
		_, err := s.DecodeArguments(t.Context(), other, here.Ref, []any{"page#1"})
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "known handles")
	}
}

// Clients that write a session do not know of handles, and none is given out again.
func TestWritesKeepHandles(t *testing.T) {
	t.Parallel()
	s := newService(t)
	recordPage(t, s, homeID, "Home", handles)
	for name, given := range map[string]*service.SessionWrite{
		"messages": {Messages: []session.Message{said("1", "hello")}},
		"empty":    {},
		"entities": {Entities: &[]memory.Entity{{Type: "page", ID: "p-1"}}},
	} {
		_, err := s.PutSession(t.Context(), nobody, here, given)
		require.NoError(t, err, name)
		_, err = s.AppendMessages(t.Context(), nobody, here, []session.Message{said("2"+name, "and")})
		require.NoError(t, err, name)
		decoded, err := s.DecodeArguments(t.Context(), nobody, here.Ref, "page#1")
		require.NoError(t, err, name)
		assert.Equal(t, homeID, decoded, name)
	}
	assert.Equal(t, page("page#2", "Prices"), recordPage(t, s, otherID, "Prices", handles))
}

func TestStoredResults(t *testing.T) {
	t.Parallel()
	s := inspected(t, memstore.New(nil), &middleware.SessionsOptions{Results: &middleware.ResultsOptions{Threshold: 100, MaxBytes: 80_000}})
	list, err := s.ListResults(t.Context(), nobody, here.Ref)
	require.NoError(t, err)
	assert.Equal(t, "No results are stored.", list)
	assert.Equal(t, page(homeID, "Home"), recordPage(t, s, homeID, "Home", service.Rewriting{}), "results of few tokens are shown whole")
	list2 := func(r service.Rewriting) any {
		recorded, err := s.RecordToolCall(t.Context(), nobody, here.Ref, middleware.ToolCall{Name: "list_orders", Result: large()}, r)
		require.NoError(t, err)
		return recorded.Shown
	}
	assert.Contains(t, list2(service.Rewriting{}), "[STORED RESULT] result#1")
	assert.Nil(t, list2(service.Rewriting{StoreResults: new(false)}))

	read := func(r middleware.ReadRequest) (string, error) {
		return s.ReadResult(t.Context(), nobody, here.Ref, r)
	}
	for _, name := range []string{"result#1", "1"} {
		text, err := read(middleware.ReadRequest{Handle: name, Path: "$.orders[1500].id"})
		require.NoError(t, err)
		assert.Contains(t, text, "order-2500")
	}
	_, err = read(middleware.ReadRequest{Offset: -1})
	assert.Equal(t, map[string]service.Problem{"handle": service.TooShort, "offset": service.TooSmall}, invalid(t, err))
	_, err = read(middleware.ReadRequest{Handle: "1", Path: "$["})
	assert.Equal(t, map[string]service.Problem{"path": service.Unfit}, invalid(t, err))
	_, err = read(middleware.ReadRequest{Handle: "9"})
	is(t, err, service.NotFound, "unknown handle result#9: the tool was not called; known handles are result#1")
	_, err = s.ReadResult(t.Context(), service.Tenant{UserID: "bob"}, here.Ref, middleware.ReadRequest{Handle: "1"})
	is(t, err, service.NotFound, "unknown handle result#1: the tool was not called")

	_, err = s.RecordToolCall(t.Context(), nobody, here.Ref, middleware.ToolCall{Name: "list_orders", Result: strings.ReplaceAll(large(), "order-", "o-")}, storing)
	require.NoError(t, err)
	_, err = read(middleware.ReadRequest{Handle: "1"})
	is(t, err, service.Gone, "The result was dropped, because newer ones needed its room: call the tool again")
	list, err = s.ListResults(t.Context(), nobody, here.Ref)
	require.NoError(t, err)
	assert.Contains(t, list, "result#1: dropped\nresult#2: \"list_orders\", JSON")
}

// is checks the kind and the detail of an error.
func is(t *testing.T, err error, kind service.Kind, detail string) {
	t.Helper()
	var e *service.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, kind, e.Kind)
	assert.Equal(t, detail, e.Detail)
}

// A store that keeps no results shows them whole.
func TestStoresWithoutResults(t *testing.T) {
	t.Parallel()
	s := inspected(t, struct{ driver.Store }{memstore.New(nil)}, nil)
	recorded, err := s.RecordToolCall(t.Context(), nobody, here.Ref, middleware.ToolCall{Name: "list_orders", Result: large()}, storing)
	require.NoError(t, err)
	assert.Equal(t, large(), recorded.Shown)
	_, err = s.ListResults(t.Context(), nobody, here.Ref)
	is(t, err, service.Bad, "Results are not stored")
	_, err = s.ReadResult(t.Context(), nobody, here.Ref, middleware.ReadRequest{Handle: "1"})
	is(t, err, service.Bad, "Results are not stored")
}
