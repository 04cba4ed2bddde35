package session_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// benchManager makes a manager of a session of so many messages, which is not
// summarised.
func benchManager(b *testing.B, size int) *session.Manager {
	b.Helper()
	m, err := session.NewManager(memstore.New(nil), &session.Options{Summaries: summary.Options{Mode: summary.Off}})
	require.NoError(b, err)
	_, err = m.Append(b.Context(), fixture.Anna, fixture.Numbered(1, size), nil)
	require.NoError(b, err)
	b.ReportAllocs()
	return m
}

// BenchmarkManager does what a turn does with sessions of several lengths: Append,
// UpdateHead and Load of the last messages cost the same for all of them.
func BenchmarkManager(b *testing.B) {
	for _, size := range []int{10, 10_000} {
		n := size
		for _, operation := range []struct {
			name string
			do   func(m *session.Manager) error
		}{
			{"append", func(m *session.Manager) error {
				n++
				_, err := m.Append(b.Context(), fixture.Anna, []session.Message{fixture.Says(strconv.Itoa(n), session.RoleUser, "Where is order W-71?")}, nil)
				return err
			}},
			{"update head", func(m *session.Manager) error {
				n++
				_, err := m.UpdateHead(b.Context(), fixture.Anna, func(s *session.Session) error {
					s.Data = map[string]any{"step": n}
					return nil
				}, nil)
				return err
			}},
			{"load 20", func(m *session.Manager) error {
				_, err := m.Load(b.Context(), fixture.Anna, &session.LoadOptions{Last: 20})
				return err
			}},
			{"load", func(m *session.Manager) error {
				_, err := m.Load(b.Context(), fixture.Anna, nil)
				return err
			}},
			{"update", func(m *session.Manager) error {
				n++
				_, err := m.Update(b.Context(), fixture.Anna, func(s *session.Session) error {
					s.Messages = append(s.Messages[1:], fixture.Says(strconv.Itoa(n), session.RoleUser, "Where is order W-71?"))
					return nil
				}, nil)
				return err
			}},
		} {
			b.Run(fmt.Sprintf("%s/%d messages", operation.name, size), func(b *testing.B) {
				m := benchManager(b, size)
				for b.Loop() {
					require.NoError(b, operation.do(m))
				}
			})
		}
	}
}

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
