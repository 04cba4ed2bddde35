package service

import (
	"context"
	"math"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/rest/wire"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// maxForget is how many memories are looked at in one request.
const maxForget = 10_000

// ForgetMemories removes the memories that a policy does not keep, in a namespace, of a
// user and from a session where these are not nil, or says in a dry run which these are.
// It looks at limit of them, 1 to 10,000; 0 means longterm.DefaultForgetLimit. Errors:
// Bad, Invalid, Conflict, Unavailable.
func (s *Service) ForgetMemories(ctx context.Context, t Tenant, namespace, userID, sessionID *string, limit int, dryRun bool, body *wire.Forget) (*wire.Forgotten, error) {
	switch {
	case s.opts.Memory == nil:
		return nil, disabled()
	case limit < 0:
		return nil, invalid("greater_than_equal", "Input should be greater than or equal to 1", "query", "limit")
	case limit > maxForget:
		return nil, invalid("less_than_equal", "Input should be less than or equal to 10000", "query", "limit")
	}
	if err := invalidIf(body.Check()); err != nil {
		return nil, err
	}
	policy, err := policyOf(body)
	if err != nil {
		return nil, err
	}
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

// policyOf is a policy of the wire. Errors: Invalid.
func policyOf(body *wire.Forget) (longterm.Policy, error) {
	asked := body.Policy
	p := longterm.Policy{Pinned: body.PinnedIDs, MaxAge: limitOf(asked.MaxAgeDays), MaxInactive: limitOf(asked.MaxInactiveDays)}
	if len(p.Pinned) > longterm.MaxConditions {
		return p, invalid("too_long", "List should have at most 1000 items", "body", "pinned_ids")
	}
	if m := asked.HardAgeMultiplier; m != nil {
		if *m < 1 {
			return p, invalid("greater_than_equal", "Input should be greater than or equal to 1", "body", "policy", "hard_age_multiplier")
		}
		p.HardAgeMultiplier = float64(*m)
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
	return p, nil
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
