package wire_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// filled returns a body of about size bytes: head, repeated parts, and tail.
func filled(size int, head, part, tail string) []byte {
	n := max((size-len(head)-len(tail))/(len(part)+1), 1)
	return []byte(head + part + strings.Repeat(","+part, n-1) + tail)
}

// BenchmarkDecode reports the bytes of memory for each byte of the body: those of the result (live)
// and all that were allocated. Some bodies are typical; the server refuses most of the others,
// which are made to take much memory.
func BenchmarkDecode(b *testing.B) {
	const size = 32 << 20
	for _, c := range []struct{ name, head, part, tail string }{
		{"messages", `{"messages":[`, `{"role":"user","content":"` + strings.Repeat("Which ads run? ", 20) + `","id":"01JGABCDEFGHJKMNPQRSTVWXYZ","created_at":"2025-01-02T03:04:05.123456Z"}`, `]}`},
		{"small-messages", `{"messages":[`, `{"role":"","content":""}`, `]}`},
		{"empty-messages", `{"messages":[`, `{}`, `]}`},
		{"nested-lists", `{"data":{"a":[`, `[]`, `]}}`},
		{"small-objects", `{"data":{"a":[`, `{"":0}`, `]}}`},
		{"objects", `{"data":{"a":[`, `{"name":"Spring","price":19.90,"tags":["a","b"]}`, `]}}`},
		{"digits", `{"data":{"a":[`, `1`, `]}}`},
		{"numbers", `{"data":{"a":[`, `0.123456789`, `]}}`},
		{"topics", `{"memories":[{"text":"t","topics":[`, `""`, `]}]}`},
		{"many-topics", `{"memories":[`, `{"text":"t","topics":[` + strings.Repeat(`"",`, 9999) + `""]}`, `]}`},
		{"unknown", `{"x":[`, `1`, `]}`},
		{"small-unknown", `{"x":[`, `"0123456789"`, `]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			data := filled(size, c.head, c.part, c.tail)
			b.SetBytes(int64(len(data)))
			var before, read, after runtime.MemStats
			refused := 0.0
			for b.Loop() {
				var body wire.SessionBody
				runtime.GC()
				runtime.ReadMemStats(&before)
				err := wire.Decode(data, &body)
				runtime.ReadMemStats(&read)
				runtime.GC()
				runtime.ReadMemStats(&after)
				runtime.KeepAlive(&body)
				if err != nil {
					refused = 1
				}
			}
			live, allocated := float64(after.HeapAlloc)-float64(before.HeapAlloc), float64(read.TotalAlloc-before.TotalAlloc)
			b.ReportMetric(live/float64(len(data)), "live/byte")
			b.ReportMetric(allocated/float64(len(data)), "allocated/byte")
			b.ReportMetric(refused, "refused")
			runtime.KeepAlive(data)
		})
	}
}
