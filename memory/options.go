package memory

import (
	"time"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

const (
	// DefaultCapacity is how many entities a WorkingContext keeps (seed 004).
	DefaultCapacity = 10
)

// ContextOptions configures a WorkingContext. The zero value is useful.
type ContextOptions struct {
	// Capacity is the number of entities kept; the least recently used one
	// falls off. 0 or less means DefaultCapacity, more than 1<<30 means 1<<30.
	// Memory is taken as entities arrive, not ahead.
	Capacity int
	// Identity decides when two entities are the same. nil means DefaultIdentity.
	Identity IdentityFunc
	// Now is the clock of uses and of entities that come without a timestamp,
	// read at most once for each change. A time outside the years 0 to 9999 counts
	// as the nearest inside. nil means time.Now.
	Now func() time.Time
	// OnEvict is told of each entity that fell off, after the change, outside
	// any lock, least recently used first; it may call the context. Changes made
	// at the same time may tell it at the same time. Entities that were removed,
	// cleared or replaced by UnmarshalJSON did not fall off. nil means nobody is
	// told.
	OnEvict func(Eviction)
}

// Eviction says which entity fell off, and what pushed it off.
type Eviction struct {
	Entity Entity
	// By is the foremost entity of the change that made Entity fall off.
	By Ref
}

func (o *ContextOptions) capacity() int {
	if o.Capacity <= 0 {
		return DefaultCapacity
	}
	return min(o.Capacity, slab.MaxLen)
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
