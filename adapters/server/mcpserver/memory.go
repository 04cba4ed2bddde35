package mcpserver

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Memory of a request, in bytes or in multiples of its size. A test measures them.
const (
	// requestBytes is what the SDK takes for the smallest request: it makes a session for each.
	requestBytes = 64 << 10
	// minRequests is for how many requests there is memory at least: three quarters of it are
	// more than the largest one takes.
	minRequests = 16
	// bodyFactor is how many copies of a body there are: the SDK reads it twice and decodes it
	// twice.
	bodyFactor = 6
	// answerFactor is how many copies of a result there are while the SDK encodes it: as JSON, as a
	// text, with escapes in a content, in a result, in a message and in a batch.
	answerFactor = 8
)

// memoryPart is a part of the memory of a request or a call, besides those of stores.
type memoryPart string

const (
	requestPart   memoryPart = "request"
	bodyPart      memoryPart = "body"
	argumentsPart memoryPart = "arguments"
	answerPart    memoryPart = "answer"
)

// callPart is a part of the memory of one call of a request, which may bring several.
type callPart struct {
	call *callID
	part any
}

// callID identifies a call by its address.
type callID struct{ _ byte }

// ownMemory returns a context whose parts are those of one call: the calls of a batch run at
// once, and the memory of each counts.
func ownMemory(ctx context.Context) context.Context {
	reserve := driver.ReserveFrom(ctx)
	if reserve == nil {
		return ctx
	}
	call := new(callID)
	return driver.WithReserve(ctx, func(part any, bytes int64) error { return reserve(callPart{call, part}, bytes) })
}

// reserve asks for a part of the memory of a call, if it is limited.
func reserve(ctx context.Context, part memoryPart, bytes int64) error {
	if ask := driver.ReserveFrom(ctx); ask != nil {
		return ask(part, bytes)
	}
	return nil
}
