package drivertest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

func contentFaults() []fault {
	return []fault{
		{"a field is lost", []string{"all fields come back"}, onEntry(func(_ *memindex.Index, e *driver.Entry) { e.Record.PersistedAt = time.Time{} })},
		{"NUL ends a text", []string{"odd texts"}, onEntry(func(_ *memindex.Index, e *driver.Entry) {
			e.Record.Text, _, _ = strings.Cut(e.Record.Text, "\x00")
		})},
		{"numbers are floats", []string{"metadata comes back"}, onLookup(func(_ driver.Lookup, found []driver.Entry) []driver.Entry {
			for _, e := range found {
				for name, value := range e.Record.Metadata {
					if number, ok := value.(json.Number); ok {
						e.Record.Metadata[name], _ = number.Float64()
					}
				}
			}
			return found
		})},
		{"times are truncated to milliseconds", []string{"times come back", "filters on times"}, onEntry(func(_ *memindex.Index, e *driver.Entry) {
			for _, at := range times(&e.Record) {
				*at = at.Truncate(time.Millisecond)
			}
		})},
		{"arguments are kept", []string{"arguments are copied"}, keepsArguments},
		{"results are shared", []string{"results are copied"}, returnsShared},
		{"keys are normalized", []string{"odd keys", "keys at random"}, onKeys(func(key driver.RecordKey) driver.RecordKey {
			plain := func(part string) string { return strings.ToLower(strings.ReplaceAll(part, "\x00", "")) }
			return driver.RecordKey{Namespace: plain(key.Namespace), UserID: plain(key.UserID), ID: plain(key.ID)}
		})},
		{"ids are cut", []string{"long keys"}, onKeys(func(key driver.RecordKey) driver.RecordKey {
			key.ID = key.ID[:min(len(key.ID), 1000)]
			return key
		})},
		{"errors quote what was written", []string{"errors do not quote records"}, onWriteCall(func(ctx context.Context, x *memindex.Index, changes []driver.RecordChange) error {
			if err := x.Write(ctx, changes); err != nil {
				return errors.Join(err, errors.New(changes[0].Entry.Record.Text))
			}
			return nil
		})},
		{"contexts are ignored", []string{"context has ended"}, onWriteCall(func(ctx context.Context, x *memindex.Index, changes []driver.RecordChange) error {
			return x.Write(context.WithoutCancel(ctx), changes)
		})},
		{"close does nothing", []string{"closed"}, func(x *memindex.Index) *broken {
			b := newBroken(x)
			b.close = func() error { return nil }
			return b
		}},
	}
}

// onKeys changes keys.
func onKeys(change func(key driver.RecordKey) driver.RecordKey) func(*memindex.Index) *broken {
	return func(x *memindex.Index) *broken {
		b := onWrite(func(_ *memindex.Index, changes []driver.RecordChange) []driver.RecordChange {
			for i, c := range changes {
				changes[i].Key = change(c.Key)
				if c.Entry != nil {
					copied := *c.Entry
					copied.Record.Namespace, copied.Record.UserID, copied.Record.ID = changes[i].Key.Namespace, changes[i].Key.UserID, changes[i].Key.ID
					changes[i].Entry = &copied
				}
			}
			return changes
		})(x)
		b.lookup = func(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
			for i, key := range l.Keys {
				l.Keys[i] = change(key)
			}
			return x.Lookup(ctx, l)
		}
		return b
	}
}

// keepsArguments returns the maps that were passed to Write.
func keepsArguments(x *memindex.Index) *broken {
	var given notes[longterm.Record]
	b := onEntry(func(_ *memindex.Index, e *driver.Entry) { given.set(driver.KeyOf(&e.Record), e.Record) })(x)
	b.lookup = func(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
		found, err := x.Lookup(ctx, l)
		for i := range found {
			found[i].Record.Metadata = given.get(driver.KeyOf(&found[i].Record)).Metadata
		}
		return found, err
	}
	return b
}

// returnsShared returns the same slices and maps twice.
func returnsShared(x *memindex.Index) *broken {
	var returned notes[*longterm.Record]
	b := newBroken(x)
	b.search = func(ctx context.Context, s driver.Search) (driver.HitPage, error) {
		page, err := x.Search(ctx, s)
		for i := range page.Hits {
			key := driver.KeyOf(&page.Hits[i].Record)
			if before := returned.get(key); before != nil {
				page.Hits[i].Record = *before
			}
			returned.set(key, &page.Hits[i].Record)
		}
		return page, err
	}
	return b
}
