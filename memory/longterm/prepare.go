package longterm

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// prepare returns normalized copies of records, with the owner of the scope and a hash.
func (m *Memory) prepare(scope Scope, records []Record, apart bool) ([]Record, error) {
	prepared := make([]Record, 0, len(records))
	for i := range records {
		r, err := m.normalize(scope, &records[i])
		if err != nil {
			return nil, recordError(i, records[i].ID, err)
		}
		r.Hash = m.writer.Hash(&r, apart)
		prepared = append(prepared, r)
	}
	return prepared, nil
}

// normalize returns a checked copy of a record in the form that an index keeps.
func (m *Memory) normalize(scope Scope, given *Record) (Record, error) {
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
	r.ExtractionStrategy = cmp.Or(r.ExtractionStrategy, StrategyDiscrete)
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

// recordError returns a RecordError with a shortened id.
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
