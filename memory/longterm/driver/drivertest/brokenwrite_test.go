package drivertest

import (
	"context"
	"errors"
	"slices"
	"strings"
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
		{"a lookup stops at 500", []string{"lookup of many"}, onLookup(func(_ driver.Lookup, found []driver.Entry) []driver.Entry { return found[:min(500, len(found))] })},
		{"vectors are rounded", []string{"vectors come back"}, onEntry(func(_ *memindex.Index, e *driver.Entry) {
			e.Vector = slices.Clone(e.Vector)
			for i, x := range e.Vector {
				e.Vector[i] = float32(int(x*1000)) / 1000
			}
		})},
		{"a write stops at a conflict", []string{"writes are atomic", "hashes move", "reads are atomic"}, onWriteCall(oneByOneWrites)},
		{"replaced terms are found", []string{"write replaces", "statistics follow changes"}, onEntry(func(x *memindex.Index, e *driver.Entry) {
			if old := stored(x, driver.KeyOf(&e.Record)); old != nil {
				e.Terms = append(slices.Clone(e.Terms), driver.Terms(old.Record.Text)...)
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
		{"hashes are ignored", []string{"one hash, one record", "concurrent records with one hash"}, ignoresHashes},
		{"owners share hashes", []string{"hashes of owners"}, onWriteCall(sharesHashes)},
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

// ignoresHashes makes every hash unique in the index.
func ignoresHashes(x *memindex.Index) *broken {
	b := onEntry(func(_ *memindex.Index, e *driver.Entry) { e.Record.Hash += "|" + e.Record.ID })(x)
	b.lookup = func(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
		page, err := x.Search(ctx, driver.Search{Scope: longterm.Of(l.Namespace, l.UserID), Limit: longterm.MaxPage})
		if err != nil {
			return nil, err
		}
		for _, hit := range page.Hits {
			if of, _, _ := strings.Cut(hit.Record.Hash, "|"); slices.Contains(l.Hashes, of) {
				l.Keys = append(l.Keys, driver.KeyOf(&hit.Record))
			}
		}
		found, err := x.Lookup(ctx, driver.Lookup{Keys: l.Keys})
		for i := range found {
			found[i].Record.Hash, _, _ = strings.Cut(found[i].Record.Hash, "|")
		}
		return found, err
	}
	return b
}

func sharesHashes(ctx context.Context, x *memindex.Index, changes []driver.RecordChange) error {
	seen := map[string]bool{}
	for _, c := range changes {
		if c.Entry != nil && seen[c.Entry.Record.Hash] {
			return longterm.ErrConflict
		} else if c.Entry != nil {
			seen[c.Entry.Record.Hash] = true
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

// restartsVersions numbers the versions of a record from when it was added.
func restartsVersions(x *memindex.Index) *broken {
	var counts notes[uint64]
	b := newBroken(x)
	b.lookup = func(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
		found, err := x.Lookup(ctx, l)
		for i := range found {
			found[i].Version = counts.get(driver.KeyOf(&found[i].Record))
		}
		return found, err
	}
	b.touch = func(ctx context.Context, keys []driver.RecordKey, at time.Time) error {
		for _, key := range keys {
			counts.set(key, counts.get(key)+1)
		}
		return x.Touch(ctx, keys, at)
	}
	b.write = func(ctx context.Context, changes []driver.RecordChange) error {
		changes = slices.Clone(changes)
		for i, c := range changes {
			if old := stored(x, c.Key); old != nil && c.If == counts.get(c.Key) {
				changes[i].If = old.Version
			}
		}
		if err := x.Write(ctx, changes); err != nil {
			return err
		}
		for _, c := range changes {
			counts.set(c.Key, counts.get(c.Key)+1)
			if c.Entry == nil {
				counts.set(c.Key, 0)
			}
		}
		return nil
	}
	return b
}
