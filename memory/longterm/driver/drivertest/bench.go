package drivertest

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Benchmark measures an index with records of 8 to 40 words, with word frequencies like those of a
// language, and vectors in groups: 1,000, 10,000 and 100,000 records of one owner, and 100,000 of 100
// owners, with vectors of 64 numbers, and 100,000 of one owner with vectors of 256. Each search is in
// the scope of one owner. open opens an empty index; it is called for each of these.
//
//   - keyword, vector, hybrid: find the 10 best for a question of 2 to 5 words.
//   - recall: find what longterm.Memory.Recall asks for: the 20 best in a ModeHybrid, with Recency,
//     of records that are no messages, without a total.
//   - list: the 10 newest with a topic that every 20th record has.
//   - insert: add a record, or 100 in one Write.
//   - nearest: find near duplicates of 250 records.
//   - import: put 4,000 records of one user into a longterm.Memory with an Embedder.
//
// Each reports the median and the 99th percentile of the duration of a call, and searches also
// recall@10, the share of the 10 best hits that are found. With -short there
// are at most 10,000 records; with -benchtime=1x, which only checks that the benchmark runs, 5,000.
// The names of the benchmarks include the numbers.
func Benchmark(b *testing.B, open func(tb testing.TB) driver.Index) {
	b.Helper()
	for _, size := range benchmarkSizes() {
		b.Run(fmt.Sprintf("records=%d/owners=%d/numbers=%d", size.records, size.owners, size.dimension), func(b *testing.B) {
			index, exact := open(b), memindex.New(nil)
			c := newCorpus(size.owners, size.dimension)
			c.fill(b, size.records, index, exact)
			for _, kind := range []struct {
				name   string
				mode   driver.SearchMode
				change func(s *driver.Search, i int)
			}{
				{"keyword", driver.ModeKeyword, nil}, {"vector", driver.ModeSemantic, nil}, {"hybrid", driver.ModeHybrid, nil},
				{"recall", driver.ModeHybrid, likeRecall}, {"list", driver.ModeList, ofTopic},
			} {
				b.Run(kind.name, func(b *testing.B) { benchmarkSearch(b, index, exact, c.questions(kind.mode, kind.change)) })
			}
			for _, size := range []int{1, 100} {
				b.Run(fmt.Sprintf("insert=%d", size), func(b *testing.B) { benchmarkInsert(b, index, c, size) })
			}
			b.Run("nearest", func(b *testing.B) { benchmarkNearest(b, index, c) })
		})
	}
	b.Run("import=4000", func(b *testing.B) { benchmarkImport(b, open) })
}

// benchmarkImport puts 4,000 records of one user into a longterm.Memory with an Embedder.
func benchmarkImport(b *testing.B, open func(tb testing.TB) driver.Index) {
	var took []time.Duration
	for b.Loop() {
		b.StopTimer()
		memory, err := longterm.New(open(b), &longterm.Options{Embedder: &Embedder{}})
		require.NoError(b, err)
		entries := newCorpus(1, 1).entries(4000)
		records := make([]driver.Record, len(entries))
		for i := range entries {
			records[i] = entries[i].Record
			records[i].SessionID = "import"
		}
		b.StartTimer()
		start := time.Now()
		if _, err := memory.Put(b.Context(), longterm.Everyone(), records, nil); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		b.StopTimer()
		require.NoError(b, memory.Close(b.Context()))
		b.StartTimer()
	}
	reportTimes(b, took)
}

// likeRecall makes a search one of longterm.Memory.Recall.
func likeRecall(s *driver.Search, _ int) {
	s.Filter.Type = &driver.TextCondition{Ne: new(string(sessiondriver.RecordMessage))}
	s.Ranking.Recency, s.Ranking.Now = new(longterm.DefaultRecency()), made.Add(1000*time.Hour)
	s.Limit, s.NoTotal = 20, true
}

// ofTopic lists the records of the i-th topic.
func ofTopic(s *driver.Search, i int) {
	s.Ranking, s.Filter.Topics = driver.Ranking{}, &driver.TextCondition{Eq: new(fmt.Sprint("topic", i%20))}
}

// benchmarkSize is the size of an index and of its vectors.
type benchmarkSize struct{ records, owners, dimension int }

