package sqlitestore

import (
	"database/sql"
	"errors"
)

// Causes of a *session.DamagedError.
var (
	errNotNumber  = errors.New("not a number")
	errImpossible = errors.New("impossible numbers")
	errMissing    = errors.New("missing")
)

// column scans a column by a function. What is in the wrong place is told from what
// database/sql and SQLite fail with, and is not in the error.
type column func(from any) error

// Scan implements sql.Scanner.
func (c column) Scan(from any) error { return c(from) }

// number scans what must be an integer.
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

// optional scans what may also be NULL.
func optional(to *sql.NullInt64) column {
	return func(from any) error {
		to.Valid = from != nil
		if !to.Valid {
			return nil
		}
		return number(&to.Int64)(from)
	}
}

// content scans a BLOB. What is none leaves it nil.
type content []byte

// Scan implements sql.Scanner.
func (c *content) Scan(from any) error {
	if bytes, ok := from.([]byte); ok {
		*c = append(content{}, bytes...)
	}
	return nil
}
