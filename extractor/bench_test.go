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

// BenchmarkExtract compares extraction from typical API results with encoding/json
// on the same bytes in the same run:
//
//	x-Unmarshal    time, as a share of json.Unmarshal into any
//	x-Valid        time, as a share of json.Valid
//	entities       entities returned
//	allocs/entity  allocations per entity returned
func BenchmarkExtract(b *testing.B) {
	const kb, mb = 1 << 10, 1 << 20
	for _, shape := range []struct {
		name  string
		tool  string
		make  func(bytes int) []byte
		sizes []int
	}{
		{"list", "list_orders", orderList, []int{kb, 2 * kb, 5 * kb, 10 * kb, 100 * kb, mb, 10 * mb}},
		{"array", "list_pages", pageArray, []int{10 * kb, 100 * kb, mb, 10 * mb}},
	} {
		for _, size := range shape.sizes {
			for _, layout := range []string{"compact", "pretty"} {
				data := shape.make(size)
				if layout == "pretty" {
					data = indented(shape.make(size * 2 / 3))
				}
				b.Run(fmt.Sprintf("%s/%s/%s", shape.name, sizeName(size), layout), func(b *testing.B) {
					benchmarkExtract(b, shape.tool, data)
				})
			}
		}
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

// pageArray returns a top-level array of small records of about size bytes.
func pageArray(size int) []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := 0; b.Len() < size-100 || i == 0; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"page_%06d","title":"Page number %d","slug":"page-%d","views":%d,"published":true,"lang":"en"}`, i, i, i, i%10_000)
	}
	b.WriteByte(']')
	return b.Bytes()
}

func indented(data []byte) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func sizeName(size int) string {
	if size >= 1<<20 {
		return fmt.Sprintf("%dMB", size>>20)
	}
	return fmt.Sprintf("%dKB", size>>10)
}
