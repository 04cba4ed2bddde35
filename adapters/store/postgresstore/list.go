package postgresstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// indexed is the number of characters of a text in an index. An entry of a B-tree is limited
// to 2,704 bytes.
const indexed = 1000

// List implements driver.Store. It counts all matching sessions, which takes time in proportion
// to their number. Namespace, namespace and user, user, and session id each use an index.
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

// listStatement returns a single statement, so that page and total are consistent. Each row has
// the total and a key; if the page is empty, one row has the total alone.
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

// keyRange returns a range of left(key, indexed) that contains the keys with a prefix. If the
// prefix is longer than indexed, it may contain others. Keys are ASCII below DEL.
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
