package benchmarks

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"strings"
	"testing"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/maypok86/otter/v2"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/slab"
	"github.com/go-workingmemory/workingmemory/memory"
)

var capacities = []int{10, 64, 1_000, 100_000}

// entitiesOf makes n entities as a list of pages brings them.
func entitiesOf(n int) []memory.Entity {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	entities := make([]memory.Entity, n)
	for i := range entities {
		entities[i] = memory.Entity{
			Type: "page", ID: fmt.Sprintf("550e8400-e29b-41d4-a716-%012d", i),
			Name: fmt.Sprintf("Home page %02d", i%100), Tool: "cms_getPage",
			Path: fmt.Sprintf("$.pages[%d]", i%10), Timestamp: at,
		}
	}
	return entities
}

// copied is e with texts of its own, as a WorkingContext keeps them.
func copied(e memory.Entity) memory.Entity {
	for _, text := range []*string{&e.Type, &e.ID, &e.Name, &e.Slug, &e.Description, &e.Tool, &e.Path} {
		*text = strings.Clone(*text)
	}
	return e
}

// BenchmarkEvict adds an entity that is not present to a full collection. The
// context checks, cleans, identifies and copies it; the caches store the struct
// as it is, under its id, or with copied texts (lru-copied).
func BenchmarkEvict(b *testing.B) {
	for _, capacity := range capacities {
		entities := entitiesOf(2 * capacity)
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			ours := memory.NewWorkingContext(&memory.ContextOptions{Capacity: capacity})
			plain, err := lru.New[string, memory.Entity](capacity)
			require.NoError(b, err)
			owning, err := lru.New[string, memory.Entity](capacity)
			require.NoError(b, err)
			cache := otter.Must(&otter.Options[string, memory.Entity]{MaximumSize: capacity})
			compareFull(b, len(entities),
				func(i int) { _ = ours.Add(entities[i]) },
				adder{"lru", func(i int) { plain.Add(entities[i].ID, entities[i]) }},
				adder{"lru-copied", func(i int) { e := copied(entities[i]); owning.Add(e.ID, e) }},
				adder{"otter", func(i int) { cache.Set(entities[i].ID, entities[i]) }},
			)
		})
	}
}

// BenchmarkTouch adds the entity that was not used for the longest time again.
func BenchmarkTouch(b *testing.B) {
	for _, capacity := range capacities {
		entities := entitiesOf(capacity)
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			ours := memory.NewWorkingContext(&memory.ContextOptions{Capacity: capacity})
			plain, err := lru.New[string, memory.Entity](capacity)
			require.NoError(b, err)
			cache := otter.Must(&otter.Options[string, memory.Entity]{MaximumSize: capacity})
			compareFull(b, len(entities),
				func(i int) { _ = ours.Add(entities[i]) },
				adder{"lru", func(i int) { plain.Add(entities[i].ID, entities[i]) }},
				adder{"otter", func(i int) { cache.Set(entities[i].ID, entities[i]) }},
			)
		})
	}
}

// BenchmarkEvictSlab compares the slab alone with an LRU without a lock: both
// store the struct as it is, under its id.
func BenchmarkEvictSlab(b *testing.B) {
	for _, capacity := range capacities {
		entities := entitiesOf(2 * capacity)
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			var list slab.Hashed[memory.Entity]
			seed := maphash.MakeSeed()
			compareFull(b, len(entities),
				func(i int) {
					hash := uint32(maphash.String(seed, entities[i].ID))
					for h := list.Find(hash); h != slab.None; h = list.FindNext(h) {
						if list.At(h).ID == entities[i].ID {
							list.MoveToFront(h)
							return
						}
					}
					if list.Len() == capacity {
						list.Remove(list.Back())
					}
					list.PushFront(hash, entities[i])
				},
				unlocked(b, capacity, entities),
			)
		})
	}
}

// BenchmarkEvictPacked compares the packed list alone, with records of the size
// that a context makes of the entities, with an LRU without a lock that stores
// the structs.
func BenchmarkEvictPacked(b *testing.B) {
	for _, capacity := range []int{10, 32} {
		entities := entitiesOf(2 * capacity)
		records := make([][]byte, len(entities))
		for i, e := range entities {
			records[i] = make([]byte, 74)
			copy(records[i], e.ID)
		}
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			var list slab.Packed
			seed := maphash.MakeSeed()
			compareFull(b, len(entities),
				func(i int) {
					id := records[i][:36]
					tag := byte(maphash.Bytes(seed, id))
					for at := list.Find(tag); at != slab.NoRecord; at = list.FindNext(at) {
						if bytes.Equal(list.At(at)[:36], id) {
							list.MoveToEnd(at)
							return
						}
					}
					if list.Len() == capacity {
						list.Remove(list.First())
					}
					list.Append(tag, records[i])
				},
				unlocked(b, capacity, entities),
			)
		})
	}
}

func unlocked(b *testing.B, capacity int, entities []memory.Entity) adder {
	cache, err := simplelru.NewLRU[string, memory.Entity](capacity, nil)
	require.NoError(b, err)
	return adder{"simplelru", func(i int) { cache.Add(entities[i].ID, entities[i]) }}
}

// adder adds the entity of a number to a collection.
type adder struct {
	name string
	add  func(i int)
}

// compareFull compares adding to collections that are full and settled.
func compareFull(b *testing.B, entities int, ours func(i int), others ...adder) {
	var contenders []contender
	for _, o := range append([]adder{{"", ours}}, others...) {
		run := cycle(entities, o.add)
		run(4 * entities)
		contenders = append(contenders, contender{o.name, run})
	}
	b.ResetTimer()
	compare(b, contenders[0].run, contenders[1:]...)
}
