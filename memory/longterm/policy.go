package longterm

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// DefaultHardAgeMultiplier is that of a Policy.
const DefaultHardAgeMultiplier = 12

// Policy says which records Memory.Forget forgets. All its limits are optional; the
// zero value forgets none. Pinned records never go.
type Policy struct {
	// MaxAge is how old a record may be, from CreatedAt, and MaxInactive how long it
	// may not have been used, from LastAccessed, or CreatedAt where that is later. With
	// both, a record goes that is over both, or older than MaxAge·HardAgeMultiplier. 0
	// means no limit.
	MaxAge, MaxInactive time.Duration
	// HardAgeMultiplier is at least 1; 0 means DefaultHardAgeMultiplier.
	HardAgeMultiplier float64
	// Budget, if not nil, is how many stay of those that may go, of all in the scope:
	// the most recently used.
	Budget *int
	// Types are those of the records that may go; nil means all.
	Types []session.RecordType
	// Pinned are ids of records that never go, driver.MaxConditions at most.
	Pinned []string
	// Filter narrows which records may go.
	Filter RecordFilter
}

// validate returns the policy with the defaults filled in. Errors: ErrFilter.
func (p Policy) validate() (Policy, error) {
	if p.HardAgeMultiplier == 0 {
		p.HardAgeMultiplier = DefaultHardAgeMultiplier
	}
	switch {
	case p.MaxAge < 0 || p.MaxInactive < 0:
		return p, refused("a policy has a negative time")
	case !(p.HardAgeMultiplier >= 1) || math.IsInf(p.HardAgeMultiplier, 0):
		return p, refused("a hard age multiplier is at least 1")
	case p.Budget != nil && *p.Budget < 0:
		return p, refused("a budget is negative")
	case len(p.Pinned) > driver.MaxConditions:
		return p, refused(fmt.Sprintf("%d pinned ids are more than the limit of %d", len(p.Pinned), driver.MaxConditions))
	}
	for _, t := range p.Types {
		if t != session.RecordSemantic && t != session.RecordEpisodic && t != session.RecordMessage {
			return p, refused("no such type of memories")
		}
	}
	return p, p.Filter.Check()
}

// mayGo is the filter of the records that may be forgotten, but for the pinned ids;
// false if there are none.
func (p *Policy) mayGo() (RecordFilter, bool) {
	f := p.Filter
	if f.Pinned != nil && *f.Pinned {
		return f, false
	}
	f.Pinned = new(false)
	if p.Types == nil {
		return f, true
	}
	types := p.Types
	if passed := (RecordFilter{Type: f.Type}); passed.Type != nil {
		types = slices.DeleteFunc(slices.Clone(types), func(t session.RecordType) bool { return !passed.Matches(&Record{Type: t}) })
	}
	f.Type = &TextCondition{}
	for _, t := range types {
		f.Type.Any = append(f.Type.Any, string(t))
	}
	return f, len(types) > 0
}

// seen is a record that may be forgotten.
type seen struct {
	key           driver.RecordKey
	version       uint64
	created, used time.Time
}

// choose returns which of the least recently used records go, of total that may.
func (p *Policy) choose(records []seen, total int, now time.Time) []seen {
	var gone, rest []seen
	for _, r := range records {
		if p.expired(&r, now) {
			gone = append(gone, r)
		} else {
			rest = append(rest, r)
		}
	}
	if p.Budget != nil {
		over := total - len(gone) - *p.Budget
		gone = append(gone, rest[:max(0, min(over, len(rest)))]...)
	}
	return gone
}

// expired reports whether a record is too old, or was not used for too long.
func (p *Policy) expired(r *seen, now time.Time) bool {
	age, inactive := now.Sub(r.created), now.Sub(r.used)
	old := p.MaxAge > 0 && age > p.MaxAge && !r.created.IsZero()
	unused := p.MaxInactive > 0 && inactive > p.MaxInactive && !r.used.IsZero()
	switch {
	case p.MaxAge == 0:
		return unused
	case p.MaxInactive == 0:
		return old
	}
	return old && (unused || float64(age) > float64(p.MaxAge)*p.HardAgeMultiplier)
}
