package memory

import "errors"

// ErrPanic is returned when a callback of a collection, such as a hook, panics.
var ErrPanic = errors.New("memory: callback panicked")

// NotFoundError is returned when a collection has no item with the requested id.
type NotFoundError struct {
	// ID is the requested id. It is not part of the error text.
	ID string
}

// Error implements error.
func (e *NotFoundError) Error() string { return "memory: no item has this id" }
