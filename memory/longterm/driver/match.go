package driver

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Check returns ErrFilter with the reason if a filter is contradictory: Eq with Ne, Any with
// All, an Any, All or None without values, an empty StartsWith, a Between that ends before it
// begins, or more than MaxConditions values.
func (f *RecordFilter) Check() error {
	values := 0
	for name, text := range f.texts {
		if err := text.check(); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrFilter, name, err)
		}
		values += len(text.Any) + len(text.All) + len(text.None)
	}
	for name, t := range f.times {
		if t.Between != nil && t.Between[1].Before(t.Between[0]) {
			return fmt.Errorf("%w: %s: between ends before it begins", ErrFilter, name)
		}
		if t.Eq != nil && t.Ne != nil {
			return fmt.Errorf("%w: %s: both eq and ne", ErrFilter, name)
		}
	}
	if values > MaxConditions {
		return fmt.Errorf("%w: %d values exceed the limit of %d", ErrFilter, values, MaxConditions)
	}
	return nil
}

func (t *TextCondition) check() error {
	switch {
	case t.Eq != nil && t.Ne != nil:
		return errors.New("both eq and ne")
	case t.Any != nil && t.All != nil:
		return errors.New("both any and all")
	case t.Any != nil && len(t.Any) == 0, t.All != nil && len(t.All) == 0, t.None != nil && len(t.None) == 0:
		return errors.New("no values")
	case t.StartsWith != nil && *t.StartsWith == "":
		return errors.New("empty startswith")
	}
	return nil
}

// texts yields the text conditions that are set, by name.
func (f *RecordFilter) texts(yield func(string, *TextCondition) bool) {
	for _, field := range []struct {
		name string
		text *TextCondition
	}{
		{"id", f.ID}, {"namespace", f.Namespace}, {"user_id", f.UserID}, {"session_id", f.SessionID},
		{"memory_type", f.Type}, {"extraction_strategy", f.Strategy}, {"topics", f.Topics}, {"entities", f.Entities},
	} {
		if field.text != nil && !yield(field.name, field.text) {
			return
		}
	}
}

// times yields the time conditions that are set, by name.
func (f *RecordFilter) times(yield func(string, *TimeCondition) bool) {
	for _, field := range []struct {
		name string
		time *TimeCondition
	}{
		{"created_at", f.CreatedAt}, {"updated_at", f.UpdatedAt}, {"last_accessed", f.LastAccessed}, {"event_date", f.EventDate},
	} {
		if field.time != nil && !yield(field.name, field.time) {
			return
		}
	}
}

// Matches reports whether a record passes the filter.
func (f *RecordFilter) Matches(r *Record) bool {
	return f.ID.passes(r.ID) && f.Namespace.passes(r.Namespace) && f.UserID.passes(r.UserID) &&
		f.SessionID.passes(r.SessionID) && f.Type.passes(string(r.Type)) && f.Strategy.passes(r.ExtractionStrategy) &&
		f.Topics.passes(r.Topics...) && f.Entities.passes(r.Entities...) &&
		f.CreatedAt.passes(r.CreatedAt) && f.UpdatedAt.passes(r.UpdatedAt) &&
		f.LastAccessed.passes(r.LastAccessed) && f.EventDate.passes(r.EventDate) &&
		(f.Pinned == nil || *f.Pinned == r.Pinned)
}

func (t *TextCondition) passes(list ...string) bool {
	has := func(value string) bool { return slices.Contains(list, value) }
	return t == nil ||
		(t.Eq == nil || has(*t.Eq)) &&
			(t.Ne == nil || !has(*t.Ne)) &&
			(t.Any == nil || slices.ContainsFunc(t.Any, has)) &&
			(t.All == nil || !slices.ContainsFunc(t.All, func(value string) bool { return !has(value) })) &&
			(t.None == nil || !slices.ContainsFunc(t.None, has)) &&
			(t.StartsWith == nil || slices.ContainsFunc(list, func(text string) bool { return strings.HasPrefix(text, *t.StartsWith) }))
}

func (t *TimeCondition) passes(at time.Time) bool {
	if t == nil {
		return true
	}
	if at.IsZero() {
		only := TimeCondition{Ne: t.Ne}
		return *t == only
	}
	at = at.Truncate(time.Microsecond)
	compare := func(with *time.Time, allowed ...int) bool {
		return with == nil || slices.Contains(allowed, at.Compare(with.Truncate(time.Microsecond)))
	}
	return compare(t.Eq, 0) && compare(t.Ne, -1, 1) && compare(t.Gt, 1) && compare(t.Lt, -1) &&
		compare(t.Gte, 0, 1) && compare(t.Lte, -1, 0) &&
		(t.Between == nil || compare(&t.Between[0], 0, 1) && compare(&t.Between[1], -1, 0))
}
