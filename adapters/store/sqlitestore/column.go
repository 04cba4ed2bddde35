package sqlitestore

import (
	"database/sql"
	"errors"
)

// The causes of a *session.DamagedError.
var (
	errNotNumber  = errors.New("not a number")
	errImpossible = errors.New("impossible numbers")
	errMissing    = errors.New("missing")
)

// column is a function that scans a column. Its errors are distinct from those of database/sql and
// SQLite, and do not quote the value.
type column func(from any) error

// Scan implements sql.Scanner.
func (c column) Scan(from any) error { return c(from) }

// number scans an integer.
func number[T int | int64 | uint64](to *T) column {
	return func(from any) error {
		n, ok := from.(int64)
		if !ok {
			return errNotNumber
		}
		*to = T(n)
		return nil
	}
}

// optional scans an integer or NULL.
func optional(to *sql.NullInt64) column {
	return func(from any) error {
		to.Valid = from != nil
		if !to.Valid {
			return nil
		}
		return number(&to.Int64)(from)
	}
}

// content scans a BLOB. It stays nil for any other value.
type content []byte

// Scan implements sql.Scanner.
func (c *content) Scan(from any) error {
	if bytes, ok := from.([]byte); ok {
		*c = append(content{}, bytes...)
	}
	return nil
}
