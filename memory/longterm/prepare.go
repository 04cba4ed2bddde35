package longterm

import (
	"cmp"
	"strings"
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
		r.Hash = m.writer.Hash(&r, apart)
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
	r.Type = cmp.Or(r.Type, session.RecordSemantic)
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
