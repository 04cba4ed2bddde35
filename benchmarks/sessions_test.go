package benchmarks

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// BenchmarkSessions is the work of many sessions at once, each with a memory of
// its own. With -cpu 1,2,… the time of an operation falls as there are more
// cores, unless something is shared.
func BenchmarkSessions(b *testing.B) {
	b.Run("context", func(b *testing.B) {
		entities := entitiesOf(40)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			c := memory.NewWorkingContext(nil)
			for i := 0; pb.Next(); i++ {
				_ = c.AddMany(entities[i%8*5 : i%8*5+5])
			}
		})
	})
	b.Run("recorder", func(b *testing.B) {
		results := resultsOf(16)
		shared := extractor.Default(extractor.Limits{}) // as a server shares it
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			r, err := middleware.NewRecorder(&middleware.Options{Extractor: shared})
			if err != nil {
				b.Error(err)
				return
			}
			for i := 0; pb.Next(); i++ {
				_ = r.Record(context.Background(), middleware.ToolCall{Name: "list_pages", Result: results[i%len(results)]})
				_ = r.Block()
			}
		})
	})
}

// resultsOf makes n tool results of five pages each.
func resultsOf(n int) []string {
	results := make([]string, n)
	for i := range results {
		var pages []string
		for _, e := range entitiesOf(5 * n)[5*i : 5*i+5] {
			pages = append(pages, fmt.Sprintf(`{"id":%q,"title":%q,"status":"published","views":%d}`, e.ID, e.Name, i))
		}
		results[i] = fmt.Sprintf(`{"success":true,"pages":[%s]}`, strings.Join(pages, ","))
	}
	return results
}