func benchmarkSizes() []benchmarkSize {
	switch once := flag.Lookup("test.benchtime"); {
	case once != nil && once.Value.String() == "1x":
		return []benchmarkSize{{5000, 1, 64}}
	case testing.Short():
		return []benchmarkSize{{1000, 1, 64}, {10_000, 1, 64}}
	}
	return []benchmarkSize{{1000, 1, 64}, {10_000, 1, 64}, {100_000, 1, 64}, {100_000, 100, 64}, {100_000, 1, 256}}
}

// fill adds records in Writes of the largest size.
func (c *corpus) fill(b *testing.B, records int, indexes ...driver.Index) {
	b.Helper()
	for left := records; left > 0; left -= driver.MaxChanges {
		changes := adding(c.entries(min(left, driver.MaxChanges))...)
		for _, index := range indexes {
			require.NoError(b, index.Write(b.Context(), changes))
		}
	}
	page, err := indexes[0].Search(b.Context(), driver.Search{Scope: longterm.Everyone()})
	require.NoError(b, err)
	require.Equal(b, records, page.Total)
}

func benchmarkSearch(b *testing.B, index, exact driver.Index, searches []driver.Search) {
	// Warm up: the first search is not representative.
	_, err := index.Search(b.Context(), searches[0])
	require.NoError(b, err)
	var took []time.Duration
	found := 0
	for b.Loop() {
		start := time.Now()
		page, err := index.Search(b.Context(), searches[len(took)%len(searches)])
		took = append(took, time.Since(start))
		if err != nil {
			b.Fatal(err)
		}
		found += len(page.Hits)
	}
	if found == 0 && len(took) >= len(searches) {
		b.Fatal("nothing was found")
	}
	reportTimes(b, took)
	b.ReportMetric(recallOf(b, index, exact, searches), "recall@10")
}

// recallOf returns the share of the 10 best hits of searches that an index finds.
func recallOf(b *testing.B, index, exact driver.Index, searches []driver.Search) float64 {
	found, wanted := 0, 0
	for _, s := range searches {
		s.Limit, s.NoTotal = 10, true
		want, err := exact.Search(b.Context(), s)
		require.NoError(b, err)
		got, err := index.Search(b.Context(), s)
		require.NoError(b, err)
		wanted += len(want.Hits)
		for _, id := range ids(want) {
			if slices.Contains(ids(got), id) {
				found++
			}
		}
	}
	return float64(found) / float64(max(wanted, 1))
}

func benchmarkInsert(b *testing.B, index driver.Index, c *corpus, size int) {
	var took []time.Duration
	write := func(ctx context.Context, changes []driver.RecordChange) error {
		start := time.Now()
		defer func() { took = append(took, time.Since(start)) }()
		return index.Write(ctx, changes)
	}
	for b.Loop() {
		b.StopTimer()
		changes := adding(c.entries(size)...)
		b.StartTimer()
		if err := write(b.Context(), changes); err != nil {
			b.Fatal(err)
		}
	}
	reportTimes(b, took)
}

func reportTimes(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
}

// benchmarkNearest searches for near duplicates, as longterm.Memory.Put does.
func benchmarkNearest(b *testing.B, index driver.Index, c *corpus) {
	searches := make([]driver.Search, 250)
	for i := range searches {
		searches[i] = driver.Search{
			Scope: longterm.Of("benchmark", "user0"), Mode: driver.ModeSemantic, Vector: c.vector(), Model: "model", Limit: 20, NoTotal: true,
			Filter:  driver.RecordFilter{Type: &driver.TextCondition{Eq: new(string(sessiondriver.RecordSemantic))}, SessionID: &driver.TextCondition{Eq: new("session0")}},
			Ranking: driver.Ranking{MaxDistance: new(longterm.DefaultMergeDistance)},
		}
	}
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := index.Nearest(b.Context(), searches); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	reportTimes(b, took)
}

// questions returns searches of one owner.
func (c *corpus) questions(mode driver.SearchMode, change func(s *driver.Search, i int)) []driver.Search {
	all := make([]driver.Search, 64)
	for i := range all {
		var words []string
		for range 2 + i%4 {
			// Skip the most frequent words, which questions do not ask for.
			words = append(words, c.words[30+c.random.IntN(3000)])
		}
		all[i] = driver.Search{
			Scope: longterm.Of("benchmark", "user0"), Mode: mode, Terms: driver.QueryTerms(strings.Join(words, " ")),
			Vector: c.vector(), Model: "model", Limit: 10, Ranking: driver.Ranking{Alpha: 0.3},
		}
		if change != nil {
			change(&all[i], i)
		}
	}
	return all
}
