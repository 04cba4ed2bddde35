package servertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkReadBesideToolCalls measures the requests of a client that reads a small session while
// 16 others record tool calls with results of 100 KB:
//
//	p50-ms, p99-ms  durations of a read
//	calls/s         tool calls that were recorded
//
// The load begins before the reads and ends after them.
func BenchmarkReadBesideToolCalls(b *testing.B) {
	const size = 100_000
	for _, shape := range []struct{ name, result string }{
		{"alone", ""},
		{"records", filled(size, func(i int) string {
			return fmt.Sprintf(`{"id":"ord_%08d","name":"Cordless Drill %d","status":"pending","total":%d.95,"customer_id":"cus_%06d"},`, i*7919%99999999, i, 20+i, i)
		})},
		{"prose", filled(size, func(i int) string {
			return fmt.Sprintf("The parcel of order W-%d left the depot in Oslo on Monday, and the invoice for it is still open. ", i)
		})},
		{"numbers", filled(size, func(i int) string { return fmt.Sprint(i*7919%999983, " ") })},
	} {
		b.Run(shape.name, func(b *testing.B) {
			p := start(b, settings{store: "memory:", args: estimate})
			c := call(b, p)
			c.put(c.wm("read"), `{"messages":`+talk(10)+`}`).ok()
			recorded := func() int { return 0 }
			if shape.result != "" {
				recorded = recordOften(b, p, 16, shape.result)
			}
			took := make([]time.Duration, 0, b.N)
			for b.Loop() {
				begin := time.Now()
				c.get(c.wm("read")).ok()
				took = append(took, time.Since(begin))
			}
			calls := recorded()
			slices.Sort(took)
			at := func(share float64) float64 { return took[int(share*float64(len(took)-1))].Seconds() * 1000 }
			b.ReportMetric(at(0.5), "p50-ms")
			b.ReportMetric(at(0.99), "p99-ms")
			b.ReportMetric(float64(calls)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// filled returns a text of size bytes, or a little more, made of numbered parts.
func filled(size int, part func(i int) string) string {
	var text strings.Builder
	for i := 0; text.Len() < size; i++ {
		text.WriteString(part(i))
	}
	return text.String()
}

// recordOften records tool calls with a result from n clients, until the function that it
// returns is called, which returns their number.
func recordOften(tb testing.TB, p *process, n int, result string) (stop func() int) {
	tb.Helper()
	encoded, err := json.Marshal(result)
	require.NoError(tb, err)
	if strings.HasPrefix(result, "{") {
		encoded = []byte("[" + strings.TrimSuffix(result, ",") + "]")
	}
	body := `{"name":"list_orders","result":` + string(encoded) + `}`
	done := make(chan struct{})
	counts := make([]int, n)
	var all, first sync.WaitGroup
	for i := range n {
		c := call(tb, p)
		first.Add(1)
		all.Go(func() {
			for counts[i] = 0; ; counts[i]++ {
				a, err := c.try(http.MethodPost, c.of("record", "tool-calls"), body)
				if counts[i] == 0 {
					first.Done()
				}
				if err != nil || a.status != http.StatusOK {
					tb.Errorf("recording: %v, %+v", err, a)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	first.Wait()
	return func() int {
		close(done)
		all.Wait()
		sum := 0
		for _, n := range counts {
			sum += n
		}
		return sum
	}
}
