package sqlitestore_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

const benchDims = 256

// benchEntry is a memory of about 20 words, of which some are common.
func benchEntry(r *rand.Rand, i, owners int) *longterm.Entry {
	words := make([]string, 20)
	for k := range words {
		words[k] = fmt.Sprintf("word%d", int(20_000*math.Pow(r.Float64(), 3)))
	}
	at := time.UnixMicro(1_750_000_000_000_000 + int64(i)*1_000_000).UTC()
	rec := longterm.Record{
		ID: fmt.Sprintf("memory-%d", i), Text: strings.Join(words, " "), Type: session.MemorySemantic,
		Namespace: "bench", UserID: fmt.Sprintf("user-%d", i%owners), SessionID: fmt.Sprintf("session-%d", i%1000),
		Topics: []string{fmt.Sprintf("topic-%d", i%50)}, CreatedAt: at, UpdatedAt: at, LastAccessed: at,
	}
	rec.Hash = longterm.HashOf(&rec, false)
	return &longterm.Entry{Record: rec, Terms: words, Vector: benchVector(r), Model: "bench"}
}

func benchVector(r *rand.Rand) []float32 {
	v := make([]float32, benchDims)
	sum := 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func fill(b *testing.B, x longterm.Index, r *rand.Rand, n, owners int) {
	b.Helper()
	start := time.Now()
	for i := 0; i < n; i += longterm.MaxChanges {
		var changes []longterm.Change
		for k := range longterm.MaxChanges {
			e := benchEntry(r, i+k, owners)
			changes = append(changes, longterm.Change{Key: longterm.KeyOf(&e.Record), Entry: e})
		}
		require.NoError(b, x.Write(b.Context(), changes))
	}
	b.Logf("%d records of %d owners in %v", n, owners, time.Since(start))
}

func BenchmarkIndex(b *testing.B) {
	const n = 100_000
	for _, owners := range []int{1, 100} {
		r := rand.New(rand.NewPCG(1, 2))
		store := open(b, newPath(b), nil)
		x := store.Index()
		fill(b, x, r, n, owners)
		scope := longterm.Of("bench", "user-0")
		recency := longterm.DefaultRecency()
		now := time.UnixMicro(1_750_000_000_000_000 + n*1_000_000)
		search := func(mode longterm.Mode) func() {
			return func() {
				s := longterm.Search{Scope: scope, Mode: mode, Limit: 10, Ranking: longterm.Ranking{Alpha: 0.7, Recency: &recency, Now: now}}
				if mode == longterm.ModeKeyword || mode == longterm.ModeHybrid {
					for len(s.Terms) < 5 {
						s.Terms = append(s.Terms, fmt.Sprintf("word%d", int(20_000*math.Pow(r.Float64(), 3))))
					}
				}
				if mode != longterm.ModeKeyword {
					s.Vector, s.Model = benchVector(r), "bench"
				}
				_, err := x.Search(b.Context(), s)
				require.NoError(b, err)
			}
		}
		list := func(f longterm.Filter, o longterm.Order) func() {
			return func() {
				_, err := x.Search(b.Context(), longterm.Search{Scope: scope, Filter: f, Order: o, Limit: 10})
				require.NoError(b, err)
			}
		}
		next := n
		cases := []struct {
			name string
			run  func()
		}{
			{"keyword", search(longterm.ModeKeyword)}, {"vector", search(longterm.ModeSemantic)}, {"hybrid", search(longterm.ModeHybrid)},
			{"list", list(longterm.Filter{}, longterm.OrderNewest)}, {"unused", list(longterm.Filter{}, longterm.OrderLeastRecentlyUsed)},
			{"topic", list(longterm.Filter{Topics: &longterm.Text{Eq: new("topic-7")}}, longterm.OrderNewest)},
			{"insert", func() {
				e := benchEntry(r, next, owners)
				next++
				require.NoError(b, x.Write(b.Context(), []longterm.Change{{Key: longterm.KeyOf(&e.Record), Entry: e}}))
			}},
		}
		for _, c := range cases {
			b.Run(fmt.Sprintf("owners=%d/%s", owners, c.name), func(b *testing.B) {
				var times []time.Duration
				for b.Loop() {
					start := time.Now()
					c.run()
					times = append(times, time.Since(start))
				}
				slices.Sort(times)
				b.ReportMetric(times[len(times)/2].Seconds()*1e3, "p50-ms")
				b.ReportMetric(times[len(times)*99/100].Seconds()*1e3, "p99-ms")
			})
		}
	}
}
