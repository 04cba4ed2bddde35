package extractor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-workingmemory/workingmemory/extractor"
)

// orders is a result of about n bytes: an object with a list of records.
func orders(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"count":2,"orders":[`)
	for i := 0; b.Len() < n-3; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"order_id":"#W%07d","user_id":"ann_lee_%04d","status":"pending","total":%d.25,"address":{"city":"Oslo","zip":"0150"},"note":"Leave it at the door, please."}`, i, i%100, i)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

var benchInputs = []struct {
	name string
	data []byte
}{
	{"200B", orders(200)}, {"2KB", orders(2 << 10)}, {"10KB", orders(10 << 10)}, {"100KB", orders(100 << 10)}, {"1MB", orders(1 << 20)},
	{"10KBIndented", indented(orders(8 << 10))},
	{"1MBTopLevelArray", []byte("[" + strings.TrimSuffix(strings.Repeat(`{"id":"p-1001","name":"Home","body":"text"},`, 1<<20/44), ",") + "]")},
}

func indented(data []byte) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func BenchmarkExtract(b *testing.B) {
	x := extractor.Default(extractor.Limits{})
	for _, in := range benchInputs {
		b.Run(in.name, func(b *testing.B) {
			b.SetBytes(int64(len(in.data)))
			b.ReportAllocs()
			entities := 0
			for b.Loop() {
				out, _ := x.Extract(context.Background(), extractor.Input{Tool: "list_orders", Arguments: `{"status":"pending"}`, Result: in.data})
				entities = len(out.Entities)
			}
			b.ReportMetric(float64(entities), "entities")
		})
	}
}

// BenchmarkUnmarshalAny is what reading the same bytes costs with encoding/json.
func BenchmarkUnmarshalAny(b *testing.B) {
	for _, in := range benchInputs {
		b.Run(in.name, func(b *testing.B) {
			b.SetBytes(int64(len(in.data)))
			b.ReportAllocs()
			for b.Loop() {
				var v any
				if err := json.Unmarshal(in.data, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkValid is what merely checking the same bytes costs with encoding/json.
func BenchmarkValid(b *testing.B) {
	for _, in := range benchInputs {
		b.Run(in.name, func(b *testing.B) {
			b.SetBytes(int64(len(in.data)))
			for b.Loop() {
				if !json.Valid(in.data) {
					b.Fatal("invalid")
				}
			}
		})
	}
}
