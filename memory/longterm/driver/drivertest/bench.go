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
)

// Benchmark measures an index with 100,000 records of 8 to 40 words, with word frequencies like
// those of a language, and vectors of dimension 256. The records belong to one owner, or to 100;
// each search is in the scope of one. open opens an empty index; it is called twice.
//
//   - keyword, vector, hybrid: find the 10 best for a question of 2 to 5 words.
//   - list: the 10 newest with a topic that every 20th record has.
//   - insert: add a record, or 100 in one Write.
//
// Each reports the median and the 99th percentile of the duration of a call. With -short there
// are 10,000 records; with -benchtime=1x, which only checks that the benchmark runs, 5,000. The
// names of the benchmarks include the number.
func Benchmark(b *testing.B, open func(tb testing.TB) driver.Index) {
	b.Helper()
	records := benchmarkRecords()
	for _, owners := range []int{1, 100} {
		b.Run(fmt.Sprintf("records=%d/owners=%d", records, owners), func(b *testing.B) {
			index := open(b)
			c := newCorpus(owners)
			c.fill(b, index, records)
			for _, mode := range []struct {
				name string
				mode driver.SearchMode
			}{{"keyword", driver.ModeKeyword}, {"vector", driver.ModeSemantic}, {"hybrid", driver.ModeHybrid}, {"list", driver.ModeList}} {
				b.Run(mode.name, func(b *testing.B) { benchmarkSearch(b, index, c.questions(mode.mode)) })
			}
			for _, size := range []int{1, 100} {
				b.Run(fmt.Sprintf("insert=%d", size), func(b *testing.B) { benchmarkInsert(b, index, c, size) })
			}
		})
	}
}

func benchmarkRecords() int {
	switch once := flag.Lookup("test.benchtime"); {
	case once != nil && once.Value.String() == "1x":
		return 5000
	case testing.Short():
		return 10_000
	}
	return 100_000
}

// fill adds records in Writes of the largest size.
func (c *corpus) fill(b *testing.B, index driver.Index, records int) {
	b.Helper()
	for left := records; left > 0; left -= driver.MaxChanges {
		require.NoError(b, index.Write(b.Context(), adding(c.entries(min(left, driver.MaxChanges))...)))
	}
	page, err := index.Search(b.Context(), driver.Search{Scope: longterm.Everyone()})
	require.NoError(b, err)
	require.Equal(b, records, page.Total)
}

func benchmarkSearch(b *testing.B, index driver.Index, searches []driver.Search) {
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

// questions returns searches of one owner.
func (c *corpus) questions(mode driver.SearchMode) []driver.Search {
	all := make([]driver.Search, 64)
	for i := range all {
		var words []string
		for range 2 + i%4 {
			// Skip the most frequent words, which questions do not ask for.
			words = append(words, c.words[30+c.random.IntN(3000)])
		}
		all[i] = driver.Search{
			Scope: longterm.Of("benchmark", "user0"), Mode: mode, Terms: driver.QueryTerms(strings.Join(words, " ")),
			Vector: c.vector(), Model: "model", Limit: 10,
			Ranking: driver.Ranking{Alpha: 0.7, Recency: new(longterm.DefaultRecency()), Now: made.Add(1000 * time.Hour)},
		}
		if mode == driver.ModeList {
			all[i].Ranking, all[i].Filter.Topics = driver.Ranking{}, &driver.TextCondition{Eq: new(fmt.Sprint("topic", i%20))}
		}
	}
	return all
}
