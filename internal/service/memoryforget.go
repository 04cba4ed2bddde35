package service

import (
	"context"
	"math"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Forget describes which memories to forget, and where to look for them.
type Forget struct {
	// MaxAgeDays and MaxInactiveDays are days from when a memory was made, and from when a
	// search found it last. nil: no limit. Where both are set, a memory HardAgeMultiplier times
	// as old as MaxAgeDays goes in any case; nil means longterm's default.
	MaxAgeDays, MaxInactiveDays, HardAgeMultiplier *float64
	// Budget is how many stay, the most recently used; nil: any number.
	Budget *int64
	// Types are the types that may go; nil: all.
	Types *[]string
	// PinnedIDs are ids of memories that stay.
	PinnedIDs []string
	// SessionID, if not nil, names the session that they come from.
	SessionID *string
	// Limit is how many memories are looked at, 1 to MaxForget.
	Limit int
	// DryRun deletes nothing.
	DryRun bool
}

// ForgetMemories removes memories in a namespace and of a user where these are not nil, or
// says in a dry run which these are. Errors: Bad, Invalid, Conflict, Unavailable.
func (s *Service) ForgetMemories(ctx context.Context, t Tenant, namespace, userID *string, f *Forget) (longterm.ForgetResult, error) {
	none := longterm.ForgetResult{DryRun: f.DryRun}
	if err := f.check(); err != nil {
		return none, err
	}
	if s.opts.Memory == nil {
		return none, disabled()
	}
	var c checks
	checkRange(&c, new(int64(f.Limit)), 1, MaxForget, "limit")
	if err := c.invalid(); err != nil {
		return none, err
	}
	of, mine := scope(t, namespace, userID)
	if !mine {
		return none, nil
	}
	found, err := s.opts.Memory.Forget(ctx, of, f.policy(), &longterm.ForgetOptions{Limit: f.Limit, Delete: !f.DryRun})
	return found, s.fail(ctx, err)
}

// policy returns the policy, which was checked.
func (f *Forget) policy() longterm.Policy {
	p := longterm.Policy{Pinned: f.PinnedIDs, MaxAge: limitOf(f.MaxAgeDays), MaxInactive: limitOf(f.MaxInactiveDays)}
	if f.SessionID != nil {
		p.Filter.SessionID = &longterm.TextCondition{Eq: f.SessionID}
	}
	if f.HardAgeMultiplier != nil {
		p.HardAgeMultiplier = *f.HardAgeMultiplier
	}
	if f.Budget != nil {
		// No index has more than that.
		p.Budget = new(int(min(*f.Budget, math.MaxInt32)))
	}
	if f.Types != nil {
		p.Types = []session.RecordType{} // an empty list lets none go
		for _, name := range *f.Types {
			p.Types = append(p.Types, session.RecordType(name))
		}
	}
	return p
}

// limitOf is a limit of a policy, 0 for none: that of no days at all is the shortest.
func limitOf(number *float64) time.Duration {
	if number == nil {
		return 0
	}
	return max(days(*number), 1)
}

// days are a number of days as a time, the longest there is for more than 292 years.
func days(number float64) time.Duration {
	ns := number * float64(24*time.Hour)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}

// CompactMemories merges memories that are one, in a namespace and of a user where these
// are not nil, and returns how many remain there. Errors: Bad, Conflict, Unavailable.
func (s *Service) CompactMemories(ctx context.Context, t Tenant, namespace, userID *string) (int, error) {
	if s.opts.Memory == nil {
		return 0, disabled()
	}
	of, mine := scope(t, namespace, userID)
	if !mine {
		return 0, nil
	}
	done, err := s.opts.Memory.Compact(ctx, of)
	return done.Remaining, s.fail(ctx, err)
}
