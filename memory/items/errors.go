package items

import (
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory"
)

var (
	// ErrNoText is returned for an item without a text.
	ErrNoText = errors.New("items: item has no text")
	// ErrItemType is returned for an item of an unknown type.
	ErrItemType = errors.New("items: unknown item type")
	// ErrImportance is returned for an importance that is not from 0 to 1.
	ErrImportance = errors.New("items: importance is not from 0 to 1")
	// ErrDuplicateID is returned when the store has an item with the same id.
	ErrDuplicateID = errors.New("items: duplicate item id")
	// ErrCapacity is returned when only protected items could be evicted and
	// Options.KeepProtected is set.
	ErrCapacity = errors.New("items: no room without evicting protected items")
	// ErrSelection is returned for an unknown Selection.
	ErrSelection = errors.New("items: unknown selection")
)

// TooLargeError is returned for an item that has more tokens than a store can hold.
type TooLargeError struct {
	Tokens, MaxTokens int
}

// Error implements error.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("items: item of %d tokens exceeds the limit of %d", e.Tokens, e.MaxTokens)
}

// InputError is returned for an item with an invalid field.
type InputError struct {
	// Field is "id", "agent_id", "tags" or "metadata".
	Field string
	// Err is memory.ErrTooLong or memory.ErrInvalidID.
	Err error
}

// Error implements error.
func (e *InputError) Error() string {
	if errors.Is(e.Err, memory.ErrTooLong) {
		return "items: " + e.Field + " too long"
	}
	return "items: " + e.Field + " not valid UTF-8"
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }
