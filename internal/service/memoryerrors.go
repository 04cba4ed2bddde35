package service

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// memoryError converts an error of package longterm. It returns nil for any other error.
func memoryError(err error) *Error {
	if wrong, ok := errors.AsType[*longterm.RecordError](err); ok {
		return recordError(wrong)
	}
	switch {
	case errors.Is(err, longterm.ErrFilter):
		return invalidValue(filterText(err))
	case errors.Is(err, longterm.ErrTaken):
		return &Error{Kind: Conflict, Detail: "The new owner has a memory with this id"}
	case errors.Is(err, longterm.ErrConflict):
		return &Error{Kind: Conflict, Detail: "Too many writes to these memories at once: try again"}
	case errors.Is(err, longterm.ErrUnavailable):
		return &Error{Kind: Unavailable, Detail: "The index of long-term memory does not answer"}
	case errors.Is(err, longterm.ErrEmbedder):
		return &Error{Kind: Unavailable, Detail: "The embedder of long-term memory does not answer"}
	case errors.Is(err, longterm.ErrClosed):
		return &Error{Kind: Unavailable, Detail: "The server is shutting down"}
	case errors.Is(err, longterm.ErrNotFound):
		return &Error{Kind: NotFound, Detail: "Memory not found"}
	default:
		return nil
	}
}

// filterText returns the text of an ErrFilter without the prefixes of the calls it passed.
func filterText(err error) string {
	_, text, ok := strings.Cut(err.Error(), longterm.ErrFilter.Error()+": ")
	if !ok {
		return "bad filter"
	}
	return text
}

// recordError converts the refusal of one of several memories.
func recordError(wrong *longterm.RecordError) *Error {
	if errors.Is(wrong.Err, longterm.ErrScope) {
		return &Error{Kind: Forbidden, Detail: "Token is not valid for the owner of this memory"}
	}
	path := []string{"memories", strconv.Itoa(wrong.Index)}
	switch {
	case errors.Is(wrong.Err, longterm.ErrNoID):
		return invalidValue(fmt.Sprintf("Memory at index %d has empty id", wrong.Index), path...)
	case errors.Is(wrong.Err, longterm.ErrNoText):
		return invalidValue(fmt.Sprintf("Memory at index %d has empty text", wrong.Index), path...)
	default:
		return invalidValue(wrong.Err.Error(), path...)
	}
}

// patchError converts the refusal of a patched memory.
func patchError(err error) error {
	wrong, ok := errors.AsType[*longterm.RecordError](err)
	switch {
	case !ok:
		return err
	case errors.Is(wrong.Err, longterm.ErrNoText):
		return invalidValue("text cannot be empty", "text")
	default:
		return invalidValue(wrong.Err.Error())
	}
}

// memoryNotFound is the error of an id that no memory or several memories in scope have.
func memoryNotFound(id string) *Error {
	return &Error{Kind: NotFound, Detail: "Memory with ID " + displayID(id) + " not found"}
}

func memoryDisabled() *Error { return &Error{Kind: Bad, Detail: "Long-term memory is disabled"} }
