package memindex

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
)

// entry is an entry of an Index. Its record shares nothing with callers.
type entry struct {
	key     string // see sortKey
	record  driver.Record
	version uint64
	model   string
	origin  string
	vector  []float32 // moved to space when the entry is added
	terms   []termCount
	length  int // of the text, in terms

	// The owner sets these.
	slot  int      // in owner.entries
	space *vectors // holds its vector; nil if it has none
	row   int      // in space
}

// termCount is the number of occurrences of a term in an entry.
type termCount struct {
	term  string
	count uint32
}

// newEntries validates changes and returns the entries that they write.
func newEntries(changes []driver.RecordChange) ([]*entry, error) {
	if len(changes) > driver.MaxChanges {
		return nil, tooMany(len(changes))
	}
	made := make([]*entry, 0, len(changes))
	keys := make(map[driver.RecordKey]bool, len(changes))
	for i, c := range changes {
		if keys[c.Key] {
			return nil, fmt.Errorf("change %d repeats a key", i)
		}
		keys[c.Key] = true
		if c.Entry == nil {
			continue
		}
		if driver.KeyOf(&c.Entry.Record) != c.Key {
			return nil, fmt.Errorf("change %d: key and record differ", i)
		}
		e, err := newEntry(c.Entry)
		if err != nil {
			return nil, fmt.Errorf("change %d: %w", i, err)
		}
		made = append(made, e)
	}
	return made, nil
}

func newEntry(e *driver.Entry) (*entry, error) {
	record, err := record.Normalize(&e.Record)
	if err != nil {
		return nil, driver.ErrMetadata
	}
	made := &entry{
		key: sortKey(driver.KeyOf(&record)), record: record, model: e.Model, origin: e.Origin,
		vector: e.Vector, length: len(e.Terms),
	}
	counts := make(map[string]uint32, len(e.Terms))
	for _, term := range e.Terms {
		counts[term]++
	}
	for term, count := range counts {
		made.terms = append(made.terms, termCount{term, count})
	}
	return made, nil
}

// export returns a copy for a caller.
func (e *entry) export() driver.Entry {
	return driver.Entry{Record: record.Clone(&e.record), Version: e.version, Vector: e.copyVector(), Model: e.model, Origin: e.origin}
}

func (e *entry) copyVector() []float32 {
	if e.space == nil {
		return nil
	}
	return slices.Clone(e.space.at(e.row))
}

func (e *entry) owner() ownerKey {
	return ownerKey{e.record.Namespace, e.record.UserID}
}

// sortKey returns a string that sorts like the key. Each part ends with 00 01; a NUL inside a
// part becomes 00 FF, so that no part contains the separator.
func sortKey(key driver.RecordKey) string {
	end := "\x00\x01"
	escape := func(part string) string { return strings.ReplaceAll(part, "\x00", "\x00\xff") }
	return escape(key.Namespace) + end + escape(key.UserID) + end + key.ID
}
