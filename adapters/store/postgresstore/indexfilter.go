package postgresstore

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// query is a statement while it is put together: what its places ($1, …) stand for.
type query struct{ arguments []any }

// add returns the place of a value of a type of SQL.
func (q *query) add(value any, sqlType string) string {
	q.arguments = append(q.arguments, value)
	return fmt.Sprintf("$%d::%s", len(q.arguments), sqlType)
}

// all joins conditions, of which there may be none.
func all(conditions []string) string {
	if len(conditions) == 0 {
		return "true"
	}
	return strings.Join(conditions, " AND ")
}

// scope gives the conditions that records r are in a scope.
func (q *query) scope(s driver.Scope) []string {
	if namespace, userID, ok := s.Owner(); ok {
		return []string{"r.owner = " + q.add(ownerOf(namespace, userID), "bytea")}
	}
	var conditions []string
	if namespace, ok := s.Namespace(); ok {
		conditions = append(conditions, q.whole("namespace", namespace))
	}
	if userID, ok := s.UserID(); ok {
		conditions = append(conditions, q.whole("user_id", userID))
	}
	return conditions
}

// whole is that a column, of which the index has the beginning, is a text.
func (q *query) whole(column, text string) string {
	begin := q.add([]byte(text[:min(len(text), indexed)]), "bytea")
	return fmt.Sprintf("substring(r.%[1]s, 1, %[2]d) = %[3]s AND r.%[1]s = %[4]s", column, indexed, begin, q.add([]byte(text), "bytea"))
}

// filter gives the conditions that records r pass a filter, as driver.RecordFilter.Matches has them.
func (q *query) filter(f *driver.RecordFilter) []string {
	var conditions []string
	for _, field := range []struct {
		column string
		text   *driver.TextCondition
	}{
		{"record_id", f.ID}, {"namespace", f.Namespace}, {"user_id", f.UserID}, {"session_id", f.SessionID},
		{"type", f.Type}, {"strategy", f.Strategy},
	} {
		if field.text != nil {
			conditions = append(conditions, q.text("r."+field.column, field.text)...)
		}
	}
	for _, field := range []struct {
		column string
		kind   byte
		text   *driver.TextCondition
	}{{"topics", 't', f.Topics}, {"entities", 'e', f.Entities}} {
		if field.text != nil {
			conditions = append(conditions, q.texts("r."+field.column, field.kind, field.text)...)
		}
	}
	for _, field := range []struct {
		column string
		time   *driver.TimeCondition
	}{
		{"created_at", f.CreatedAt}, {"updated_at", f.UpdatedAt}, {"last_accessed", f.LastAccessed}, {"event_date", f.EventDate},
	} {
		if field.time != nil {
			conditions = append(conditions, q.time("r."+field.column, field.time)...)
		}
	}
	if f.Pinned != nil {
		conditions = append(conditions, "r.pinned = "+q.add(*f.Pinned, "boolean"))
	}
	return conditions
}

// text gives the conditions on a column that has one text.
func (q *query) text(column string, t *driver.TextCondition) (conditions []string) {
	add := func(format string, value any, sqlType string) {
		conditions = append(conditions, fmt.Sprintf(format, column, q.add(value, sqlType)))
	}
	if t.Eq != nil {
		add("%s = %s", []byte(*t.Eq), "bytea")
	}
	if t.Ne != nil {
		add("%s <> %s", []byte(*t.Ne), "bytea")
	}
	if t.Any != nil {
		add("%s = ANY (%s)", allBytes(t.Any), "bytea[]")
	}
	if t.All != nil {
		add("%s = ALL (%s)", allBytes(t.All), "bytea[]")
	}
	if t.None != nil {
		add("%s <> ALL (%s)", allBytes(t.None), "bytea[]")
	}
	if t.StartsWith != nil {
		add("substring(%[1]s, 1, length(%[2]s)) = %[2]s", []byte(*t.StartsWith), "bytea")
	}
	return conditions
}

// texts gives the conditions on a column that has a list of texts. The tags find records
// by an index, and the texts decide.
func (q *query) texts(column string, kind byte, t *driver.TextCondition) (conditions []string) {
	add := func(format string, value any, sqlType string) {
		conditions = append(conditions, fmt.Sprintf(format, column, q.add(value, sqlType)))
	}
	tags := func(operator string, texts []string) {
		conditions = append(conditions, "r.tags "+operator+" "+q.add(tagsOf(kind, texts), "bigint[]"))
	}
	if t.Eq != nil {
		tags("@>", []string{*t.Eq})
		add("%[2]s = ANY (%[1]s)", []byte(*t.Eq), "bytea")
	}
	if t.Ne != nil {
		add("%[2]s <> ALL (%[1]s)", []byte(*t.Ne), "bytea")
	}
	if t.Any != nil {
		tags("&&", t.Any)
		add("%s && %s", allBytes(t.Any), "bytea[]")
	}
	if t.All != nil {
		tags("@>", t.All)
		add("%s @> %s", allBytes(t.All), "bytea[]")
	}
	if t.None != nil {
		add("NOT %s && %s", allBytes(t.None), "bytea[]")
	}
	if t.StartsWith != nil {
		add("EXISTS (SELECT FROM unnest(%[1]s) t WHERE substring(t, 1, length(%[2]s)) = %[2]s)", []byte(*t.StartsWith), "bytea")
	}
	return conditions
}

// time gives the conditions on a time, which is NULL where it is not known.
func (q *query) time(column string, t *driver.TimeCondition) (conditions []string) {
	add := func(operator string, at *time.Time) {
		if at != nil {
			value := inRange(*at).Truncate(time.Microsecond)
			conditions = append(conditions, column+" "+operator+" "+q.add(value, "timestamptz"))
		}
	}
	add("=", t.Eq)
	add("IS DISTINCT FROM", t.Ne)
	add(">", t.Gt)
	add("<", t.Lt)
	add(">=", t.Gte)
	add("<=", t.Lte)
	if t.Between != nil {
		add(">=", &t.Between[0])
		add("<=", &t.Between[1])
	}
	return conditions
}
