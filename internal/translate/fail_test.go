package translate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// sessionCalls are the methods of a service on one session.
func (w *working) sessionCalls(t *testing.T) map[string]func() error {
	at := refOf("", "", "s")
	return map[string]func() error{
		"get":       func() error { _, err := w.GetSession(t.Context(), everybody, at, service.View{}); return err },
		"entities":  func() error { _, err := w.Entities(t.Context(), everybody, at); return err },
		"block":     func() error { _, err := w.Block(t.Context(), everybody, at, service.BlockView{}); return err },
		"list":      func() error { _, err := w.ListSessions(t.Context(), everybody, nil, nil, 20, 0); return err },
		"delete":    func() error { return w.DeleteSession(t.Context(), everybody, at, "") },
		"delete if": func() error { return w.DeleteSession(t.Context(), everybody, at, "*") },
		"summarize": func() error { _, err := w.Summarize(t.Context(), everybody, at); return err },
		"put": func() error {
			_, err := w.PutSession(t.Context(), everybody, writeView{Ref: at}, sentBackEmpty())
			return err
		},
		"append": func() error {
			_, err := w.AppendMessages(t.Context(), everybody, writeView{Ref: at}, &wire.Append{Messages: said("x")})
			return err
		},
		"tool call": func() error {
			_, err := w.RecordToolCall(t.Context(), everybody, at, &wire.RecordedCall{Name: "get_page", Result: map[string]any{"id": "1", "title": "Home"}})
			return err
		},
	}
}

func TestFailingStores(t *testing.T) {
	t.Parallel()
	key := session.Key{SessionID: "s"}
	for name, test := range map[string]struct {
		fails error
		kind  service.Kind
	}{
		"unavailable": {fmt.Errorf("redis: secret: %w", session.ErrUnavailable), service.Unavailable},
		"closed":      {session.ErrClosed, service.Unavailable},
		"damaged":     {&session.DamagedError{Key: key, Part: "head", Err: errors.New("secret")}, service.Internal},
		"later":       {&session.FormatError{Key: key, Format: 99, Known: 2}, service.Unavailable},
		"unknown":     {errors.New("secret"), service.Internal},
	} {
		var log bytes.Buffer
		w := newWorking(t, nil, &service.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		w.put("s", sentBackEmpty())
		w.store.fails = test.fails
		for call, do := range w.sessionCalls(t) {
			log.Reset()
			err := do()
			kind := test.kind
			if name == "unknown" && call == "summarize" {
				kind = service.Unavailable // it may be whoever writes the summary
			}
			e := requireKind(t, kind, err)
			assert.NotContains(t, e.Detail, "secret", "%s %s", name, call)
			assert.NotEmpty(t, e.Detail)
			assert.ErrorIs(t, err, test.fails)
			assert.Contains(t, log.String(), "service: a request failed")
		}
		err := w.Ready(t.Context())
		requireKind(t, test.kind, err)
		w.store.fails = nil
		require.NoError(t, w.Ready(t.Context()))
	}
}

func TestDamagedSessionsCanBeDeleted(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	key := session.Key{SessionID: "s"}
	_, _, err := w.store.Append(t.Context(), key, driver.Append{Head: []byte("secret"), Format: driver.Format, Now: start})
	require.NoError(t, err)
	_, err = w.GetSession(t.Context(), everybody, ref("s"), service.View{})
	requireKind(t, service.Internal, err)
	body := sentBackEmpty()
	body.Messages = said("x")
	_, err = w.PutSession(t.Context(), everybody, writeView{Ref: ref("s")}, body)
	requireKind(t, service.Internal, err)
	requireKind(t, service.Internal, w.DeleteSession(t.Context(), everybody, ref("s"), "*"))
	require.NoError(t, w.DeleteSession(t.Context(), everybody, ref("s"), ""))
	w.put("s", body)
}

func TestContextsThatEnd(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	w.put("s", sentBackEmpty())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.store.fails = context.Canceled
	_, err := w.GetSession(ctx, everybody, ref("s"), service.View{})
	require.ErrorIs(t, err, context.Canceled)
	var e *service.Error
	assert.False(t, errors.As(err, &e))
}

func TestTooManyWriters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorking(t, nil, nil)
		w.put("s", sentBackEmpty())
		tries := 0
		w.store.write = func() error { tries++; return session.ErrConflict }
		_, err := w.PutSession(t.Context(), everybody, writeView{Ref: ref("s")}, sentBackEmpty())
		require.NoError(t, err, "nothing to write")
		body := sentBackEmpty()
		body.Messages = said("x")
		_, err = w.PutSession(t.Context(), everybody, writeView{Ref: ref("s")}, body)
		requireKind(t, service.Conflict, err)
		assert.Equal(t, 100, tries)
	})
}

// secretive is a summarizer that fails.
type secretive struct{}

func (secretive) SummarizeMessages(context.Context, summary.Request) (string, error) {
	return "", errors.New("secret")
}

func TestFailingSummaries(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := newWorking(t, &session.Options{Summaries: summary.Options{Summarizer: secretive{}}}, &service.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	body := sentBackEmpty()
	body.Messages = said("a b c", "d e f", "g h i")
	_, err := w.PutSession(t.Context(), everybody, writeView{Ref: ref("s"), Window: 10}, body)
	require.NoError(t, err, "a summary that fails fails no write")
	before := w.get("s")
	assert.Len(t, before.Messages, 3)
	_, err = w.Summarize(t.Context(), everybody, ref("s"))
	assert.Equal(t, "Summarization failed; the session is unchanged", requireKind(t, service.Unavailable, err).Detail)
	assert.Len(t, w.get("s").Messages, 3)
	assert.NotContains(t, log.String(), "secret")
}
