package translate_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// words counts words: "user: one two" has 3 tokens.
type words struct{}

func (words) CountTokens(text string) int { return len(strings.Fields(text)) }

// working is a service on a memstore with a manual clock.
type working struct {
	served
	t        *testing.T
	store    *spy
	sessions *session.Manager
	memory   *longterm.Memory // or nil
	mu       sync.Mutex
	now      time.Time
}

var everybody service.Tenant

// start is the initial time, with nanoseconds that the wire truncates.
var start = time.Date(2026, 3, 2, 9, 0, 0, 123_456_789, time.UTC)

func newWorking(t *testing.T, opts *session.Options, of *service.Options) *working {
	t.Helper()
	w := &working{t: t, now: start}
	if opts == nil {
		opts = &session.Options{}
	}
	if opts.Counter == nil {
		opts.Counter = words{}
	}
	opts.Now = w.clock
	w.store = &spy{Store: memstore.New(&memstore.Options{Now: w.clock})}
	var err error
	w.sessions, err = session.NewManager(w.store, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.sessions.Close(context.Background())) })
	made, err := service.New(w.sessions, of)
	require.NoError(t, err)
	w.served = served{made}
	return w
}

func (w *working) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *working) pass(by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(by)
}

// put writes a session by its id.
func (w *working) put(id string, body *wire.SessionBody) *wire.Session {
	w.t.Helper()
	answer, err := w.PutSession(w.t.Context(), everybody, writeView{Ref: ref(id)}, body)
	require.NoError(w.t, err)
	return answer
}

func (w *working) get(id string) *wire.Session {
	w.t.Helper()
	answer, err := w.GetSession(w.t.Context(), everybody, ref(id), service.View{})
	require.NoError(w.t, err)
	return answer
}

func ref(id string) service.Ref { return service.Ref{SessionID: id} }

func refOf(namespace, user, id string) service.Ref {
	return service.Ref{Namespace: &namespace, UserID: &user, SessionID: id}
}

// said returns a message of the user for each text, with ids and times.
func said(texts ...string) []wire.Message {
	messages := make([]wire.Message, len(texts))
	for i, text := range texts {
		messages[i] = wire.Message{ID: "m-" + text, Role: "user", Content: text, CreatedAt: at(i)}
	}
	return messages
}

// at returns a time some seconds after start.
func at(seconds int) *wire.Time {
	return &wire.Time{Time: start.Truncate(time.Microsecond).Add(time.Duration(seconds) * time.Second)}
}

func contents(messages []wire.Message) []string {
	texts := []string{}
	for _, m := range messages {
		texts = append(texts, m.Content)
	}
	return texts
}

// requireKind requires an *Error of a kind and returns it.
func requireKind(t require.TestingT, kind service.Kind, err error) *service.Error {
	var e *service.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, kind, e.Kind, "%v", e)
	return e
}

// orEmpty returns a text, or "" for nil.
func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// spy is a store that fails on demand and records its calls, with the number of messages.
type spy struct {
	driver.Store
	mu    sync.Mutex
	fails error // of each call
	calls []string
	write func() error
	// before has functions to call once, before the first call of a name.
	before map[string]func()
}

func (s *spy) enter(call string) error {
	s.mu.Lock()
	before := s.before[call]
	delete(s.before, call)
	s.mu.Unlock()
	if before != nil {
		before()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call)
	return s.fails
}

// asked returns the calls since the last call of asked.
func (s *spy) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = nil
	return calls
}

func (s *spy) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	if err := s.enter(fmt.Sprint("load ", last)); err != nil {
		return nil, err
	}
	return s.Store.Load(ctx, key, last)
}

func (s *spy) Append(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
	if err := s.enter("append"); err != nil {
		return driver.Position{}, 0, err
	}
	return s.Store.Append(ctx, key, a)
}

func (s *spy) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	if s.write != nil {
		if err := s.write(); err != nil {
			return driver.Position{}, err
		}
	}
	if err := s.enter("write"); err != nil {
		return driver.Position{}, err
	}
	return s.Store.Write(ctx, key, w)
}

func (s *spy) Delete(ctx context.Context, key session.Key, where *driver.Condition) error {
	if err := s.enter("delete"); err != nil {
		return err
	}
	return s.Store.Delete(ctx, key, where)
}

func (s *spy) List(ctx context.Context, f session.ListOptions) (session.Listing, error) {
	if err := s.enter("list"); err != nil {
		return session.Listing{}, err
	}
	return s.Store.List(ctx, f)
}
