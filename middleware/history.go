package middleware

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// History is the finished tool calls in the messages of a prompt, which a model or an agent
// is given again at every step. Recorder.RecordHistory records those that are new:
//
//	var h middleware.History
//	for _, m := range messages {
//		switch {
//		case m.Role == "assistant":
//			h.AddRequests(callsOf(m)...)
//		case m.Role == "tool":
//			h.AddResult(middleware.ToolCall{ID: m.CallID, Result: m.Content})
//		}
//	}
//	err := recorder.RecordHistory(ctx, &h)
//
// A History may be continued with the messages that follow, and is then not read again. It
// belongs to the recorder that it was first passed to. The zero value is empty. It is not safe
// for concurrent use.
type History struct {
	// View names the kind of messages, such as that of one adapter. A call that several
	// views show, maybe with arguments or a result in another form, is recorded once. A
	// recorder distinguishes up to 8 views.
	View string
	// Thread distinguishes histories of a View that do not continue each other: equal
	// calls of different threads are different calls. Most views have one thread, "".
	Thread string

	calls    []*pastCall // finished ones, oldest first
	dropped  int         // number of calls that were before the first
	answered int         // number of calls, with the dropped ones, that the model has answered
	awaited  []request   // without a result
	messages int         // number of messages of the model
}

// maxPast is the number of calls of a history that are examined, the last ones. Older ones
// would have left any working context. It also limits the requests that await a result.
const maxPast = 512

// request is a requested call, in a message of the model.
type request struct {
	ToolCall
	message int
}

// pastCall is a finished call in a history.
type pastCall struct {
	call    *ToolCall // nil once it was passed to RecordHistory
	given   any       // its result before handles were decoded
	id      string
	name    string
	orphan  bool   // without its request
	request uint64 // key of the request, once call is nil
	exact   uint64 // key of request and result; 0 if not known
}

// AddRequests adds a message of the model, with the calls that it requests, if any: their ID,
// Name, Source and Arguments. All results so far were given to the model before it.
func (h *History) AddRequests(calls ...ToolCall) {
	h.answered = h.dropped + len(h.calls)
	h.messages++
	for _, c := range calls {
		h.awaited = append(h.awaited, request{c, h.messages})
	}
	if extra := len(h.awaited) - maxPast; extra > 0 {
		h.awaited = slices.Delete(h.awaited, 0, extra)
	}
}

// AddResult adds the result of a request, which is the first one with its ID, or without an ID
// the first one with its Name if it has any, in the last message that has such a request. Name
// and Arguments are taken from the request. A further result of a request, such as the final one
// after "started", is a call of its own. A result whose request is missing is recorded as it is
// given.
func (h *History) AddResult(result ToolCall) {
	past := &pastCall{call: &result}
	if i := h.requestOf(&result); i >= 0 {
		request := h.awaited[i]
		h.awaited = slices.Delete(h.awaited, i, i+1)
		result.ID, result.Name, result.Arguments = request.ID, request.Name, request.Arguments
		result.Source = cmp.Or(result.Source, request.Source)
	} else if i := h.earlier(result.ID); i >= 0 {
		result.Name = cmp.Or(result.Name, h.calls[i].name)
	} else {
		past.orphan = true
	}
	past.id, past.name = result.ID, result.Name
	h.calls = append(h.calls, past)
	if extra := len(h.calls) - maxPast; extra >= maxPast {
		h.calls = slices.Delete(h.calls, 0, extra)
		h.dropped += extra
	}
}

// requestOf returns the index of the request that a result belongs to, or -1.
func (h *History) requestOf(result *ToolCall) int {
	at := -1
	for i, r := range slices.Backward(h.awaited) {
		if at >= 0 && r.message != h.awaited[at].message {
			break
		}
		if r.ID == result.ID && result.ID != "" || result.ID == "" && (result.Name == "" || r.Name == result.Name) {
			at = i
		}
	}
	return at
}

// earlier returns the index of the last call with an ID whose request is known, or -1.
func (h *History) earlier(id string) int {
	for i, c := range slices.Backward(h.calls) {
		if id != "" && c.id == id && !c.orphan {
			return i
		}
	}
	return -1
}

// Clone returns a copy that can be continued with other messages. What is recorded of one copy
// is recorded of the other.
func (h *History) Clone() *History {
	c := *h
	c.calls, c.awaited = slices.Clone(h.calls), slices.Clone(h.awaited)
	return &c
}

// RecordHistory records the calls of a history that neither a RunningCall nor an earlier
// history has recorded, however often the same messages are given: again, edited, without
// the oldest, or in another View. At most the last 512 calls are examined.
//
// Calls are identified by ID, name, arguments and their number among equal ones. IDs may
// repeat or be missing. A changed result of a known call is the same call, unless the model
// has not answered it, and it has answered the result before or that one is still in the
// history, or the call has no ID.
//
// In a stored session, new calls that the model has answered count as recorded if others than
// this recorder have written the session since it last looked: any process may serve a turn. A
// call that the model has not answered is recorded by each process that is given it.
//
// The errors are those of Record, joined, and those of session.Manager.Load. After the latter the
// calls are recorded.
func (r *Recorder) RecordHistory(ctx context.Context, h *History) error {
	b := r.setUpBacking()
	for _, c := range h.calls {
		if c.call != nil {
			c.given = c.call.Result
			*c.call = r.withIDs(ctx, *c.call)
			c.call.Result = r.Handles().DecodeValue(c.call.Result) // one digest for both forms
		}
	}
	calls := r.ledger.newCalls(h)
	answered := func(c newCall) bool { return c.answered }
	var errs []error
	if slices.ContainsFunc(calls, answered) {
		switch changed, err := b.changedByOthers(ctx); {
		case err != nil:
			errs = append(errs, fmt.Errorf("middleware: recording a history: %w", err))
		case changed:
			calls = slices.DeleteFunc(calls, answered)
		}
	}
	for _, c := range calls {
		c.ToolCall.Result = c.given
		errs = append(errs, r.Record(ctx, c.ToolCall))
	}
	return errors.Join(errs...)
}
