package queue

import (
	"errors"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory"
)

// ErrNoDescription says that a ContextItem without a description was refused.
var ErrNoDescription = errors.New("queue: no description")

// ContextItem is what a tool contributes to an agent's context: one without an
// id belongs in a Queue, one with an id and a description in a Pool. It is a plain
// value: two are equal (==) if all their texts are.
type ContextItem struct {
	// Content is what the model is to know.
	Content string `json:"content"`
	// Description tells a reader what the content is, without it.
	Description string `json:"description,omitempty"`
	// ID is what the item is asked for by.
	ID string `json:"id,omitempty"`
}

// checkForPool says why an item cannot be in a Pool.
func (i *ContextItem) checkForPool() error {
	switch {
	case i.ID == "":
		return memory.ErrNoID
	case len(i.ID) > memory.MaxIDBytes:
		return memory.ErrTooLong
	case !utf8.ValidString(i.ID):
		return memory.ErrInvalidID
	case i.Description == "":
		return ErrNoDescription
	}
	return nil
}
