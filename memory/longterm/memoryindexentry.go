package longterm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// memoryEntry is an entry of a MemoryIndex. Of its record nothing is shared with
// callers.
type memoryEntry struct {
	key     string // see sortKey
	record  Record
	version uint64
	model   string
	origin  string
	vector  []float32 // until its owner has it in a space
	terms   []memoryTerm
	length  int // of the text, in terms

	// What follows is its owner's.
	slot  int            // in memoryOwner.entries
	space *memoryVectors // that its vector is in, nil if it has none
	row   int            // in space
}

// memoryTerm is a term, and how often it comes in an entry.
type memoryTerm struct {
	term  string
	count uint32
}

// newMemoryEntries makes entries of changes, and says what is wrong with them.
func newMemoryEntries(changes []Change) ([]*memoryEntry, error) {
	if len(changes) > MaxChanges {
		return nil, tooMany(len(changes))
	}
	made := make([]*memoryEntry, 0, len(changes))
	keys := make(map[Key]bool, len(changes))
	for i, c := range changes {
		if keys[c.Key] {
			return nil, fmt.Errorf("change %d is of the record of another", i)
		}
		keys[c.Key] = true
		if c.Entry == nil {
			continue
		}
		if KeyOf(&c.Entry.Record) != c.Key {
			return nil, fmt.Errorf("change %d has the key of another record", i)
		}
		e, err := newMemoryEntry(c.Entry)
		if err != nil {
			return nil, fmt.Errorf("change %d: %w", i, err)
		}
		made = append(made, e)
	}
	return made, nil
}

func newMemoryEntry(e *Entry) (*memoryEntry, error) {
	made := &memoryEntry{
		key: sortKey(KeyOf(&e.Record)), record: copyRecord(&e.Record), model: e.Model, origin: e.Origin,
		vector: e.Vector, length: len(e.Terms),
	}
	counts := make(map[string]uint32, len(e.Terms))
	for _, term := range e.Terms {
		counts[term]++
	}
	for term, count := range counts {
		made.terms = append(made.terms, memoryTerm{term, count})
	}
	if len(e.Record.Metadata) > 0 {
		metadata, err := plainJSON(e.Record.Metadata)
		if err != nil {
			return nil, ErrMetadata
		}
		made.record.Metadata = metadata
	}
	for _, at := range []*time.Time{
		&made.record.EventDate, &made.record.CreatedAt, &made.record.UpdatedAt, &made.record.LastAccessed, &made.record.PersistedAt,
	} {
		*at = at.Truncate(time.Microsecond).UTC()
	}
	return made, nil
}

// entry is a copy for a caller.
func (e *memoryEntry) entry() Entry {
	return Entry{Record: copyRecord(&e.record), Version: e.version, Vector: e.copyVector(), Model: e.model, Origin: e.origin}
}

func (e *memoryEntry) copyVector() []float32 {
	if e.space == nil {
		return nil
	}
	return slices.Clone(e.space.at(e.row))
}

func (e *memoryEntry) owner() memoryOwnerKey {
	return memoryOwnerKey{e.record.Namespace, e.record.UserID}
}

// sortKey is a text for each key, in the order of keys. A NUL ends each of its parts;
// one that is in a part is told from it by what follows.
func sortKey(key Key) string {
	end := "\x00\x01"
	escape := func(part string) string { return strings.ReplaceAll(part, "\x00", "\x00\xff") }
	return escape(key.Namespace) + end + escape(key.UserID) + end + key.ID
}

// copyRecord copies a record, with nil for lists and maps without anything.
func copyRecord(r *Record) Record {
	copied := *r
	for _, list := range []*[]string{&copied.Topics, &copied.Entities, &copied.ExtractedFrom} {
		if len(*list) == 0 {
			*list = nil
		}
		*list = slices.Clone(*list)
	}
	copied.Metadata = nil
	if len(r.Metadata) > 0 {
		copied.Metadata = copyJSON(r.Metadata).(map[string]any)
	}
	return copied
}

// copyJSON copies what json makes.
func copyJSON(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := maps.Clone(value)
		for name, v := range copied {
			copied[name] = copyJSON(v)
		}
		return copied
	case []any:
		copied := slices.Clone(value)
		for i, v := range copied {
			copied[i] = copyJSON(v)
		}
		return copied
	}
	return value
}

// plainJSON makes of an object what comes of it when it is written as JSON and read
// again, with numbers as they stand there.
func plainJSON(object map[string]any) (plain map[string]any, err error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return plain, decoder.Decode(&plain)
}
