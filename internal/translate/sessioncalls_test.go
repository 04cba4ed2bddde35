package translate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// Each request makes few calls to the store. Only those that return or replace a whole session read
// all messages.
func TestStoreCallsOfRequests(t *testing.T) {
	t.Parallel()
	w := newWorking(t, &session.Options{Summaries: summary.Options{Mode: summary.Off}}, nil)
	body := &wire.SessionBody{Messages: said("a", "b", "c")}
	full := refOf("shop", "anna", "s")
	view := writeView{Ref: full}
	minimal := writeView{Ref: full, Minimal: true}
	_, err := w.PutSession(t.Context(), everybody, view, body)
	require.NoError(t, err)
	require.Equal(t, []string{"load -1", "write"}, w.store.asked())
	more := &wire.Append{Messages: []wire.Message{{ID: "more", Role: "user", Content: "more", CreatedAt: at(0)}}}
	for name, test := range map[string]struct {
		do   func() error
		want []string
	}{
		"get":       {func() error { _, err := w.GetSession(t.Context(), everybody, full, service.View{}); return err }, []string{"load -1"}},
		"get by id": {func() error { _, err := w.GetSession(t.Context(), everybody, ref("s"), service.View{}); return err }, []string{"list", "load -1"}},
		"get by a bound token": {func() error {
			_, err := w.GetSession(t.Context(), service.Tenant{Namespace: "shop", UserID: "anna"}, ref("s"), service.View{})
			return err
		}, []string{"load -1"}},
		"get a window": {func() error {
			_, err := w.GetSession(t.Context(), everybody, full, service.View{Window: 20})
			return err
		}, []string{"load 64"}},
		"recent": {func() error {
			_, err := w.GetSession(t.Context(), everybody, full, service.View{Recent: 3})
			return err
		}, []string{"load -1"}},
		"append":        {func() error { _, err := w.AppendMessages(t.Context(), everybody, view, more); return err }, []string{"append", "load -1"}},
		"append, a bit": {func() error { _, err := w.AppendMessages(t.Context(), everybody, minimal, more); return err }, []string{"append", "load 0"}},
		"tool call": {func() error {
			_, err := w.RecordToolCall(t.Context(), everybody, full, &wire.RecordedCall{Name: "get_page", Result: map[string]any{"id": "p-1", "title": "Home"}})
			return err
		}, []string{"load 0", "write"}},
		"entities": {func() error { _, err := w.Entities(t.Context(), everybody, full); return err }, []string{"load 0"}},
		"block": {func() error {
			_, err := w.Block(t.Context(), everybody, full, service.BlockView{Budget: 100})
			return err
		}, []string{"load 0"}},
		"decisions": {func() error { _, err := w.Decisions(t.Context(), everybody, full); return err }, []string{"load 0"}},
		"stale put": {func() error {
			stale := writeView{Ref: full, IfMatch: `"1"`}
			_, err := w.PutSession(t.Context(), everybody, stale, body)
			requireKind(t, service.Stale, err)
			return nil
		}, []string{"load -1"}},
		"list": {func() error { _, err := w.ListSessions(t.Context(), everybody, nil, nil, 20, 0); return err }, []string{"list"}},
		"stale delete": {func() error {
			requireKind(t, service.Stale, w.DeleteSession(t.Context(), everybody, full, `"1"`))
			return nil
		}, []string{"load 0"}},
	} {
		require.NoError(t, test.do(), name)
		assert.Equal(t, test.want, w.store.asked(), name)
	}
	answer, err := w.GetSession(t.Context(), everybody, full, service.View{})
	require.NoError(t, err)
	w.store.asked()
	require.NoError(t, w.DeleteSession(t.Context(), everybody, full, tagOf(answer)))
	assert.Equal(t, []string{"load 0", "load 0", "delete"}, w.store.asked())
	require.NoError(t, w.DeleteSession(t.Context(), everybody, full, ""))
	assert.Equal(t, []string{"delete"}, w.store.asked())
}
