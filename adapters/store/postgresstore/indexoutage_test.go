package postgresstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// searches are one of each mode.
func searches() []driver.Search {
	var all []driver.Search
	for mode := longterm.ModeList; mode <= longterm.ModeHybrid; mode++ {
		all = append(all, driver.Search{
			Scope: longterm.Everyone(), Mode: mode, Limit: 10, Terms: []string{"a", "b"}, Vector: []float32{1}, Model: "m",
			Filter:  longterm.RecordFilter{Topics: &longterm.TextCondition{Any: []string{"t"}}},
			Ranking: driver.Ranking{Alpha: 0.5, Recency: new(longterm.DefaultRecency()), Now: time.Now()},
		})
	}
	return all
}

var anEntry = driver.Entry{
	Record: longterm.Record{ID: "r", Namespace: "n", UserID: "u", Hash: "h", Text: "secret", Topics: []string{"t"}},
	Terms:  []string{"a", "secret"}, Vector: []float32{1}, Model: "m",
}

// useIndex calls each method.
func useIndex(t *testing.T, x driver.Index) {
	t.Helper()
	key := driver.KeyOf(&anEntry.Record)
	add(t, x, &anEntry)
	require.NoError(t, x.Touch(t.Context(), []driver.RecordKey{key}, time.Now()))
	found, err := x.Lookup(t.Context(), driver.Lookup{Keys: []driver.RecordKey{key}})
	require.NoError(t, err)
	require.Len(t, found, 1)
	for _, s := range searches() {
		page, err := x.Search(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, 1, page.Total)
	}
	require.NoError(t, x.Write(t.Context(), []driver.RecordChange{{Key: key, If: found[0].Version}}))
}

// TestIndexOfAReadOnlyServer: what is there can be read, and the rest is said to be
// unavailable, without contents.
func TestIndexOfAReadOnlyServer(t *testing.T) {
	t.Parallel()
	schema := newSchema(t)
	add(t, open(t, schema).Index(), &anEntry)
	s, err := postgresstore.Open(t.Context(), withParameter(t, "default_transaction_read_only", "on"), &postgresstore.Options{Schema: schema, SweepInterval: -1})
	require.NoError(t, err)
	defer s.Close()
	x, key := s.Index(), driver.KeyOf(&anEntry.Record)
	for _, search := range searches() {
		page, err := x.Search(t.Context(), search)
		require.NoError(t, err)
		require.Equal(t, 1, page.Total)
	}
	for _, err := range []error{
		x.Touch(t.Context(), []driver.RecordKey{key}, time.Now()),
		x.Write(t.Context(), []driver.RecordChange{{Key: driver.RecordKey{ID: "new"}, Entry: &driver.Entry{Record: longterm.Record{ID: "new", Text: "secret"}}}}),
	} {
		require.ErrorIs(t, err, longterm.ErrUnavailable)
		require.NotErrorIs(t, err, session.ErrUnavailable)
		require.NotContains(t, err.Error(), "secret")
	}
}

// atCommit lets the answer to the next COMMIT be lost.
type atCommit struct{ armed, lose atomic.Bool }

func (c *atCommit) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if data.SQL == "commit" && c.armed.Swap(false) {
		c.lose.Store(true)
	}
	return ctx
}

func (c *atCommit) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestLostAnswersOfTheIndex: what was written while the answer got lost is said to be
// unknown, and done once.
func TestLostAnswersOfTheIndex(t *testing.T) {
	t.Parallel()
	var lost atCommit
	x := losingAt(t, &lost.lose, &lost).Index()
	useIndex(t, x)
	keys := []driver.RecordKey{driver.KeyOf(&anEntry.Record)}
	change := []driver.RecordChange{{Key: keys[0], Entry: &anEntry}}
	lost.armed.Store(true)
	require.ErrorIs(t, x.Write(t.Context(), change), longterm.ErrUnavailable)
	require.ErrorIs(t, x.Write(t.Context(), change), longterm.ErrConflict)
	// The new connection knows the statements from now on.
	require.NoError(t, x.Touch(t.Context(), keys, time.Now()))
	lost.lose.Store(true)
	require.ErrorIs(t, x.Touch(t.Context(), keys, time.Now()), longterm.ErrUnavailable)
	found, err := x.Lookup(t.Context(), driver.Lookup{Keys: keys})
	require.NoError(t, err)
	require.Equal(t, 2, found[0].Record.AccessCount)
}

// TestIndexErrors: a context that ended, and a store that was closed.
func TestIndexErrors(t *testing.T) {
	t.Parallel()
	s := open(t, newSchema(t))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	x := s.Index()
	calls := func(ctx context.Context) map[string]error {
		_, lookup := x.Lookup(ctx, driver.Lookup{})
		_, search := x.Search(ctx, searches()[0])
		return map[string]error{
			"lookup": lookup, "search": search,
			"write": x.Write(ctx, nil), "touch": x.Touch(ctx, nil, time.Now()),
		}
	}
	for name, err := range calls(ended) {
		assert.ErrorIs(t, err, context.Canceled, name)
	}
	require.NoError(t, s.Close())
	for name, err := range calls(t.Context()) {
		assert.ErrorIs(t, err, longterm.ErrClosed, name)
	}
}

// TestWritersDoNotWaitForEachOther: those that change the same records, in whatever
// order, or take each other's hashes. The server does not end deadlocks here: with one,
// writers would wait until the context ends.
func TestWritersDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	schema := newSchema(t)
	open(t, schema)
	s, err := postgresstore.Open(t.Context(), withParameter(t, "deadlock_timeout", "1h"), &postgresstore.Options{Schema: schema, SweepInterval: -1})
	require.NoError(t, err)
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for writer := range uint64(4) {
		all.Go(func() {
			g := rand.New(rand.NewPCG(writer, 0))
			for range 40 {
				if err := crossing(ctx, s.Index(), g); err != nil && !errors.Is(err, longterm.ErrConflict) {
					assert.NoError(t, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// crossing gives eight records of two owners each other's hashes.
func crossing(ctx context.Context, x driver.Index, g *rand.Rand) error {
	keys := make([]driver.RecordKey, 8)
	for i, n := range g.Perm(len(keys)) {
		keys[i] = driver.RecordKey{Namespace: fmt.Sprint(n % 2), ID: fmt.Sprint(n)}
	}
	found, err := x.Lookup(ctx, driver.Lookup{Keys: keys})
	if err != nil {
		return err
	}
	versions := map[driver.RecordKey]uint64{}
	for _, e := range found {
		versions[driver.KeyOf(&e.Record)] = e.Version
	}
	hashes := g.Perm(len(keys))
	changes := make([]driver.RecordChange, len(keys))
	for i, key := range keys {
		changes[i] = driver.RecordChange{Key: key, If: versions[key], Entry: &driver.Entry{
			Record: longterm.Record{Namespace: key.Namespace, ID: key.ID, Hash: fmt.Sprint(hashes[i])},
		}}
	}
	if err := x.Touch(ctx, keys, time.Now()); err != nil {
		return err
	}
	if g.IntN(2) == 0 { // else the versions are those from before
		return x.Write(ctx, changes)
	}
	found, err = x.Lookup(ctx, driver.Lookup{Keys: keys})
	for _, e := range found {
		for i := range changes {
			if changes[i].Key == driver.KeyOf(&e.Record) {
				changes[i].If = e.Version
			}
		}
	}
	return errors.Join(err, x.Write(ctx, changes))
}
