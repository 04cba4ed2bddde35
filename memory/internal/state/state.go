// Package state reads the JSON states of the collections of package memory and the
// packages below it. A state may be long, hostile or secret, so errors never quote it.
package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// MaxBytes is the size of the largest state that is read: 64 MiB.
const MaxBytes = 64 << 20

// MinUnix and MaxUnix bound the Unix times that JSON can express, in seconds: the first
// second of year 0 and the last of year 9999.
const (
	MinUnix = -62_167_219_200
	MaxUnix = 253_402_300_799
)

// HasTime reports whether t is set and JSON can express it.
func HasTime(t time.Time) bool {
	unix := t.Unix()
	return !t.IsZero() && unix >= MinUnix && unix <= MaxUnix
}

// Check returns an error if data is too long or not UTF-8, and reports whether it is
// null.
func Check(data []byte) (null bool, err error) {
	switch {
	case len(data) > MaxBytes:
		return false, TooLarge(data)
	case !utf8.Valid(data):
		return false, errors.New("not valid UTF-8")
	}
	return string(bytes.TrimSpace(data)) == "null", nil
}

// TooLarge returns the error for a state of more than MaxBytes.
func TooLarge(data []byte) error {
	return fmt.Errorf("%d bytes exceed the limit of %d", len(data), MaxBytes)
}

// ReadList reads a list, which is valid JSON or missing, item by item, so that a long
// list occupies no more memory than what is kept of it. keep must copy the item, which
// is reused. If ReadList fails, index is the position of the invalid item, or -1 if the
// error is elsewhere.
func ReadList[T any](data []byte, keep func(*T) error) (index int, err error) {
	switch {
	case len(data) == 0 || data[0] == 'n':
		return -1, nil
	case data[0] != '[':
		return -1, errors.New("not a list")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return -1, WithoutContent(err)
	}
	item := new(T)
	for i := 0; dec.More(); i++ {
		*item = *new(T) // Decode would merge into the previous item
		if err := dec.Decode(item); err != nil {
			return i, WithoutContent(err)
		}
		if err := keep(item); err != nil {
			return i, err
		}
	}
	return -1, nil
}

// WithoutContent returns err, or a replacement if the text of err quotes the input. It
// returns nil if err is nil.
func WithoutContent(err error) error {
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return errors.New("wrong type")
		}
		return fmt.Errorf("%s has the wrong type", wrong.Field)
	}
	if _, ok := errors.AsType[*time.ParseError](err); ok {
		return errors.New("timestamp is not an RFC 3339 time")
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return err
	}
	return &undecodedError{err}
}

// undecodedError is returned when the UnmarshalJSON method of an item fails. Its text
// omits that of the cause.
type undecodedError struct{ err error }

func (e *undecodedError) Error() string { return fmt.Sprintf("decoding failed (%T)", e.err) }

func (e *undecodedError) Unwrap() error { return e.err }
