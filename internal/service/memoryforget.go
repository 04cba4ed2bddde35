package service

import (
	"context"
	"math"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// ForgetMemories removes the memories that a policy does not keep, in a namespace, of a
// user and from a session where these are not nil, or says in a dry run which these are.
// It looks at limit of them, 1 to wire.MaxForget. Errors: Bad, Invalid, Conflict,
// Unavailable.
func (s *Service) ForgetMemories(ctx context.Context, t Tenant, namespace, userID, sessionID *string, limit int, dryRun bool, body *wire.Forget) (*wire.Forgotten, error) {
	if err := invalidIf(body.Check()); err != nil {
		return nil, err
	}
	if s.opts.Memory == nil {
		return nil, disabled()
	}
	if err := invalidIf(wire.Within(int64(limit), 1, wire.MaxForget, "query", "limit")); err != nil {
		return nil, err
	}
	policy := policyOf(body)
	if sessionID != nil {
		policy.Filter.SessionID = &longterm.Text{Eq: sessionID}
	}
	forgotten := &wire.Forgotten{DeletedIDs: []string{}, DryRun: dryRun}
	of, mine := scope(t, namespace, userID)
	if !mine {
		return forgotten, nil
	}
	found, err := s.opts.Memory.Forget(ctx, of, policy, &longterm.ForgetOptions{Limit: limit, Delete: !dryRun})
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	for _, key := range found.Keys {
		forgotten.DeletedIDs = append(forgotten.DeletedIDs, key.ID)
	}
	forgotten.Scanned, forgotten.Deleted = found.Scanned, len(found.Keys)
	return forgotten, nil
}

// policyOf is a policy of the wire, which was checked.
func policyOf(body *wire.Forget) longterm.Policy {
	asked := body.Policy
	p := longterm.Policy{Pinned: body.PinnedIDs, MaxAge: limitOf(asked.MaxAgeDays), MaxInactive: limitOf(asked.MaxInactiveDays)}
	if asked.HardAgeMultiplier != nil {
		p.HardAgeMultiplier = float64(*asked.HardAgeMultiplier)
	}
	if asked.Budget != nil {
		// No index has more than that.
		p.Budget = new(int(min(*asked.Budget, math.MaxInt32)))
	}
	if asked.Types != nil {
		p.Types = []session.MemoryType{} // an empty list lets none go
		for _, name := range *asked.Types {
			p.Types = append(p.Types, session.MemoryType(name))
		}
	}
	return p
}

// limitOf is a limit of a policy, 0 for none: that of no days at all is the shortest.
func limitOf(number *wire.Float) time.Duration {
	if number == nil {
		return 0
	}
	return max(days(float64(*number)), 1)
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
