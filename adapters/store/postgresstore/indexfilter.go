package postgresstore

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// query collects the arguments of a statement, which its placeholders ($1, …) refer to.
type query struct{ arguments []any }

// add adds an argument and returns its placeholder, cast to an SQL type.
func (q *query) add(value any, sqlType string) string {
	q.arguments = append(q.arguments, value)
	return fmt.Sprintf("$%d::%s", len(q.arguments), sqlType)
}

// allOf returns the conjunction of conditions.
func allOf(conditions []string) string {
	if len(conditions) == 0 {
		return "true"
	}
	return strings.Join(conditions, " AND ")
}

// scope returns the conditions for records r in a scope.
func (q *query) scope(s driver.Scope) []string {
	if namespace, userID, ok := s.Owner(); ok {
		return []string{"r.owner = " + q.add(ownerOf(namespace, userID), "bytea")}
	}
	var conditions []string
	if namespace, ok := s.Namespace(); ok {
		conditions = append(conditions, q.equals("namespace", namespace))
	}
	if userID, ok := s.UserID(); ok {
		conditions = append(conditions, q.equals("user_id", userID))
	}
	return conditions
}

// equals returns the condition that a column, whose beginning is indexed, equals text.
func (q *query) equals(column, text string) string {
	begin := q.add([]byte(text[:min(len(text), indexed)]), "bytea")
	return fmt.Sprintf("substring(r.%[1]s, 1, %[2]d) = %[3]s AND r.%[1]s = %[4]s", column, indexed, begin, q.add([]byte(text), "bytea"))
}

// filter returns the conditions for records r that match f, as defined by driver.RecordFilter.Matches.
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

// text returns the conditions on a column with one text.
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

// texts returns the conditions on a column with a list of texts. Tags, which are indexed, select
// the candidates.
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

// time returns the conditions on a time, which is NULL if unknown.
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
