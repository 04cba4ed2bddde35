package extractor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/sidebyside"
)

// BenchmarkExtract compares extraction from a typical API result with encoding/json
// on the same bytes in the same run:
//
//	x-Unmarshal    time, as a share of json.Unmarshal into any
//	x-Valid        time, as a share of json.Valid
//	entities       entities returned
//	allocs/entity  allocations per entity returned
func BenchmarkExtract(b *testing.B) {
	for _, size := range []int{1 << 10, 10 << 10, 100 << 10, 1 << 20} {
		data := orderList(size)
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) { benchmarkExtract(b, "list_orders", data) })
	}
}

func benchmarkExtract(b *testing.B, tool string, data []byte) {
	x := extractor.Default(extractor.Limits{})
	in := extractor.Input{Tool: tool, Arguments: `{"status":"pending","limit":50}`, Result: data}
	entities := 0
	extract := func() {
		out, _ := x.Extract(context.Background(), in)
		entities = len(out.Entities)
	}
	extract()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		extract()
	}
	b.ReportMetric(sidebyside.Share(extract, func() {
		var v any
		_ = json.Unmarshal(data, &v)
	}), "x-Unmarshal")
	b.ReportMetric(sidebyside.Share(extract, func() { json.Valid(data) }), "x-Valid")
	b.ReportMetric(float64(entities), "entities")
	b.ReportMetric(testing.AllocsPerRun(10, extract)/float64(entities), "allocs/entity")
}

// orderList returns a result of about size bytes: an object around a list of records.
func orderList(size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"success":true,"orders":[`)
	for i := 0; b.Len() < size-100 || i == 0; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"ord_%08d","name":"Cordless Drill %d","status":"pending","created_at":"2026-03-14T09:26:53Z","total":%d.95,"quantity":%d,"gift":false,"address":{"city":"Oslo","zip":"0150"},"customer_id":"cus_%06d"}`,
			i*7919%99999999, i, 20+i%400, 1+i%9, i%1000)
	}
	fmt.Fprintf(&b, `],"total":%d,"has_more":false}`, 1000)
	return b.Bytes()
}
