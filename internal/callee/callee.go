// Package callee keeps out of logs what models, embedders and others that users bring
// say in their errors: they may quote what they were given.
package callee

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
)

// failure is an error of a callee.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// Call is Survive for a function of a callee that bears no responsibility for what its
// errors say: where they go to a log, Loggable leaves it out.
func Call(f func() error) error {
	return Survive(func() error {
		if err := f(); err != nil {
			return &failure{err}
		}
		return nil
	})
}

// Survive makes an error of a panic of f, without what it says, which may be contents.
func Survive(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %T", memory.ErrPanic, p)
		}
	}()
	return f()
}

// Loggable is the text of an error, with the types of errors in place of what callees
// say in theirs.
func Loggable(err error) string {
	text := err.Error()
	for _, f := range failures(err) {
		said := f.Error()
		if said != "" && !strings.Contains(text, said) { // somebody wrote it in another way
			return typesOf(err)
		}
		if said != "" {
			text = strings.ReplaceAll(text, said, typesOf(f.err))
		}
	}
	return text
}

// failures are the errors of callees that an error has come from.
func failures(err error) (found []*failure) {
	if f, ok := err.(*failure); ok {
		return []*failure{f}
	}
	for _, cause := range causes(err) {
		found = append(found, failures(cause)...)
	}
	return found
}

// typesOf are the types of the errors that an error has come from, without those that
// only wrap a text around others. What the context of a call says is no content.
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

// causes are the errors that an error wraps.
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
