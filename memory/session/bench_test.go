package session_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// BenchmarkHead reads and changes heads with so many entities.
func BenchmarkHead(b *testing.B) {
	for _, n := range []int{0, 10, 256} {
		m, err := session.NewManager(memstore.New(nil), &session.Options{Context: &memory.ContextOptions{Capacity: 256}})
		require.NoError(b, err)
		_, err = m.UpdateHead(b.Context(), fixture.Anna, func(s *session.Session) error {
			var pages []memory.Entity
			for i := range n {
				pages = append(pages, memory.Entity{ID: fmt.Sprintf("page-%d", i), Type: "page", Name: "Quarterly report", Description: "status: ok", Tool: "get_page", Path: "$.page"})
			}
			return s.Entities.AddMany(pages)
		}, nil)
		require.NoError(b, err)
		b.Run(fmt.Sprintf("load/%d_entities", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Load(b.Context(), fixture.Anna, &session.LoadOptions{Last: -1}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("update/%d_entities", n), func(b *testing.B) {
			b.ReportAllocs()
			changes := 0
			for b.Loop() {
				changes++
				_, err := m.UpdateHead(b.Context(), fixture.Anna, func(s *session.Session) error {
					s.Context = fmt.Sprint(changes)
					return nil
				}, nil)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
