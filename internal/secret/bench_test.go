package secret_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-workingmemory/workingmemory/internal/secret"
)

func BenchmarkWithin(b *testing.B) {
	for _, text := range []string{
		"page_000123", "Page number 123", "2026-03-14T09:26:53Z", "0190a3f2-7c1e-7d2a-9a55-3f4f0c1b2d3e",
		"status: pending, total: 20.95, quantity: 4, city: Oslo, zip: 0150",
	} {
		b.Run(text, func(b *testing.B) {
			data := []byte(text)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				secret.Within(data)
			}
		})
	}
}

// BenchmarkGrowth redacts repeated pieces of growing size: the speed in MB/s must not fall as
// the size grows.
func BenchmarkGrowth(b *testing.B) {
	for _, piece := range []string{
		"The order is on its way, and its code names the number of the token. ", "0190a3f2-7c1e-7d2a ",
		"eyJ-", "eyJa.", "token:[", `password="`, "-----BEGIN PRIVATE KEY-----!", "a://b:", "sk-", "SG.", "api key ", "4111-",
		"authorization: ", "x is your code ", "-u a:", `\`, "%41", "password for ", "1:AA", "-us1 ", "secret: |\n", "mysql -p", " -p ",
	} {
		for _, size := range []int{64 << 10, 1 << 20, 8 << 20} {
			text := []byte(strings.Repeat(piece, size/len(piece)))
			b.Run(fmt.Sprintf("%q/%dKB", piece, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					secret.Redact(text)
				}
			})
		}
	}
}
