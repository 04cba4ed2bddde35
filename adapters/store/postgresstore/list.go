package postgresstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// indexed is how many characters of a text an index has: an entry of a B-tree must
// not be longer than 2,704 bytes.
const indexed = 1000

// List implements driver.Store. It counts all sessions that pass, which takes time
// in proportion to their number. A namespace, a namespace with a user, a user and a
// session id are each found by an index.
func (s *Store) List(ctx context.Context, f driver.ListOptions) (driver.Listing, error) {
	var page driver.Listing
	err := s.call(ctx, "list", nil, func() error {
		text, arguments := listStatement(f)
		rows, err := s.pool.Query(ctx, inSchema(text, s.sql.schema), arguments...)
		if err != nil {
			return err
		}
		page, err = scanPage(rows)
		return err
	})
	return page, err
}

// listStatement gives one statement, so that the page and the total are of one
// moment. The total comes with every key, or alone if there is none on the page.
func listStatement(f driver.ListOptions) (text string, arguments []any) {
	where, arguments := conditions(f)
	size := "ALL"
	if f.Limit >= 0 {
		arguments = append(arguments, int64(f.Limit))
		size = fmt.Sprintf("$%d::bigint", len(arguments))
	}
	arguments = append(arguments, int64(max(f.Offset, 0)))
	text = fmt.Sprintf(`SELECT n.total, k.key
		FROM (SELECT count(*) AS total FROM {schema}.sessions WHERE %[1]s) n
		LEFT JOIN (SELECT key FROM {schema}.sessions WHERE %[1]s
			ORDER BY left(key, %[2]d), key LIMIT %[3]s OFFSET $%[4]d::bigint) k ON true
		ORDER BY k.key`, where, indexed, size, len(arguments))
	return text, arguments
}

func conditions(f driver.ListOptions) (where string, arguments []any) {
	all := []string{live}
	add := func(format string, values ...any) {
		places := make([]any, len(values))
		for i, value := range values {
			arguments = append(arguments, value)
			places[i] = fmt.Sprintf("$%d::text", len(arguments))
		}
		all = append(all, fmt.Sprintf(format, places...))
	}
	var key driver.Key
	if f.Namespace != nil {
		key.Namespace = *f.Namespace
		if f.UserID != nil {
			key.UserID = *f.UserID
		}
		namespace, user, _ := key.Escaped()
		prefix := namespace + "/"
		if f.UserID != nil {
			prefix += user + "/"
		}
		from, to := keyRange(prefix)
		add(fmt.Sprintf("left(key, %[1]d) >= %%s AND left(key, %[1]d) < %%s", indexed), from, to)
		add("namespace = %s", namespace)
	}
	if f.UserID != nil {
		_, user, _ := driver.Key{UserID: *f.UserID}.Escaped()
		add(fmt.Sprintf("left(user_id, %d) = %%s", indexed), user[:min(len(user), indexed)])
		add("user_id = %s", user)
	}
	if f.SessionID != nil {
		_, _, id := driver.Key{SessionID: *f.SessionID}.Escaped()
		add(fmt.Sprintf("left(session_id, %d) = %%s", indexed), id[:min(len(id), indexed)])
		add("session_id = %s", id)
	}
	return strings.Join(all, " AND "), arguments
}

// keyRange returns the range of left(key, indexed) of the keys with a prefix, and
// perhaps of some others if the prefix is longer. Keys are ASCII below DEL.
func keyRange(prefix string) (from, to string) {
	from = prefix[:min(len(prefix), indexed)]
	end := len(from) - 1
	return from, from[:end] + string(from[end]+1)
}

func scanPage(rows pgx.Rows) (driver.Listing, error) {
	var page driver.Listing
	var text *string
	_, err := pgx.ForEachRow(rows, []any{&page.Total, &text}, func() error {
		if text == nil {
			return nil
		}
		key, err := driver.ParseKey(*text)
		if err != nil {
			return &driver.DamagedError{Part: "key", Err: err}
		}
		page.Keys = append(page.Keys, key)
		return nil
	})
	if err != nil {
		return driver.Listing{}, err
	}
	return page, nil
}
