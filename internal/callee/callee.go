// Package callee calls code that users provide, such as models and embedders. It turns
// panics into errors and keeps the text of such errors out of logs, because it may
// quote the input.
package callee

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
)

// failure marks an error of a callee.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// Call is like RecoverPanic, but marks the error of f as one of a callee, whose text Loggable
// omits.
func Call(f func() error) error {
	return RecoverPanic(func() error {
		if err := f(); err != nil {
			return &failure{err}
		}
		return nil
	})
}

// RecoverPanic calls f and returns its error, or one that wraps memory.ErrPanic if f panics.
// The text has the type of the panic value but not the value, which may be content.
func RecoverPanic(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %T", memory.ErrPanic, p)
		}
	}()
	return f()
}

// Loggable returns the text of err, with the texts of errors of callees replaced by
// their types.
func Loggable(err error) string {
	text := err.Error()
	for _, f := range failures(err) {
		secret := f.Error()
		if secret == "" {
			continue
		}
		if !strings.Contains(text, secret) { // quoted or otherwise changed
			return typesOf(err)
		}
		text = strings.ReplaceAll(text, secret, typesOf(f.err))
	}
	return text
}

// failures returns the errors of callees in the tree of err.
func failures(err error) (found []*failure) {
	if f, ok := err.(*failure); ok {
		return []*failure{f}
	}
	for _, cause := range causes(err) {
		found = append(found, failures(cause)...)
	}
	return found
}

// typesOf returns the types of the errors in the tree of err, without those that only
// add text. The errors of package context are given as text, since that is no content.
func typesOf(err error) string {
	var types []string
	var add func(err error)
	add = func(err error) {
		switch typ := fmt.Sprintf("%T", err); {
		case err == context.Canceled, err == context.DeadlineExceeded:
			types = append(types, err.Error())
		case typ != "*fmt.wrapError" && typ != "*fmt.wrapErrors" && typ != "*errors.joinError" && typ != "*callee.failure":
			types = append(types, typ)
		}
		for _, cause := range causes(err) {
			add(cause)
		}
	}
	add(err)
	return strings.Join(types, ": ")
}

// causes returns the errors that err wraps directly.
func causes(err error) []error {
	switch err := err.(type) {
	case interface{ Unwrap() []error }:
		return err.Unwrap()
	case interface{ Unwrap() error }:
		if cause := errors.Unwrap(err.(error)); cause != nil {
			return []error{cause}
		}
	}
	return nil
}
