package postgresstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// searches returns a search of each mode.
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

// useIndex calls each method of the index.
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
	search := searches()[longterm.ModeSemantic]
	search.Ranking.Recency = nil
	near, err := x.Nearest(t.Context(), slices.Repeat([]driver.Search{search}, 3))
	require.NoError(t, err)
	require.Len(t, near, 3)
	_, err = x.Neighbours(t.Context(), []driver.RecordKey{key})
	require.NoError(t, err)
	require.NoError(t, x.Write(t.Context(), []driver.RecordChange{{Key: key, If: found[0].Version}}))
}

// atCommit sets lose at the next COMMIT once it is armed.
type atCommit struct{ armed, lose atomic.Bool }

func (c *atCommit) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if data.SQL == "commit" && c.armed.Swap(false) {
		c.lose.Store(true)
	}
	return ctx
}

func (c *atCommit) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestLostAnswers: if the answer to a write is lost, the error is ErrUnavailable and the write took
// effect once. For sessions, TestFaults shows the same.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	var lost atCommit
	s := losing(t, &lost.lose, &lost)
	x, tokens := s.Index(), s.Tokens()
	useIndex(t, x)
	keys := []driver.RecordKey{driver.KeyOf(&anEntry.Record)}
	change := []driver.RecordChange{{Key: keys[0], Entry: &anEntry}}
	lost.armed.Store(true)
	require.ErrorIs(t, x.Write(t.Context(), change), longterm.ErrUnavailable)
	require.ErrorIs(t, x.Write(t.Context(), change), longterm.ErrConflict)
	// The new connection has to prepare the statements first.
	require.NoError(t, x.Touch(t.Context(), keys, time.Now()))
	lost.lose.Store(true)
	require.ErrorIs(t, x.Touch(t.Context(), keys, time.Now()), longterm.ErrUnavailable)
	found, err := x.Lookup(t.Context(), driver.Lookup{Keys: keys})
	require.NoError(t, err)
	require.Equal(t, 2, found[0].Record.AccessCount)

	useTokens(t, tokens)
	lost.lose.Store(true)
	_, _, err = auth.Create(t.Context(), tokens, auth.CreateOptions{Unbound: true})
	require.ErrorIs(t, err, auth.ErrUnavailable)
	all, err := tokens.List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
}

// TestWritersDoNotDeadlock: writers that change the same records in any order or swap hashes do not
// deadlock. The server does not detect deadlocks here, so a deadlock would last until the context ends.
func TestWritersDoNotDeadlock(t *testing.T) {
	t.Parallel()
	schema := newSchema(t)
	open(t, schema)
	s := openOn(t, withParameter(t, "deadlock_timeout", "1h"), schema)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for writer := range uint64(4) {
		all.Go(func() {
			g := rand.New(rand.NewPCG(writer, 0))
			for range soak.Times(15, 40) {
				if err := crossing(ctx, s.Index(), g); err != nil && !errors.Is(err, longterm.ErrConflict) {
					assert.NoError(t, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// crossing permutes the hashes of eight records of two owners.
func crossing(ctx context.Context, x driver.Index, g *rand.Rand) error {
	keys, hashes := make([]driver.RecordKey, 8), g.Perm(8)
	for i, n := range g.Perm(len(keys)) {
		keys[i] = driver.RecordKey{Namespace: fmt.Sprint(n % 2), ID: fmt.Sprint(n)}
	}
	if err := x.Touch(ctx, keys, time.Now()); err != nil {
		return err
	}
	found, err := x.Lookup(ctx, driver.Lookup{Keys: keys})
	versions := map[driver.RecordKey]uint64{}
	for _, e := range found {
		versions[driver.KeyOf(&e.Record)] = e.Version
	}
	changes := make([]driver.RecordChange, len(keys))
	for i, key := range keys {
		changes[i] = driver.RecordChange{Key: key, If: versions[key], Entry: &driver.Entry{
			Record: longterm.Record{Namespace: key.Namespace, ID: key.ID, Hash: fmt.Sprint(hashes[i])},
		}}
	}
	return errors.Join(err, x.Write(ctx, changes))
}
