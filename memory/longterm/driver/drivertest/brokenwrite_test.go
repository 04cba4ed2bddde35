package drivertest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

func writeFaults() []fault {
	return []fault{
		{"lookup returns doubles", []string{"lookup by key", "lookup by hash", "lookup of many"}, onLookup(func(l driver.Lookup, found []driver.Entry) []driver.Entry {
			if len(l.Keys)+len(l.Hashes) > 1 && len(found) > 0 {
				found = append(found, found[0])
			}
			return found
		})},
		{"vectors are rounded", []string{"vectors come back"}, onEntry(func(_ *memindex.Index, e *driver.Entry) {
			e.Vector = slices.Clone(e.Vector)
			for i, x := range e.Vector {
				e.Vector[i] = float32(int(x*1000)) / 1000
			}
		})},
		{"a write stops at a conflict", []string{"writes are atomic", "hashes move", "reads are atomic"}, onWriteCall(oneByOneWrites)},
		{"replaced terms are found", []string{"write replaces", "statistics follow changes"}, onEntry(func(x *memindex.Index, e *driver.Entry) {
			if old := stored(x, driver.KeyOf(&e.Record)); old != nil {
				e.Terms = append(slices.Clone(e.Terms), driver.QueryTerms(old.Record.Text)...)
			}
		})},
		{"a replaced vector remains", []string{"write replaces", "records without vectors"}, onEntry(func(x *memindex.Index, e *driver.Entry) {
			if old := stored(x, driver.KeyOf(&e.Record)); old != nil && e.Vector == nil {
				e.Vector, e.Model = old.Vector, old.Model
			}
		})},
		{"nothing is removed", []string{"write removes", "write of several changes", "hashes move", "owners are isolated", "acknowledged writes are visible"}, onWrite(func(_ *memindex.Index, changes []driver.RecordChange) []driver.RecordChange {
			return slices.DeleteFunc(changes, func(c driver.RecordChange) bool { return c.Entry == nil })
		})},
		{"a write takes 500 changes", []string{"write of many changes"}, onWriteCall(func(ctx context.Context, x *memindex.Index, changes []driver.RecordChange) error {
			if len(changes) > 500 {
				return longterm.ErrUnavailable
			}
			return x.Write(ctx, changes)
		})},
		{"an empty write is an error", []string{"empty write"}, onWriteCall(func(ctx context.Context, x *memindex.Index, changes []driver.RecordChange) error {
			if len(changes) == 0 {
				return longterm.ErrConflict
			}
			return x.Write(ctx, changes)
		})},
		{"hashes are ignored", []string{"one hash, one record", "concurrent records with one hash"}, onWriteCall(ignoresHashes)},
		{"touch turns back the clock", []string{"touch does not turn back the clock"}, onTouchCall(touchSetsTime)},
		{"touch does nothing", []string{"touch", "touch of many", "touched records are found by time", "concurrent touches"}, onTouchCall(func(ctx context.Context, x *memindex.Index, _ []driver.RecordKey, _ time.Time) error {
			return ctx.Err()
		})},
		{"touch adds missing records", []string{"touch of missing records"}, onTouchCall(func(ctx context.Context, x *memindex.Index, keys []driver.RecordKey, at time.Time) error {
			for _, key := range keys {
				_ = x.Write(ctx, adding(driver.Entry{Record: recordOf(key, "touched")}))
			}
			return x.Touch(ctx, keys, at)
		})},
	}
}

// oneByOneWrites writes each change separately.
func oneByOneWrites(ctx context.Context, x *memindex.Index, changes []driver.RecordChange) error {
	for i := range changes {
		if err := x.Write(ctx, changes[i:i+1]); err != nil {
			return err
		}
		time.Sleep(50 * time.Microsecond) // lets other clients see it
	}
	return nil
}

// ignoresHashes writes records whose hashes conflict with another hash.
func ignoresHashes(ctx context.Context, x *memindex.Index, changes []driver.RecordChange) error {
	err := x.Write(ctx, changes)
	if !errors.Is(err, longterm.ErrConflict) {
		return err
	}
	for i, c := range changes {
		if c.Entry != nil {
			copied := *c.Entry
			copied.Record.Hash += "|" + copied.Record.ID
			changes[i].Entry = &copied
		}
	}
	return x.Write(ctx, changes)
}

func touchSetsTime(ctx context.Context, x *memindex.Index, keys []driver.RecordKey, at time.Time) error {
	if err := x.Touch(ctx, keys, at); err != nil {
		return err
	}
	var changes []driver.RecordChange
	for _, key := range keys {
		if e := stored(x, key); e != nil {
			e.Record.LastAccessed = at
			changes = append(changes, driver.RecordChange{Key: key, If: e.Version, Entry: e})
		}
	}
	return x.Write(ctx, changes)
}

func versionFaults() []fault {
	return []fault{
		{"versions are ignored", []string{"write adds", "conditional write", "writes are atomic", "concurrent additions", "concurrent changes", "agrees with the model"}, ignoresVersions},
		{"versions restart", []string{"versions never come back"}, restartsVersions},
	}
}

// ignoresVersions writes regardless of versions.
func ignoresVersions(x *memindex.Index) *broken {
	b := onWriteCall(func(ctx context.Context, x *memindex.Index, changes []driver.RecordChange) error {
		for {
			for i := range changes {
				changes[i].If = 0
				if old := stored(x, changes[i].Key); old != nil {
					changes[i].If = old.Version
				}
			}
			if err := x.Write(ctx, changes); !errors.Is(err, longterm.ErrConflict) || len(changes) > 1 {
				return err
			}
		}
	})(x)
	b.lookup = func(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
		found, err := x.Lookup(ctx, l)
		time.Sleep(50 * time.Microsecond) // lets other clients change the record
		return found, err
	}
	return b
}

// restartsVersions gives every record the same version.
func restartsVersions(x *memindex.Index) *broken {
	b := onWrite(func(x *memindex.Index, changes []driver.RecordChange) []driver.RecordChange {
		for i, c := range changes {
			if old := stored(x, c.Key); old != nil && c.If == 1 {
				changes[i].If = old.Version
			}
		}
		return changes
	})(x)
	b.lookup = onLookup(func(_ driver.Lookup, found []driver.Entry) []driver.Entry {
		for i := range found {
			found[i].Version = 1
		}
		return found
	})(x).lookup
	return b
}
