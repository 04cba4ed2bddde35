package sqlitestore_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// topical generates records of one owner whose texts and vectors have topics, as texts of people
// do: vectors of a topic are near each other. Every second record is a message.
type topical struct {
	random    *rand.Rand
	zipf      *rand.Zipf
	dimension int
	topics    [][]float32
	made      int
}

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newTopical(dimension, topics int) *topical {
	random := rand.New(rand.NewPCG(1, 2))
	c := &topical{random: random, zipf: rand.NewZipf(random, 1.1, 2.7, 30_000), dimension: dimension}
	for range topics {
		c.topics = append(c.topics, c.direction(nil, 0))
	}
	return c
}

// direction returns a vector of length 1: a random one, plus a center of a weight.
func (c *topical) direction(center []float32, weight float64) []float32 {
	v, sum := make([]float32, c.dimension), 0.0
	for i := range v {
		x := c.random.NormFloat64() / math.Sqrt(float64(c.dimension))
		if center != nil {
			x += weight * float64(center[i])
		}
		v[i], sum = float32(x), sum+x*x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// vector returns a vector near a random topic.
func (c *topical) vector() []float32 {
	return c.direction(c.topics[c.random.IntN(len(c.topics))], 0.5+c.random.Float64())
}

func (c *topical) terms(n int) []string {
	terms := make([]string, n)
	for i := range terms {
		terms[i] = fmt.Sprint("word", c.zipf.Uint64())
	}
	return terms
}

// changes returns changes that add the next n records.
func (c *topical) changes(n int) []longtermdriver.RecordChange {
	all := make([]longtermdriver.RecordChange, n)
	for i := range all {
		terms := c.terms(8 + c.random.IntN(33))
		rec := longterm.Record{
			ID: fmt.Sprintf("record%08d", c.made), UserID: "ann", Hash: fmt.Sprint(c.made), Text: fmt.Sprint(terms), Type: session.RecordSemantic,
			SessionID: fmt.Sprint("session", c.made/50), Topics: []string{fmt.Sprint("topic", c.made%20)},
			CreatedAt: began.Add(time.Duration(c.made) * time.Minute),
		}
		if c.made%2 == 1 {
			rec.Type = session.RecordMessage
		}
		rec.LastAccessed = rec.CreatedAt.Add(time.Duration(c.random.IntN(1000)) * time.Hour)
		all[i] = longtermdriver.RecordChange{Key: longtermdriver.KeyOf(&rec), Entry: &longtermdriver.Entry{
			Record: rec, Terms: terms, Vector: c.vector(), Model: "m",
		}}
		c.made++
	}
	return all
}

// question returns a search of a mode, as Memory.Search makes it.
func (c *topical) question(mode longterm.SearchMode) longtermdriver.Search {
	s := longtermdriver.Search{
		Scope: longterm.Of("", "ann"), Mode: mode, Vector: c.vector(), Model: "m", Limit: 10,
		Ranking: longtermdriver.Ranking{Alpha: longterm.DefaultAlpha, Now: began.Add(time.Duration(c.made) * time.Minute)},
	}
	for _, term := range c.terms(12) {
		// A question has few frequent words, since stop words are ignored.
		if !slices.Contains(s.Terms, term) && (len(term) > len("word0") || len(s.Terms) == 0) {
			s.Terms = append(s.Terms, term)
		}
	}
	return s
}

// recall returns a search as Memory.Recall makes it.
func (c *topical) recall() longtermdriver.Search {
	s := c.question(longterm.ModeHybrid)
	s.Limit, s.NoTotal, s.Ranking.Recency = 20, true, new(longterm.DefaultRecency())
	s.Filter.Type = &longterm.TextCondition{Ne: new(string(session.RecordMessage))}
	return s
}

func (c *topical) fill(tb testing.TB, index longtermdriver.Index, n int) {
	tb.Helper()
	for ; n > 0; n -= longtermdriver.MaxChanges {
		require.NoError(tb, index.Write(tb.Context(), c.changes(min(n, longtermdriver.MaxChanges))))
	}
}

// manyRecords returns a number of records, or fewer if the benchmarks only run once.
func manyRecords(n int) int {
	if once := flag.Lookup("test.benchtime"); once != nil && once.Value.String() == "1x" {
		return min(n, 3000)
	}
	return n
}

// BenchmarkOwner measures searches and writes of an owner with many records: vector and keyword find the
// ten best, recall is a search as of Memory.Recall, counted has a total too, rare a filter that passes
// 1 in 20 of the records; nearest is for near duplicates.
func BenchmarkOwner(b *testing.B) {
	for _, size := range []struct{ records, dimension int }{{1000, 64}, {10_000, 64}, {100_000, 64}, {100_000, 256}, {100_000, 1536}} {
		b.Run(fmt.Sprintf("records=%d/dimension=%d", size.records, size.dimension), func(b *testing.B) {
			c, path, records := newTopical(size.dimension, 1000), newPath(b), manyRecords(size.records)
			store, err := sqlitestore.Open(b.Context(), path, nil)
			require.NoError(b, err)
			c.fill(b, store.Index(), records)
			require.NoError(b, store.Close())
			info, err := os.Stat(path)
			require.NoError(b, err)
			index := open(b, path, nil).Index()
			counted := func() longtermdriver.Search {
				s := c.recall()
				s.NoTotal = false
				return s
			}
			rare := func() longtermdriver.Search {
				s := c.recall()
				s.Filter.Topics = &longterm.TextCondition{Eq: new("topic4")}
				return s
			}
			for name, question := range map[string]func() longtermdriver.Search{
				"vector":  func() longtermdriver.Search { return c.question(longterm.ModeSemantic) },
				"keyword": func() longtermdriver.Search { return c.question(longterm.ModeKeyword) },
				"recall":  c.recall, "counted": counted, "rare": rare,
			} {
				b.Run(name, func(b *testing.B) {
					var took []time.Duration
					for b.Loop() {
						s := question()
						start := time.Now()
						page, err := index.Search(b.Context(), s)
						took = append(took, time.Since(start))
						require.NoError(b, err)
						require.NotEmpty(b, page.Hits)
					}
					slices.Sort(took)
					b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
					b.ReportMetric(float64(info.Size())/1e6, "file-MB")
				})
			}
			b.Run("put", func(b *testing.B) {
				var took []time.Duration
				for b.Loop() {
					changes := c.changes(1)
					start := time.Now()
					require.NoError(b, index.Write(b.Context(), changes))
					took = append(took, time.Since(start))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			})
			b.Run("neighbours=100", func(b *testing.B) {
				keys := make([]longtermdriver.RecordKey, 100)
				for i := range keys {
					keys[i] = longtermdriver.RecordKey{UserID: "ann", ID: fmt.Sprintf("record%08d", c.random.IntN(records))}
				}
				for b.Loop() {
					_, err := index.Neighbours(b.Context(), keys)
					require.NoError(b, err)
				}
			})
			b.Run("nearest=250", func(b *testing.B) {
				for b.Loop() {
					searches := make([]longtermdriver.Search, 250)
					for i := range searches {
						s := c.question(longterm.ModeSemantic)
						s.Limit, s.NoTotal, s.Ranking.MaxDistance = 20, true, new(0.05)
						s.Filter.Type = &longterm.TextCondition{Eq: new(string(session.RecordSemantic))}
						searches[i] = s
					}
					_, err := index.Nearest(b.Context(), searches)
					require.NoError(b, err)
				}
			})
		})
	}
}

// BenchmarkRecall reports how many of the ten best hits of 100,000 records searches find.
func BenchmarkRecall(b *testing.B) {
	for _, dimension := range []int{64, 256, 1536} {
		for name, topics := range map[string]int{"topics": 1000, "no topics": 100_000} {
			b.Run(fmt.Sprintf("dimension=%d/%s", dimension, name), func(b *testing.B) {
				c, index, exact := newTopical(dimension, topics), open(b, newPath(b), nil).Index(), memindex.New(nil)
				for range manyRecords(100_000) / longtermdriver.MaxChanges {
					changes := c.changes(longtermdriver.MaxChanges)
					require.NoError(b, index.Write(b.Context(), changes))
					require.NoError(b, exact.Write(b.Context(), changes))
				}
				recent := func(s longtermdriver.Search) longtermdriver.Search {
					s.Ranking.Recency = new(longterm.DefaultRecency())
					return s
				}
				few := func(s longtermdriver.Search) longtermdriver.Search {
					s.Filter.SessionID = &longterm.TextCondition{StartsWith: new("session1")}
					s.Filter.Topics = &longterm.TextCondition{Eq: new("topic4")}
					s.NoTotal = true
					return s
				}
				for name, question := range map[string]func() longtermdriver.Search{
					"vector":  func() longtermdriver.Search { return c.question(longterm.ModeSemantic) },
					"recency": func() longtermdriver.Search { return recent(c.question(longterm.ModeSemantic)) },
					"hybrid":  func() longtermdriver.Search { return c.question(longterm.ModeHybrid) },
					"few":     func() longtermdriver.Search { return few(c.question(longterm.ModeSemantic)) },
					"recall":  c.recall,
				} {
					b.Run(name, func(b *testing.B) {
						found, wanted := 0, 0
						for b.Loop() {
							s := question()
							got, err := index.Search(b.Context(), s)
							require.NoError(b, err)
							want, err := exact.Search(b.Context(), s)
							require.NoError(b, err)
							for _, hit := range want.Hits[:10] {
								wanted++
								if slices.ContainsFunc(got.Hits[:10], func(h longterm.Hit) bool { return h.Record.ID == hit.Record.ID }) {
									found++
								}
							}
						}
						b.ReportMetric(float64(found)/float64(wanted), "recall@10")
					})
				}
			})
		}
	}
}
