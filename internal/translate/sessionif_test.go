package translate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

func tagOf(s *wire.Session) string { return fmt.Sprintf("%q", fmt.Sprint(s.Version)) }

// A write between the check and the delete makes the delete fail.
func TestConditionalDeletesAreAtomic(t *testing.T) {
	t.Parallel()
	for ifMatch, gone := range map[string]bool{"version": false, "*": true, `"1", *`: true} {
		w := newWorking(t, nil, nil)
		before := w.put("s", &wire.SessionBody{Messages: said("a")})
		if ifMatch == "version" {
			ifMatch = tagOf(before)
		}
		append := func() {
			_, err := w.AppendMessages(t.Context(), everybody, writeView{Ref: ref("s")}, &wire.Append{Messages: said("b")})
			require.NoError(t, err)
		}
		w.store.before = map[string]func(){"delete": append}
		err := w.DeleteSession(t.Context(), everybody, ref("s"), ifMatch)
		_, getErr := w.GetSession(t.Context(), everybody, ref("s"), service.View{})
		if gone {
			require.NoError(t, err, ifMatch)
			requireKind(t, service.NotFound, getErr)
			continue
		}
		requireKind(t, service.Stale, err)
		require.NoError(t, getErr)
	}
}

// An expired session that can be rebuilt has version 0, and one written concurrently another.
func TestConditionsOnExpiredSessions(t *testing.T) {
	t.Parallel()
	expired := func() (*working, *counting, writeView) {
		w, longTerm := newPromoting(t)
		view := writeView{Ref: refOf("", "", "s"), TTLSeconds: new(int64(1))}
		_, err := w.PutSession(t.Context(), everybody, view, &wire.SessionBody{Messages: said("a")})
		require.NoError(t, err)
		w.promote("s")
		w.pass(time.Minute)
		require.Zero(t, w.get("s").Version)
		return w, longTerm, writeView{Ref: view.Ref}
	}
	put := func(w *working, view writeView, text string) error {
		_, err := w.PutSession(t.Context(), everybody, view, &wire.SessionBody{Messages: said(text)})
		return err
	}
	w, _, view := expired()
	meanwhile := func() { require.NoError(t, put(w, view, "b")) }
	w.store.before = map[string]func(){"load 0": func() { // when it was looked for, and is to be deleted
		w.store.before["load 0"] = meanwhile
	}}
	requireKind(t, service.Stale, w.DeleteSession(t.Context(), everybody, view.Ref, `"0"`))
	require.Equal(t, []string{"b"}, contents(w.get("s").Messages), "what was put stays")

	w, longTerm, view := expired()
	require.NoError(t, w.DeleteSession(t.Context(), everybody, view.Ref, `"0"`))
	assert.Empty(t, longTerm.kept)
	requireKind(t, service.Stale, w.DeleteSession(t.Context(), everybody, view.Ref, `"0"`))

	w, _, view = expired()
	view.IfNoneMatch = "*"
	requireKind(t, service.Stale, put(w, view, "b"))
	view.IfNoneMatch, view.IfMatch = "", `"0"`
	requireKind(t, service.Stale, put(w, view, "b"))
	read := w.get("s")
	assert.Equal(t, []string{"a"}, contents(read.Messages))
	view.IfMatch = tagOf(read)
	require.NoError(t, put(w, view, "b"))
	assert.Equal(t, []string{"b"}, contents(w.get("s").Messages))
}
