package longterm

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// prepare returns copies of records, as far as they can be filled in without an index.
func (m *Memory) prepare(scope Scope, records []Record, apart bool) ([]Record, error) {
	prepared := make([]Record, 0, len(records))
	for i := range records {
		r, err := m.plain(scope, &records[i])
		if err != nil {
			return nil, recordError(i, records[i].ID, err)
		}
		r.Hash = m.hash(&r, apart)
		prepared = append(prepared, r)
	}
	return prepared, nil
}

// plain returns a record as an index keeps it, that shares nothing with what was given.
func (m *Memory) plain(scope Scope, given *Record) (Record, error) {
	r := *given
	if namespace, ok := scope.Namespace(); ok {
		r.Namespace = cmp.Or(r.Namespace, namespace)
	}
	if user, ok := scope.UserID(); ok {
		r.UserID = cmp.Or(r.UserID, user)
	}
	if !scope.Holds(r.Namespace, r.UserID) {
		return r, ErrScope
	}
	r.Type = cmp.Or(r.Type, session.MemorySemantic)
	r.AccessCount = max(r.AccessCount, 0)
	record.NormalizeTimes(&r)
	if err := driver.CheckRecord(&r); err != nil {
		return r, err
	}
	normal, err := record.Normalize(&r)
	if err != nil {
		return r, ErrMetadata
	}
	return normal, nil
}

// recordError names a record in an error, with the beginning of a long id.
func recordError(i int, id string, err error) *RecordError {
	const limit = 200
	if len(id) > limit {
		end := limit
		for end > limit-utf8.UTFMax && !utf8.RuneStart(id[end]) {
			end--
		}
		id = strings.Clone(id[:end]) + "…"
	}
	return &RecordError{Index: i, ID: id, Err: err}
}

// inherit takes over from a record what a new one of its id keeps.
func inherit(r, old *Record, now time.Time) {
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
func complete(r *Record, now time.Time) {
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
