package memory_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

// clock returns a clock that moves a second on with every reading.
func clock() func() time.Time {
	now := start
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

// setup makes a context with a clock of its own.
func setup(t *testing.T, capacity int) *memory.WorkingContext {
	t.Helper()
	return memory.NewWorkingContext(&memory.ContextOptions{Capacity: capacity, Now: clock()})
}

// filled is a context with the entities in the order given, newest first.
func filled(t *testing.T, capacity int, newestFirst ...memory.Entity) *memory.WorkingContext {
	t.Helper()
	c := setup(t, capacity)
	require.NoError(t, c.AddMany(newestFirst))
	return c
}

// ent makes an entity of "type id" or "type id name".
func ent(s string) memory.Entity {
	fields := strings.SplitN(s, " ", 3)
	e := memory.Entity{Type: fields[0], ID: fields[1]}
	if len(fields) == 3 {
		e.Name = fields[2]
	}
	return e
}

func ents(ss ...string) []memory.Entity {
	var out []memory.Entity
	for _, s := range ss {
		out = append(out, ent(s))
	}
	return out
}

func ref(s string) memory.Ref {
	typ, id, _ := strings.Cut(s, " ")
	return memory.Ref{Type: typ, ID: id}
}

// summary lists "type id" or "type id name" of all entities, newest first.
func summary(c *memory.WorkingContext) []string {
	out := []string{}
	for e := range c.All() {
		s := e.Type + " " + e.ID
		if e.Name != "" {
			s += " " + e.Name
		}
		out = append(out, s)
	}
	return out
}

func all(c *memory.WorkingContext) []memory.Entity { return slices.Collect(c.All()) }
