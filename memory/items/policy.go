package items

import (
	"math"
	"time"
)

// EvictionClass is what decides when an item leaves a Store that needs room.
type EvictionClass string

// The classes, in the order in which they leave.
const (
	// ClassDeleted is what was forgotten softly.
	ClassDeleted EvictionClass = "deleted"
	// ClassExpired is what is older than a TTL, whatever its importance.
	ClassExpired EvictionClass = "expired"
	// ClassLow is of an importance below Options.LowImportance.
	ClassLow EvictionClass = "low"
	// ClassNormal is of an importance in between.
	ClassNormal EvictionClass = "normal"
	// ClassProtected is of Options.HighImportance or more.
	ClassProtected EvictionClass = "protected"
)

// EvictionReason says why an item left a Store.
type EvictionReason string

// The reasons.
const (
	reasonDeleted   EvictionReason = "soft-deleted"
	reasonStepTTL   EvictionReason = "step TTL"
	reasonWallTTL   EvictionReason = "wall TTL"
	reasonLow       EvictionReason = "low importance"
	reasonNormal    EvictionReason = "normal importance"
	reasonProtected EvictionReason = "only protected items were left"
	// reasonTooLarge is that of an item that came with a JSON state and takes
	// more tokens than the store holds.
	reasonTooLarge EvictionReason = "larger than the store"
)

// Evicted is an item that left a Store because room was needed, or in
// a Sweep. Its Position is where it stood when its turn came.
type Evicted struct {
	Item   Item
	Class  EvictionClass
	Reason EvictionReason
}

// class is an EvictionClass by its place in classes.
type class uint8

const (
	deleted class = iota
	expired
	low
	normal
	protected
)

var classes = [...]EvictionClass{ClassDeleted, ClassExpired, ClassLow, ClassNormal, ClassProtected}

// rank is the place of an item in the order of eviction: the least leaves first,
// of several the oldest. It is twice the class, and one more for a recent item.
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
	case p.isExpired(it, at) != "":
		return expired
	case it.Importance < p.LowImportance:
		return low
	case it.Importance < p.HighImportance:
		return normal
	default:
		return protected
	}
}

// isRecent reports whether an item is inside the recency window. Steps are
// bounded, so that nothing here overflows.
func (p *itemPolicy) isRecent(it *Item, at moment) bool {
	return p.RecencyWindow > 0 && at.step < it.StepIndex+p.RecencyWindow
}

// isExpired returns which TTL has passed, "" if none has.
func (p *itemPolicy) isExpired(it *Item, at moment) EvictionReason {
	switch {
	case at.step >= p.expiryStep(it):
		return reasonStepTTL
	case nanoseconds(at.time) >= p.expiryTime(it):
		return reasonWallTTL
	}
	return ""
}

// expiryStep is the step in which an item expires, beyond all steps if it never does.
func (p *itemPolicy) expiryStep(it *Item) int {
	if p.StepTTL < 0 {
		return math.MaxInt
	}
	return it.StepIndex + p.StepTTL + 1
}

// expiryTime is when an item expires, beyond all times if it never does.
func (p *itemPolicy) expiryTime(it *Item) int64 {
	born, ttl := nanoseconds(it.Timestamp), p.WallTTL.Nanoseconds()
	if ttl < 0 || born >= math.MaxInt64-1-ttl {
		return math.MaxInt64
	}
	return born + ttl + 1
}

// nanoseconds is a time as a number, the nearest one for years outside 1678 to
// 2261.
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

// reason returns why an item leaves that makes room.
func (p *itemPolicy) reason(it *Item, at moment) EvictionReason {
	switch p.classify(it, at) {
	case deleted:
		return reasonDeleted
	case expired:
		return p.isExpired(it, at)
	case low:
		return reasonLow
	case normal:
		return reasonNormal
	default:
		return reasonProtected
	}
}
