package memory_test

import (
	"flag"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", strconv.Itoa(soak.Times(20, 200))); err != nil {
		panic(err)
	}
	m.Run()
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

// clock returns a clock that advances by a second with every reading.
func clock() func() time.Time {
	now := start
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

func setup(t *testing.T, capacity int) *memory.WorkingContext {
	t.Helper()
	return memory.NewWorkingContext(&memory.ContextOptions{Capacity: capacity, Now: clock()})
}

// filled returns a context of entities, newest first.
func filled(t *testing.T, capacity int, entities ...memory.Entity) *memory.WorkingContext {
	t.Helper()
	c := setup(t, capacity)
	require.NoError(t, c.AddMany(entities))
	return c
}

// ent returns the entity "type id" or "type id name".
func ent(s string) memory.Entity {
	fields := append(strings.SplitN(s, " ", 3), "")
	return memory.Entity{Type: fields[0], ID: fields[1], Name: fields[2]}
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

// summary returns "type id" or "type id name" of all entities, newest first.
func summary(c *memory.WorkingContext) []string {
	out := []string{}
	for e := range c.All() {
		out = append(out, strings.TrimSuffix(e.Type+" "+e.ID+" "+e.Name, " "))
	}
	return out
}

func all(c *memory.WorkingContext) []memory.Entity { return slices.Collect(c.All()) }
