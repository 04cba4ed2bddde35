package service

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// failedMemory is failed for errors of long-term memory, nil for others.
func failedMemory(err error) *Error {
	if wrong, ok := errors.AsType[*longterm.RecordError](err); ok {
		return wrongRecord(wrong)
	}
	switch {
	case errors.Is(err, longterm.ErrFilter):
		return unfit(filterText(err))
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

// filterText is what an ErrFilter says is wrong, without the calls that it came through.
func filterText(err error) string {
	_, text, ok := strings.Cut(err.Error(), longterm.ErrFilter.Error()+": ")
	if !ok {
		return "bad filter"
	}
	return text
}

// wrongRecord says which of several memories is refused, and why.
func wrongRecord(wrong *longterm.RecordError) *Error {
	if errors.Is(wrong.Err, longterm.ErrScope) {
		return &Error{Kind: Forbidden, Detail: "Token is not valid for the owner of this memory"}
	}
	path := []string{"memories", strconv.Itoa(wrong.Index)}
	switch {
	case errors.Is(wrong.Err, longterm.ErrNoID):
		return unfit(fmt.Sprintf("Memory at index %d has empty id", wrong.Index), path...)
	case errors.Is(wrong.Err, longterm.ErrNoText):
		return unfit(fmt.Sprintf("Memory at index %d has empty text", wrong.Index), path...)
	default:
		return unfit(wrong.Err.Error(), path...)
	}
}

// wrongPatch is wrongRecord for a patch, which is of one memory.
func wrongPatch(err error) error {
	wrong, ok := errors.AsType[*longterm.RecordError](err)
	switch {
	case !ok:
		return err
	case errors.Is(wrong.Err, longterm.ErrNoText):
		return unfit("text cannot be empty", "text")
	default:
		return unfit(wrong.Err.Error())
	}
}

// noMemory says that there is no such memory, or none that the caller may see, or several.
func noMemory(id string) *Error {
	return &Error{Kind: NotFound, Detail: "Memory with ID " + shown(id) + " not found"}
}

func disabled() *Error { return &Error{Kind: Bad, Detail: "Long-term memory is disabled"} }
