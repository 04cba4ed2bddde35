package sqlitestore

import (
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// where is a conjunction of SQL conditions with their arguments.
type where struct {
	parts []string
	args  []any
}

func (w *where) add(part string, args ...any) {
	w.parts = append(w.parts, part)
	w.args = append(w.args, args...)
}

// and returns the conjunction with other conditions.
func (w *where) and(other *where) *where {
	return &where{parts: slices.Concat(w.parts, other.parts), args: slices.Concat(w.args, other.args)}
}

// String returns the SQL.
func (w *where) String() string {
	if len(w.parts) == 0 {
		return "1"
	}
	return strings.Join(w.parts, " AND ")
}

// ownersIn returns the conditions for owners o in a scope.
func ownersIn(s driver.Scope) *where {
	w := &where{}
	if namespace, ok := s.Namespace(); ok {
		w.add("o.namespace = ?", namespace)
	}
	if user, ok := s.UserID(); ok {
		w.add("o.user_id = ?", user)
	}
	return w
}

// matching returns the conditions for records r that match f, as defined by
// driver.RecordFilter.Matches. The owner is 0 if the scope has several.
func matching(owner int64, f *driver.RecordFilter) *where {
	w := &where{}
	owners := &where{}
	owners.text("o.namespace", f.Namespace)
	owners.text("o.user_id", f.UserID)
	if len(owners.parts) > 0 {
		w.add("r.owner IN (SELECT o.id FROM owners o WHERE "+owners.String()+")", owners.args...)
	}
	w.text("r.key", f.ID)
	w.text("r.session_id", f.SessionID)
	w.text("r.type", f.Type)
	w.text("r.strategy", f.Strategy)
	w.tags(owner, topics, f.Topics)
	w.tags(owner, entities, f.Entities)
	w.time("r.created_at", f.CreatedAt)
	w.time("r.updated_at", f.UpdatedAt)
	w.time("r.accessed_at", f.LastAccessed)
	w.time("r.event_at", f.EventDate)
	if f.Pinned != nil {
		w.add("r.pinned = ?", *f.Pinned)
	}
	return w
}

// text adds conditions on a column.
func (w *where) text(column string, t *driver.TextCondition) {
	if t == nil {
		return
	}
	if t.Eq != nil {
		w.add(column+" = ?", *t.Eq)
	}
	if t.Ne != nil {
		w.add(column+" <> ?", *t.Ne)
	}
	if t.Any != nil {
		w.add(column+" IN ("+placeholders(len(t.Any))+")", values(t.Any)...)
	}
	if all := tagsOf(t.All); len(all) == 1 {
		w.add(column+" = ?", all[0])
	} else if len(all) > 1 {
		w.add("0") // one text cannot equal several
	}
	if t.None != nil {
		w.add(column+" NOT IN ("+placeholders(len(t.None))+")", values(t.None)...)
	}
	if t.StartsWith != nil {
		w.add(hasPrefix(column), *t.StartsWith, *t.StartsWith)
	}
}

// The kinds of tags.
const (
	topics   = 0
	entities = 1
)

// tags adds conditions on topics or entities. The owner is 0 if the scope has several.
func (w *where) tags(owner int64, kind int, t *driver.TextCondition) {
	if t == nil {
		return
	}
	// The subselects run once, not for each record.
	has := func(in, condition string, args ...any) {
		of := "t.kind = ? AND "
		args = append([]any{kind}, args...)
		if owner != 0 {
			of = "t.owner = ? AND " + of
			args = append([]any{owner}, args...)
		}
		w.add("r.id "+in+" (SELECT t.record FROM tags t WHERE "+of+condition+")", args...)
	}
	if t.Eq != nil {
		has("IN", "t.value = ?", *t.Eq)
	}
	if t.Ne != nil {
		has("NOT IN", "t.value = ?", *t.Ne)
	}
	if t.Any != nil {
		has("IN", "t.value IN ("+placeholders(len(t.Any))+")", values(t.Any)...)
	}
	if t.All != nil {
		all := tagsOf(t.All)
		has("IN", "t.value IN ("+placeholders(len(all))+") GROUP BY t.record HAVING count(*) = ?", append(values(all), len(all))...)
	}
	if t.None != nil {
		has("NOT IN", "t.value IN ("+placeholders(len(t.None))+")", values(t.None)...)
	}
	if t.StartsWith != nil {
		has("IN", hasPrefix("t.value"), *t.StartsWith, *t.StartsWith)
	}
}

// time adds conditions on a time. NULL, an unknown time, matches no comparison but IS NOT.
func (w *where) time(column string, t *driver.TimeCondition) {
	if t == nil {
		return
	}
	for _, c := range []struct {
		operator string
		with     *time.Time
	}{{"=", t.Eq}, {"IS NOT", t.Ne}, {">", t.Gt}, {"<", t.Lt}, {">=", t.Gte}, {"<=", t.Lte}} {
		if c.with != nil {
			w.add(column+" "+c.operator+" ?", micros(*c.with).Int64)
		}
	}
	if t.Between != nil {
		w.add(column+" BETWEEN ? AND ?", micros(t.Between[0]).Int64, micros(t.Between[1]).Int64)
	}
}

// hasPrefix returns the condition that a column starts with a text, which is its argument twice. It
// compares bytes, as no text contains the byte 255; LIKE and substr stop at NUL.
func hasPrefix(column string) string {
	return column + " >= ? AND " + column + " < ? || CAST(x'ff' AS TEXT)"
}

// placeholders returns n placeholders.
func placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func values(texts []string) []any {
	args := make([]any, len(texts))
	for i, text := range texts {
		args[i] = text
	}
	return args
}
