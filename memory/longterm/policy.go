package longterm

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// DefaultHardAgeMultiplier is the default of Policy.HardAgeMultiplier.
const DefaultHardAgeMultiplier = 12

// Policy selects the records that Memory.Forget forgets. All limits are optional; the zero
// value forgets none. Pinned records are never forgotten.
type Policy struct {
	// MaxAge limits the age of a record, from CreatedAt. MaxInactive limits the time since
	// its last use, from LastAccessed, or CreatedAt if that is later. With both, a record
	// is forgotten if it exceeds both, or if it is older than MaxAge·HardAgeMultiplier. 0
	// means no limit.
	MaxAge, MaxInactive time.Duration
	// HardAgeMultiplier is at least 1; 0 means DefaultHardAgeMultiplier.
	HardAgeMultiplier float64
	// Budget, if not nil, is how many of the records that may be forgotten are kept in the
	// whole scope: the most recently used.
	Budget *int
	// Types are the types of records that may be forgotten. If nil, all may.
	Types []session.RecordType
	// Pinned are the ids of records to keep, at most driver.MaxConditions.
	Pinned []string
	// Filter restricts which records may be forgotten.
	Filter RecordFilter
}

// validate returns the policy with the defaults filled in. Errors: ErrFilter.
func (p Policy) validate() (Policy, error) {
	if p.HardAgeMultiplier == 0 {
		p.HardAgeMultiplier = DefaultHardAgeMultiplier
	}
	switch {
	case p.MaxAge < 0 || p.MaxInactive < 0:
		return p, refused("a policy has a negative duration")
	case !(p.HardAgeMultiplier >= 1) || math.IsInf(p.HardAgeMultiplier, 0):
		return p, refused("a hard age multiplier is less than 1 or not finite")
	case p.Budget != nil && *p.Budget < 0:
		return p, refused("a budget is negative")
	case len(p.Pinned) > driver.MaxConditions:
		return p, refused(fmt.Sprintf("%d pinned ids exceed the limit of %d", len(p.Pinned), driver.MaxConditions))
	}
	for _, t := range p.Types {
		if t != session.RecordSemantic && t != session.RecordEpisodic && t != session.RecordMessage {
			return p, refused("unknown record type")
		}
	}
	return p, p.Filter.Check()
}

// candidateFilter returns the filter of the records that may be forgotten, except for the
// pinned ids. It reports false if there are no such records.
func (p *Policy) candidateFilter() (RecordFilter, bool) {
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

// candidate is a record that may be forgotten.
type candidate struct {
	key           driver.RecordKey
	version       uint64
	created, used time.Time
}

// choose returns the records to forget out of the least recently used candidates. total is
// the number of all candidates.
func (p *Policy) choose(records []candidate, total int, now time.Time) []candidate {
	var gone, rest []candidate
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

// expired reports whether a record is too old or has been unused for too long.
func (p *Policy) expired(r *candidate, now time.Time) bool {
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
