// Package translate turns the requests of package wire into those of package service, and
// answers and errors of the service into those of the wire.
//
//	wire ──► translate ──► service ──► translate ──► wire
//
// Both the HTTP and the MCP server speak wire, and so does the command that inspects a store.
// The shape of a request was checked where it was decoded; what it means is the service's to
// check. What only the wire has, two names for one condition of a filter, is checked here.
package translate

import (
	"errors"
	"strconv"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// Fields returns the mistakes of a service's Invalid as the wire has them. place returns where
// in a request the value at a path is: body, query or path.
func Fields(fields []service.Field, place func(path []string) string) []wire.FieldError {
	all := make([]wire.FieldError, len(fields))
	for i, f := range fields {
		loc := make([]any, 1, 1+len(f.Path))
		loc[0] = place(f.Path)
		for _, part := range f.Path {
			if index, err := strconv.Atoi(part); err == nil {
				loc = append(loc, index)
			} else {
				loc = append(loc, part)
			}
		}
		kind, message := kindOf(f)
		all[i] = wire.Field(kind, message, f.Value, loc...)
	}
	return all
}

// inBody is the place of values that all come in one body.
func inBody([]string) string { return "body" }

// kindOf returns the kind and the message of a mistake as pydantic has them.
func kindOf(f service.Field) (kind, message string) {
	if f.Problem == service.Unfit {
		return "value_error", "Value error, " + f.Message
	}
	return [...]string{
		service.TooShort: "string_too_short", service.TooLong: "string_too_long", service.NotUTF8: "string_unicode",
		service.NotListed: "enum", service.TooSmall: "greater_than_equal", service.TooBig: "less_than_equal", service.TooMany: "too_long",
	}[f.Problem], f.Message
}

// Mistakes returns the mistakes that an error of the service or of the wire has, in a body.
func Mistakes(err error) []wire.FieldError {
	if e, ok := errors.AsType[*wire.Invalid](err); ok {
		return e.Fields
	}
	if e, ok := errors.AsType[*service.Error](err); ok {
		return Fields(e.Fields, inBody)
	}
	return nil
}

func orElse(given *string, otherwise string) string {
	if given == nil {
		return otherwise
	}
	return *given
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// latest is a time, or where it is not known the one before it.
func latest(at, before time.Time) time.Time {
	if at.IsZero() {
		return before
	}
	return at
}

func timeOut(t time.Time) *wire.Time {
	if t.IsZero() {
		return nil
	}
	return &wire.Time{Time: t.UTC()}
}

// timeIn returns a time, the zero one for none.
func timeIn(t *wire.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

func float(f *wire.Float) *float64 { return (*float64)(f) }
func integer(n *wire.Int) *int64   { return (*int64)(n) }
func boolean(b *wire.Bool) bool    { return b != nil && bool(*b) }
