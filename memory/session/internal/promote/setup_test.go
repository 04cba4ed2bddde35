package promote_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// rapid.checks is 100 in a soak run.
var _ = flag.Set("rapid.checks", strconv.Itoa(soak.Times(30, 100)))

// longTerm is a LongTerm that remembers what it was asked. From each message it extracts
// a memory whose id is "of" the message's, with the number of the call in its text.
type longTerm struct {
	mu    sync.Mutex
	wants driver.Wants

	extractions []driver.ExtractRequest
	promotions  []driver.PromoteRequest
	memories    map[session.Key]map[string]driver.Record
	messages    map[session.Key][]session.Message
	made        map[string]time.Time // when the session of a message was, by its key and id
	deleted     []session.Key
	refuse      map[string]bool // ids of memories
	numbered    bool            // ids of what is extracted end with the number of the call
	poison      string          // id of a message or an entity from which nothing can be extracted
	finds       []driver.Record // what is extracted, if not nil
	// before is called before each call, with its name; its error is that of the call.
	before func(ctx context.Context, call string) error
}

var _ driver.LongTerm = (*longTerm)(nil)

func newLongTerm(wants driver.Wants) *longTerm {
	return &longTerm{
		wants: wants, memories: map[session.Key]map[string]driver.Record{}, messages: map[session.Key][]session.Message{}, refuse: map[string]bool{},
		made: map[string]time.Time{},
	}
}

// all is what wants everything.
var all = driver.Wants{Messages: true, Extract: true, Entities: true}

func (l *longTerm) Wants(strategy *session.StrategyConfig, any bool) driver.Wants {
	if l.wants.Extract && !any && strategy != nil && strategy.Name == "none" {
		return driver.Wants{Messages: l.wants.Messages}
	}
	return l.wants
}

func (l *longTerm) enter(ctx context.Context, call string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	before := l.before
	l.mu.Unlock()
	if before == nil {
		return nil
	}
	return before(ctx, call)
}

func (l *longTerm) Extract(ctx context.Context, e driver.ExtractRequest) ([]driver.Record, error) {
	if err := l.enter(ctx, "extract"); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := fixture.IDs(e.Messages)
	for _, entity := range e.Entities {
		ids = append(ids, entity.ID)
	}
	if l.poison != "" && slices.Contains(ids, l.poison) {
		return nil, errModel
	}
	l.extractions = append(l.extractions, e)
	if l.finds != nil {
		return l.finds, nil
	}
	var found []driver.Record
	extract := func(id string) {
		memory := "of " + id
		if l.numbered {
			memory += fmt.Sprint(" by ", len(l.extractions))
		}
		found = append(found, driver.Record{ID: memory, Text: fmt.Sprint("call ", len(l.extractions)), ExtractionStrategy: "test", ExtractedFrom: []string{id}})
	}
	for _, m := range e.Messages {
		extract(m.ID)
	}
	for _, entity := range e.Entities {
		extract(entity.Type + " " + entity.ID)
	}
	return found, nil
}

func (l *longTerm) Promote(ctx context.Context, p driver.PromoteRequest) (driver.PromoteResult, error) {
	if err := l.enter(ctx, "promote"); err != nil {
		return driver.PromoteResult{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.promotions = append(l.promotions, p)
	promoted := driver.PromoteResult{Messages: len(p.Messages)}
	for _, m := range p.Memories {
		if l.refuse[m.ID] {
			promoted.Refused = append(promoted.Refused, m.ID)
			continue
		}
		if l.memories[p.Key] == nil {
			l.memories[p.Key] = map[string]driver.Record{}
		}
		l.memories[p.Key][m.ID] = m
		promoted.Memories = append(promoted.Memories, m.ID)
	}
	for _, m := range p.Messages {
		m.PersistedAt = p.Now
		l.made[p.Key.String()+m.ID] = p.CreatedAt
		kept := l.messages[p.Key]
		if i := slices.IndexFunc(kept, func(k session.Message) bool { return k.ID == m.ID }); i >= 0 {
			kept[i] = m
		} else {
			l.messages[p.Key] = append(kept, m)
		}
	}
	return promoted, nil
}

func (l *longTerm) Messages(ctx context.Context, key session.Key) ([]session.Message, error) {
	if err := l.enter(ctx, "messages"); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.messages[key]), nil
}

func (l *longTerm) DeleteMessages(ctx context.Context, key session.Key, made time.Time) error {
	if err := l.enter(ctx, "delete"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deleted = append(l.deleted, key)
	l.messages[key] = slices.DeleteFunc(l.messages[key], func(m session.Message) bool {
		return made.IsZero() || l.made[key.String()+m.ID].Equal(made)
	})
	return nil
}

func (l *longTerm) fail(before func(ctx context.Context, call string) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before = before
}

// failingAt fails calls of a name.
func failingAt(call string, err error) func(context.Context, string) error {
	return func(_ context.Context, name string) error {
		if name == call {
			return err
		}
		return nil
	}
}

// has are the ids of the memories of anna that were kept, in their order.
func (l *longTerm) has() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.memories[fixture.Anna]))
}

// keptMessages are the ids of the messages of anna that were kept.
func (l *longTerm) keptMessages() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fixture.IDs(l.messages[fixture.Anna])
}

// asked are how often memories were extracted and promoted.
func (l *longTerm) asked() (extracted, promoted int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.extractions), len(l.promotions)
}

// promoting makes a manager with a LongTerm that promotes by hand only, with words for
// tokens, a window of 100, no summaries and a clock. Nothing waits for more to come.
func promoting(t testing.TB, store driver.Store, l driver.LongTerm, now func() time.Time, change ...func(*session.Options)) *session.Manager {
	t.Helper()
	opts := &session.Options{
		Counter: fixture.WordCounter{}, Window: 100, Now: now, LongTerm: l, Summaries: summary.Options{Mode: summary.Off},
		Promotions: promotion.Options{Off: true, Batch: 3, Delay: -1},
	}
	for _, c := range change {
		c(opts)
	}
	m, err := session.NewManager(store, opts)
	require.NoError(t, err)
	t.Cleanup(func() { _ = m.Close(context.Background()) })
	return m
}

// working lets the manager promote in the background.
func working(opts *session.Options) { opts.Promotions.Off = false }

// clocked makes a store and its clock.
func clocked() (*memstore.Store, *conformance.Clock) {
	c := fixture.NewClock()
	return memstore.New(&memstore.Options{Now: c.Now}), c
}

// started returns a manager made by promoting, with its LongTerm, which wants everything, its
// store and its clock.
func started(t testing.TB, change ...func(*session.Options)) (*session.Manager, *longTerm, *memstore.Store, *conformance.Clock) {
	t.Helper()
	store, clock := clocked()
	l := newLongTerm(all)
	return promoting(t, store, l, clock.Now, change...), l, store, clock
}

func remember(t testing.TB, m *session.Manager, memories ...driver.Record) {
	t.Helper()
	fixture.ChangeHead(t, m, func(s *session.Session) { s.Memories = append(s.Memories, memories...) })
}

func fact(id, text string) driver.Record { return driver.Record{ID: id, Text: text} }

func promoteNow(t testing.TB, m *session.Manager) promotion.Outcome {
	t.Helper()
	outcome, err := m.Promote(context.Background(), fixture.Anna)
	require.NoError(t, err)
	return outcome
}

func due(t testing.TB, m *session.Manager) []session.Key {
	t.Helper()
	keys, err := m.Due(context.Background(), 10)
	require.NoError(t, err)
	return keys
}
