package draft

import (
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// inherit takes over from a record what a new one of its id keeps.
func inherit(r, old *driver.Record, now time.Time) {
	if r.CreatedAt.IsZero() {
		r.CreatedAt = old.CreatedAt
	}
	if !r.UpdatedAt.After(old.UpdatedAt) {
		r.UpdatedAt = now
	}
	if r.LastAccessed.Before(old.LastAccessed) {
		r.LastAccessed = old.LastAccessed
	}
	r.AccessCount = max(r.AccessCount, old.AccessCount)
	if !old.PersistedAt.IsZero() {
		r.PersistedAt = old.PersistedAt
	}
}

// complete fills in the times that are missing.
func complete(r *driver.Record, now time.Time) {
	fill := func(at *time.Time, with time.Time) {
		if at.IsZero() {
			*at = with
		}
	}
	fill(&r.CreatedAt, now)
	fill(&r.UpdatedAt, r.CreatedAt)
	fill(&r.LastAccessed, now)
	fill(&r.PersistedAt, now)
}
