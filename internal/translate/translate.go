// Package translate converts requests of package wire to those of package service, and answers
// and errors of the service to those of the wire.
//
//	wire ──► translate ──► service ──► translate ──► wire
//
// The HTTP server, the MCP server and the command that inspects a store all speak wire. Package
// wire checks the shape of a request and the service its values. This package checks what only
// the wire has: two names for one condition of a filter.
package translate

import (
	"errors"
	"strconv"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// Fields converts the fields of an Invalid of the service. place returns the part of a request
// that has the value at a path: body, query or path.
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

// inBody places all values in the body.
func inBody([]string) string { return "body" }

// kindOf returns the type and the message that pydantic has for a mistake.
func kindOf(f service.Field) (kind, message string) {
	if f.Problem == service.Unfit {
		return "value_error", "Value error, " + f.Message
	}
	return [...]string{
		service.TooShort: "string_too_short", service.TooLong: "string_too_long", service.NotUTF8: "string_unicode",
		service.NotListed: "enum", service.TooSmall: "greater_than_equal", service.TooBig: "less_than_equal", service.TooMany: "too_long",
		service.UnknownHandle: wire.UnknownHandle,
	}[f.Problem], f.Message
}

// Mistakes returns the mistakes of an error of the service or the wire, all in the body.
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

// timeOr returns t, or otherwise if t is zero.
func timeOr(t, otherwise time.Time) time.Time {
	if t.IsZero() {
		return otherwise
	}
	return t
}

func timeOut(t time.Time) *wire.Time {
	if t.IsZero() {
		return nil
	}
	return &wire.Time{Time: t.UTC()}
}

// timeIn converts a time. It returns the zero time for nil.
func timeIn(t *wire.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

func float(f *wire.Float) *float64 { return (*float64)(f) }
func integer(n *wire.Int) *int64   { return (*int64)(n) }
func boolean(b *wire.Bool) bool    { return b != nil && bool(*b) }
