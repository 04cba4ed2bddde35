package items

import (
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory"
)

var (
	// ErrNoText says that an item without a text was refused.
	ErrNoText = errors.New("items: item has no text")
	// ErrItemType says that an item's type is none of those that there are.
	ErrItemType = errors.New("items: item is of an unknown type")
	// ErrImportance says that an importance is not from 0 to 1.
	ErrImportance = errors.New("items: importance is not from 0 to 1")
	// ErrDuplicateID says that the store has an item with the id already.
	ErrDuplicateID = errors.New("items: an item has this id already")
	// ErrCapacity says that only protected items could make room, and that they
	// are kept (Options.KeepProtected).
	ErrCapacity = errors.New("items: only protected items could make room")
	// ErrSelection says that a Selection is none of those that there are.
	ErrSelection = errors.New("items: unknown scope of a summary")
)

// TooLargeError says that an item alone takes more tokens than a store holds.
type TooLargeError struct {
	Tokens, MaxTokens int
}

// Error implements error.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("items: item of %d tokens does not fit into %d", e.Tokens, e.MaxTokens)
}

// InputError says which part of an item was refused.
type InputError struct {
	// Field is "id", "agent_id", "tags" or "metadata".
	Field string
	// Err is memory.ErrTooLong or memory.ErrInvalidID.
	Err error
}

// Error implements error.
func (e *InputError) Error() string {
	if errors.Is(e.Err, memory.ErrTooLong) {
		return "items: " + e.Field + " of item is too long"
	}
	return "items: " + e.Field + " of item is not valid UTF-8"
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }
