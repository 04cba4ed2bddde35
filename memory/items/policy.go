package items

import (
	"math"
	"time"
)

// EvictionClass determines the order in which items of a Store are evicted.
type EvictionClass string

// The classes, in the order of eviction.
const (
	// ClassDeleted is the class of items that were forgotten softly.
	ClassDeleted EvictionClass = "deleted"
	// ClassExpired is the class of items older than a TTL, whatever their importance.
	ClassExpired EvictionClass = "expired"
	// ClassLow is the class of items below Options.LowImportance.
	ClassLow EvictionClass = "low"
	// ClassNormal is the class of items of an importance in between.
	ClassNormal EvictionClass = "normal"
	// ClassProtected is the class of items of Options.HighImportance or more.
	ClassProtected EvictionClass = "protected"
)

// EvictionReason is the reason of an eviction.
type EvictionReason string

// The reasons.
const (
	reasonDeleted   EvictionReason = "soft-deleted"
	reasonStepTTL   EvictionReason = "step TTL"
	reasonWallTTL   EvictionReason = "wall TTL"
	reasonLow       EvictionReason = "low importance"
	reasonNormal    EvictionReason = "normal importance"
	reasonProtected EvictionReason = "only protected items were left"
	// reasonTooLarge is the reason for an item of a JSON state that has more tokens
	// than the store can hold.
	reasonTooLarge EvictionReason = "larger than the store"
)

// Evicted is an item that was evicted to make room or by Sweep. Its Position is the one
// that it had when it was evicted.
type Evicted struct {
	Item   Item
	Class  EvictionClass
	Reason EvictionReason
}

// class is an index of classes.
type class uint8

const (
	deleted class = iota
	expired
	low
	normal
	protected
)

var classes = [...]EvictionClass{ClassDeleted, ClassExpired, ClassLow, ClassNormal, ClassProtected}

// rank orders items by eviction: the oldest item of the lowest rank is evicted first.
// It is twice the class, plus one for a recent item.
type rank uint8

const maxRank = rank(2*len(classes) - 1)

func (p *itemPolicy) rank(it *Item, at moment) rank {
	r := rank(2 * p.classify(it, at))
	if p.isRecent(it, at) {
		r++
	}
	return r
}

func (p *itemPolicy) classify(it *Item, at moment) class {
	switch {
	case it.Deleted:
		return deleted
	case p.expiry(it, at) != "":
		return expired
	case it.Importance < p.LowImportance:
		return low
	case it.Importance < p.HighImportance:
		return normal
	default:
		return protected
	}
}

// isRecent reports whether an item is in the recency window. Steps are bounded, so the
// sum does not overflow.
func (p *itemPolicy) isRecent(it *Item, at moment) bool {
	return p.RecencyWindow > 0 && at.step < it.StepIndex+p.RecencyWindow
}

// expiry returns the reason of an expired item, or "" if it has not expired.
func (p *itemPolicy) expiry(it *Item, at moment) EvictionReason {
	switch {
	case at.step >= p.expiryStep(it):
		return reasonStepTTL
	case nanoseconds(at.time) >= p.expiryTime(it):
		return reasonWallTTL
	}
	return ""
}

// expiryStep returns the step in which an item expires, or math.MaxInt if it does not.
func (p *itemPolicy) expiryStep(it *Item) int {
	if p.StepTTL < 0 {
		return math.MaxInt
	}
	return it.StepIndex + p.StepTTL + 1
}

// expiryTime returns the time at which an item expires, or math.MaxInt64 if it does not.
func (p *itemPolicy) expiryTime(it *Item) int64 {
	born, ttl := nanoseconds(it.Timestamp), p.WallTTL.Nanoseconds()
	if ttl < 0 || born >= math.MaxInt64-1-ttl {
		return math.MaxInt64
	}
	return born + ttl + 1
}

// nanoseconds returns the Unix time in nanoseconds, clamped to the years 1678 to 2261.
func nanoseconds(t time.Time) int64 {
	const second = int64(time.Second)
	switch unix := t.Unix(); {
	case unix <= math.MinInt64/second:
		return math.MinInt64
	case unix >= math.MaxInt64/second:
		return math.MaxInt64 - 1
	}
	return t.UnixNano()
}

// reason returns the reason for evicting an item to make room.
func (p *itemPolicy) reason(it *Item, at moment) EvictionReason {
	switch p.classify(it, at) {
	case deleted:
		return reasonDeleted
	case expired:
		return p.expiry(it, at)
	case low:
		return reasonLow
	case normal:
		return reasonNormal
	default:
		return reasonProtected
	}
}
