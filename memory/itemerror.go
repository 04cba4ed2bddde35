package memory

import (
	"errors"
	"fmt"
)

var (
	// ErrNoText says that an item without a text was refused.
	ErrNoText = errors.New("memory: item has no text")
	// ErrItemType says that an item's type is none of those that there are.
	ErrItemType = errors.New("memory: item is of an unknown type")
	// ErrImportance says that an importance is not from 0 to 1.
	ErrImportance = errors.New("memory: importance is not from 0 to 1")
	// ErrDuplicateID says that the store has an item with the id already.
	ErrDuplicateID = errors.New("memory: an item has this id already")
	// ErrCapacity says that only protected items could make room, and that they
	// are kept (ItemStoreOptions.KeepProtected).
	ErrCapacity = errors.New("memory: only protected items could make room")
	// ErrScope says that a SummaryScope is none of those that there are.
	ErrScope = errors.New("memory: unknown scope of a summary")
)

// ItemTooLargeError says that an item alone takes more tokens than a store holds.
type ItemTooLargeError struct {
	Tokens, MaxTokens int
}

// Error implements error.
func (e *ItemTooLargeError) Error() string {
	return fmt.Sprintf("memory: item of %d tokens does not fit into %d", e.Tokens, e.MaxTokens)
}

// ItemFieldError says which part of an item was refused.
type ItemFieldError struct {
	// Field is "id", "agent_id", "tags" or "metadata".
	Field string
	// Err is ErrTooLong or ErrInvalidID.
	Err error
}

// Error implements error.
func (e *ItemFieldError) Error() string {
	if errors.Is(e.Err, ErrTooLong) {
		return "memory: " + e.Field + " of item is too long"
	}
	return "memory: " + e.Field + " of item is not valid UTF-8"
}

// Unwrap returns the cause.
func (e *ItemFieldError) Unwrap() error { return e.Err }
