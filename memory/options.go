package memory

import (
	"time"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// DefaultCapacity is the default number of entities in a WorkingContext (seed 004).
const DefaultCapacity = 10

// ContextOptions configures a WorkingContext. The zero value is useful.
type ContextOptions struct {
	// Capacity is the maximum number of entities; beyond it, the least recently used
	// one is evicted and becomes a candidate. Half of it, at most 64, is reserved for the
	// entities that were held last (see Entity.Held), and before others for those that calls
	// made, so that one large result does not evict what the agent works with. 0 or less
	// means DefaultCapacity; values above 1<<30 mean 1<<30. Memory is allocated as entities
	// arrive.
	Capacity int
	// Candidates is the maximum number of candidates: values with RoleCandidate and evicted
	// entities. They have room of their own, at most 64 KiB, and never evict an entity;
	// beyond it, the oldest are evicted. 0 means 512. If negative, none are kept, and an
	// evicted entity is forgotten.
	Candidates int
	// Identity decides when two entities are the same. If nil, DefaultIdentity is used.
	Identity IdentityFunc
	// Now returns the time of uses and of entities that have no timestamp. It is
	// called at most once per change. Times outside the years 0 to 9999 are clamped.
	// If nil, time.Now is used.
	Now func() time.Time
	// OnEvict is called for each evicted entity, least recently used first, and then for
	// each evicted candidate, oldest first, after the change and without holding a lock: it
	// may call the context. It is called twice for an entity that leaves the entities and
	// later the candidates. Concurrent changes may call it concurrently. Entities that are
	// removed, cleared or replaced by UnmarshalJSON are not evicted. If nil, evictions are
	// not reported.
	OnEvict func(Eviction)
}

// Eviction describes an evicted entity or candidate.
type Eviction struct {
	// Entity is the entity as it was before the eviction.
	Entity Entity
	// By is the foremost entity after the change that evicted Entity.
	By Ref
}

func (o *ContextOptions) capacity() int {
	if o.Capacity <= 0 {
		return DefaultCapacity
	}
	return min(o.Capacity, slab.MaxLen)
}

// maxReserve is the largest number of entities that are reserved room.
const maxReserve = 64

// reserve returns the number of held entities that are evicted after all others.
func (o *ContextOptions) reserve() int { return min(o.capacity()/2, maxReserve) }

const (
	// DefaultCandidates is the default of ContextOptions.Candidates.
	DefaultCandidates = 512
	// maxLooseBytes is the room of all candidates, packed.
	maxLooseBytes = 64 << 10
)

func (o *ContextOptions) candidates() int {
	if o.Candidates == 0 {
		return DefaultCandidates
	}
	return min(max(o.Candidates, 0), slab.MaxLen)
}

func (o *ContextOptions) identify(typ, id string) Ref {
	if typ == "" {
		typ = FallbackType
	}
	if o.Identity == nil {
		return DefaultIdentity(typ, id)
	}
	return o.Identity(typ, id)
}

func (o *ContextOptions) now() time.Time {
	if o.Now == nil {
		return time.Now().UTC()
	}
	return o.Now().UTC()
}
