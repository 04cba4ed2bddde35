package service

import (
	"context"
	"math"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Forget describes which memories to forget.
type Forget struct {
	// MaxAgeDays and MaxInactiveDays limit the days since a memory was made and since a search
	// last found it. If nil, there is no limit. If both are set, a memory that is
	// HardAgeMultiplier times as old as MaxAgeDays is forgotten in any case; nil means the
	// default of package longterm.
	MaxAgeDays, MaxInactiveDays, HardAgeMultiplier *float64
	// Budget is the number of memories to keep, the most recently used. If nil, there is no
	// limit.
	Budget *int64
	// Types are the types of memories that may be forgotten. If nil, all may.
	Types *[]string
	// PinnedIDs are the ids of memories to keep.
	PinnedIDs []string
	// SessionID, if not nil, restricts the call to memories of that session.
	SessionID *string
	// Limit is the maximum number of memories to examine, 1 to MaxForget.
	Limit int
	// DryRun reports the memories to forget without deleting them.
	DryRun bool
}

// ForgetMemories forgets memories, restricted to namespace and userID if they are not nil.
// Errors: Bad, Invalid, Conflict, Unavailable.
func (s *Service) ForgetMemories(ctx context.Context, t Tenant, namespace, userID *string, f *Forget) (longterm.ForgetResult, error) {
	none := longterm.ForgetResult{DryRun: f.DryRun}
	if err := f.check(); err != nil {
		return none, err
	}
	if s.opts.Memory == nil {
		return none, memoryDisabled()
	}
	var c checks
	checkRange(&c, new(int64(f.Limit)), 1, MaxForget, "limit")
	if err := c.invalid(); err != nil {
		return none, err
	}
	scope, allowed := scopeOf(t, namespace, userID)
	if !allowed {
		return none, nil
	}
	found, err := s.opts.Memory.Forget(ctx, scope, f.policy(), &longterm.ForgetOptions{Limit: f.Limit, Delete: !f.DryRun})
	return found, s.reportError(ctx, err)
}

// policy converts f, which was checked.
func (f *Forget) policy() longterm.Policy {
	p := longterm.Policy{Pinned: f.PinnedIDs, MaxAge: ageLimit(f.MaxAgeDays), MaxInactive: ageLimit(f.MaxInactiveDays)}
	if f.SessionID != nil {
		p.Filter.SessionID = &longterm.TextCondition{Eq: f.SessionID}
	}
	if f.HardAgeMultiplier != nil {
		p.HardAgeMultiplier = *f.HardAgeMultiplier
	}
	if f.Budget != nil {
		// No index holds more.
		p.Budget = new(int(min(*f.Budget, math.MaxInt32)))
	}
	if f.Types != nil {
		p.Types = []session.RecordType{} // an empty list means no type
		for _, name := range *f.Types {
			p.Types = append(p.Types, session.RecordType(name))
		}
	}
	return p
}

// ageLimit converts a limit in days. Nil becomes 0, no limit, and 0 days the shortest limit.
func ageLimit(number *float64) time.Duration {
	if number == nil {
		return 0
	}
	return max(days(*number), 1)
}

// days converts a number of days to a duration, which is at most 292 years.
func days(number float64) time.Duration {
	ns := number * float64(24*time.Hour)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}

// CompactMemories merges equal memories, restricted to namespace and userID if they are not
// nil, and returns how many remain. Errors: Bad, Conflict, Unavailable.
func (s *Service) CompactMemories(ctx context.Context, t Tenant, namespace, userID *string) (int, error) {
	if s.opts.Memory == nil {
		return 0, memoryDisabled()
	}
	scope, allowed := scopeOf(t, namespace, userID)
	if !allowed {
		return 0, nil
	}
	done, err := s.opts.Memory.Compact(ctx, scope)
	return done.Remaining, s.reportError(ctx, err)
}
