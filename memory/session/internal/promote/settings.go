package promote

import (
	"errors"

	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// withDefaults returns the options with defaults filled in. The error names the invalid one.
func withDefaults(p promotion.Options) (promotion.Options, error) {
	if p.Workers < 0 || p.Poll < 0 || p.Lease < 0 || p.RetryAfter < 0 || p.Batch < 0 {
		return p, errors.New("session: Promotions has a negative option")
	}
	if p.Workers == 0 {
		p.Workers = promotion.DefaultWorkers
	}
	switch {
	case p.Delay == 0:
		p.Delay = promotion.DefaultDelay
	case p.Delay < 0:
		p.Delay = 0
	}
	if p.Poll == 0 {
		p.Poll = promotion.DefaultPoll
	}
	if p.Lease == 0 {
		p.Lease = promotion.DefaultLease
	}
	if p.RetryAfter == 0 {
		p.RetryAfter = promotion.DefaultRetryAfter
	}
	if p.Batch == 0 {
		p.Batch = promotion.DefaultBatch
	}
	return p, nil
}
