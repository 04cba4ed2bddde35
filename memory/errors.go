package memory

import "errors"

// ErrPanic is returned when a callback of a collection, such as a hook, panics.
var ErrPanic = errors.New("memory: callback panicked")

// NotFoundError says that a collection has no item of an id.
type NotFoundError struct {
	// ID is what was asked for; it is not part of the text.
	ID string
}

// Error implements error.
func (e *NotFoundError) Error() string { return "memory: no item has this id" }
