package handle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-workingmemory/workingmemory/memory/handle"
)

// listing returns a JSON list of about a size with n ids, of which every other one has a handle.
func listing(size, n int) string {
	var b strings.Builder
	b.WriteString(`[`)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `{"id":"%s","title":"Page %d of the catalogue","parent":"%s"},`, uuid(i%(2*n)), i, uuid(i/7%(2*n)))
	}
	return strings.TrimSuffix(b.String(), ",") + "]"
}

func manyPages(n int) *handle.Table {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = uuid(2 * i)
	}
	return pages(ids...)
}

func BenchmarkEncode(b *testing.B) {
	for _, size := range []int{10_000, 1_000_000} {
		for _, n := range []int{10, 4096} {
			b.Run(fmt.Sprintf("%dKB/%dids", size/1000, n), func(b *testing.B) {
				table, text := manyPages(n), listing(size, n)
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					table.Encode(text)
				}
			})
		}
	}
}

// Hostile texts repeat the beginnings of ids that begin with each other.
func BenchmarkEncodeHostile(b *testing.B) {
	var nested []string
	for n := 8; n <= 255; n++ {
		nested = append(nested, strings.Repeat("a.", n))
	}
	for name, unit := range map[string]string{"nested": "a.", "no match": "a.a:", "beginnings": strings.Repeat("a.", 255) + ":", "words": "a"} {
		for _, size := range []int{100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%dKB", name, size/1000), func(b *testing.B) {
				table, text := pages(nested...), strings.Repeat(unit, size/len(unit))
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					table.Encode(text)
				}
			})
		}
	}
}

func BenchmarkDecodeArguments(b *testing.B) {
	table := manyPages(4096)
	text := table.Encode(listing(10_000, 4096))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := table.DecodeArguments(text, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	table := manyPages(4096)
	c := handle.Change{Used: refs("page", uuid(0), uuid(2), uuid(4))}
	b.ReportAllocs()
	for b.Loop() {
		table.Apply(c)
	}
}
