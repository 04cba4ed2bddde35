package postgresstore_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// addThousands adds more than driver.ExactVectors records of n and u with random vectors, each in
// a session of 20, created an hour after the one before.
func addThousands(t *testing.T, x driver.Index, dimension int) []driver.Entry {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 5))
	var entries []driver.Entry
	var changes []driver.RecordChange
	for i := range 2*driver.ExactVectors - 500 {
		r := longterm.Record{
			ID: fmt.Sprint(i), Namespace: "n", UserID: "u", Hash: fmt.Sprint(i), Type: session.RecordSemantic, SessionID: fmt.Sprint(i / 20),
			CreatedAt: time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC),
		}
		if i%10 == 0 {
			r.Type = session.RecordMessage
		}
		entries = append(entries, driver.Entry{Record: r, Vector: vectorOf(random, dimension), Model: "m"})
		changes = append(changes, driver.RecordChange{Key: driver.KeyOf(&r), Entry: &entries[i]})
	}
	for len(changes) > 0 {
		n := min(len(changes), driver.MaxChanges)
		require.NoError(t, x.Write(t.Context(), changes[:n]))
		changes = changes[n:]
	}
	return entries
}

// beside returns a vector of length 1 in a distance from another, in the direction of a third.
func beside(vector, direction []float32, distance float64) []float32 {
	cosine := 0.0
	for i := range vector {
		cosine += float64(vector[i]) * float64(direction[i])
	}
	along, across := 1-distance, math.Sqrt(1-(1-distance)*(1-distance))/math.Sqrt(1-cosine*cosine)
	moved := make([]float32, len(vector))
	for i := range vector {
		moved[i] = float32(along*float64(vector[i]) + across*(float64(direction[i])-cosine*float64(vector[i])))
	}
	return moved
}

// TestTouchedAmongThousands: a use counts in the estimates of a search with Recency.
func TestTouchedAmongThousands(t *testing.T) {
	t.Parallel()
	x := open(t, newSchema(t)).Index()
	entries := addThousands(t, x, 64)
	oldest := driver.KeyOf(&entries[0].Record)
	now := entries[len(entries)-1].Record.CreatedAt
	search := semantic(entries[1].Vector)
	search.NoTotal = true
	search.Ranking = driver.Ranking{Now: now, Recency: &driver.Recency{Fresh: 1, Access: 1, HalfAccess: time.Hour, HalfAge: time.Hour}}
	search.Limit = 1
	page, err := x.Search(t.Context(), search)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(len(entries)-1), page.Hits[0].Record.ID)
	require.NoError(t, x.Touch(t.Context(), []driver.RecordKey{oldest}, now.Add(time.Hour)))
	search.Ranking.Now = now.Add(time.Hour)
	page, err = x.Search(t.Context(), search)
	require.NoError(t, err)
	require.Equal(t, oldest.ID, page.Hits[0].Record.ID)
}

// TestNearestAmongThousands: Nearest finds what Search finds, also if a filter passes few records.
func TestNearestAmongThousands(t *testing.T) {
	t.Parallel()
	x := open(t, newSchema(t)).Index()
	entries := addThousands(t, x, 64)
	random := rand.New(rand.NewPCG(6, 6))
	var searches []driver.Search
	for i := range 40 {
		s := semantic(entries[50*i].Vector)
		s.NoTotal = true
		switch i % 5 {
		case 1:
			s.Vector = beside(s.Vector, vectorOf(random, 64), 0.04)
			s.Ranking.MaxDistance = new(0.05)
		case 2:
			s.Filter.SessionID = &driver.TextCondition{Eq: new("7")}
		case 3:
			s.Filter.Type = &driver.TextCondition{Ne: new(string(session.RecordMessage))}
			s.Offset = 3
		case 4:
			s.Ranking.Recency, s.Ranking.Now = new(longterm.DefaultRecency()), entries[0].Record.CreatedAt
		}
		searches = append(searches, s)
	}
	found, err := x.Nearest(t.Context(), searches)
	require.NoError(t, err)
	for i, s := range searches {
		page, err := x.Search(t.Context(), s)
		require.NoError(t, err)
		require.NotEmpty(t, page.Hits)
		require.Len(t, found[i], len(page.Hits), i)
		for j, hit := range page.Hits {
			require.Equal(t, hit.Record, found[i][j].Record, "search %d, hit %d", i, j)
			require.Equal(t, hit.Version, found[i][j].Version)
			require.InDelta(t, hit.Score, found[i][j].Score, 1e-6)
		}
	}
}
