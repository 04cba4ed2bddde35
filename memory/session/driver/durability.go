package driver

import "context"

// Durability describes what happens to acknowledged writes when the server of a store is killed
// or loses power.
type Durability struct {
	Level DurabilityLevel
	// Settings are the settings of the server that the level follows from, for operators. It
	// may be empty.
	Settings string
}

// DurabilityLevel is the level of a Durability.
type DurabilityLevel string

// The levels of durability.
const (
	// DurabilitySynced: a write is on disk before it is acknowledged.
	DurabilitySynced DurabilityLevel = "synced"
	// DurabilityDelayed: a write is on disk some time after it was acknowledged. A crash loses
	// the last ones.
	DurabilityDelayed DurabilityLevel = "delayed"
	// DurabilityNone: nothing is written to disk. A crash loses everything.
	DurabilityNone DurabilityLevel = "none"
	// DurabilityUnknown: the store or its server does not report it.
	DurabilityUnknown DurabilityLevel = "unknown"
)

// DurabilityReporter is an optional ability of a store, and of an index of long-term memory.
type DurabilityReporter interface {
	// Durability returns the durability of writes by the present settings of the server. If
	// the server refuses to report it, the level is DurabilityUnknown and the error nil. Errors:
	// ErrUnavailable, ErrClosed, and one that is ctx.Err() when the context ends.
	Durability(ctx context.Context) (Durability, error)
}

// DurabilityOf returns the durability of a store. It is DurabilityUnknown for one that is not a
// DurabilityReporter, and with each error.
func DurabilityOf(ctx context.Context, store any) (Durability, error) {
	unknown := Durability{Level: DurabilityUnknown}
	reporter, ok := store.(DurabilityReporter)
	if !ok {
		return unknown, nil
	}
	d, err := reporter.Durability(ctx)
	if err != nil {
		return unknown, err
	}
	return d, nil
}
