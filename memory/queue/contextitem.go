package queue

import (
	"errors"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory"
)

// ErrNoDescription is returned when a ContextItem without a description is added to a
// Pool.
var ErrNoDescription = errors.New("queue: no description")

// ContextItem is a contribution of a tool to an agent's context. An item without an id
// belongs in a Queue, one with an id and a description in a Pool. Items are comparable.
type ContextItem struct {
	// Content is the text for the model.
	Content string `json:"content"`
	// Description describes the content to a reader who does not see it.
	Description string `json:"description,omitempty"`
	// ID is the id by which the item is requested.
	ID string `json:"id,omitempty"`
}

// checkForPool returns an error if the item cannot be added to a Pool.
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
