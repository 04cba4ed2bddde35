package extractor

import (
	"context"
	"fmt"
	"runtime"

	"github.com/go-workingmemory/workingmemory/internal/turns"
)

// ThrottleOptions configures Throttle. The zero value is useful.
type ThrottleOptions struct {
	// Concurrency is the number of extractions that run at once. 0 or less means half of
	// GOMAXPROCS, at least 1: the other half stays free for requests that extract nothing.
	Concurrency int
	// Owner returns the owner of an extraction, such as a tenant. Owners with waiting
	// extractions take turns, however many each has. It must be safe for concurrent use. If
	// nil, all extractions have one owner, and wait in the order of their calls.
	Owner func(ctx context.Context) string
}

// Throttle returns an Extractor that runs a limited number of extractions of x at once, for
// servers whose clients send large results. Others wait. An extraction whose context ends
// before its turn returns an error that wraps ctx.Err(). If opts is nil, the defaults apply.
func Throttle(x Extractor, opts *ThrottleOptions) Extractor {
	var o ThrottleOptions
	if opts != nil {
		o = *opts
	}
	if o.Concurrency <= 0 {
		o.Concurrency = max(1, runtime.GOMAXPROCS(0)/2)
	}
	if o.Owner == nil {
		o.Owner = func(context.Context) string { return "" }
	}
	return &throttled{next: x, owner: o.Owner, turns: turns.New(o.Concurrency)}
}

// throttled is the Extractor of Throttle.
type throttled struct {
	next  Extractor
	owner func(context.Context) string
	turns *turns.Turns
}

// Extract implements Extractor.
func (t *throttled) Extract(ctx context.Context, in Input) (Extraction, error) {
	if err := t.turns.Acquire(ctx, t.owner(ctx)); err != nil {
		return Extraction{}, fmt.Errorf("extractor: waiting for a turn: %w", err)
	}
	defer t.turns.Release()
	return t.next.Extract(ctx, in)
}
