package client

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// RecordToolCall records a finished tool call: the entities of its result are kept in the
// session, which is created if necessary. With handles or stored results, wire.Recorded.Shown is
// what to give the model in place of the result. Errors: ErrInvalid, ErrForbidden.
func (c *Client) RecordToolCall(ctx context.Context, id string, call *wire.RecordedCall, o *Owner) (*wire.Recorded, error) {
	r := c.sessionRequest(http.MethodPost, id, "/tool-calls", o)
	r.body = call
	return fetch[wire.Recorded](ctx, c, r)
}

// DecodeArguments returns the arguments of a tool call, or a text of the model, with ids in place of
// handles. Errors: ErrUnknownHandle, ErrInvalid.
func (c *Client) DecodeArguments(ctx context.Context, id string, arguments any, o *Owner) (any, error) {
	r := c.sessionRequest(http.MethodPost, id, "/tool-calls/arguments", o)
	r.body, r.repeatable = &wire.CallArguments{Arguments: arguments}, true
	decoded, err := fetch[wire.CallArguments](ctx, c, r)
	if err != nil {
		return nil, err
	}
	return decoded.Arguments, nil
}

// ResultPart selects a part of a stored result. Without Path and Query, lines are read.
type ResultPart struct {
	// Path is a JSON path: $.items[3].name, $.items[10:20], $.items[*].id.
	Path string
	// Query selects the lines, or JSON objects, that contain the most of its words.
	Query string
	// Offset is the number of the first line, element or match, from 1 on. Zero means 1.
	Offset int
	// Limit is the largest number of lines, elements or matches. Zero means the server's default.
	Limit int
}

// ReadResult reads a part of a stored result, such as result#3, for the model. Errors: ErrNotFound
// for an unknown handle, ErrDropped, ErrInvalid.
func (c *Client) ReadResult(ctx context.Context, id, handle string, part ResultPart, o *Owner) (string, error) {
	r := c.sessionRequest(http.MethodGet, id, "/results", o)
	if r.path != "" {
		r.path = pathOf(r.path, handle, "")
	}
	set(r.query, "path", part.Path)
	set(r.query, "query", part.Query)
	setNumber(r.query, "offset", part.Offset)
	setNumber(r.query, "limit", part.Limit)
	return c.text(ctx, r)
}

// Results lists a session's stored results for the model, a line for each.
func (c *Client) Results(ctx context.Context, id string, o *Owner) (string, error) {
	return c.text(ctx, c.sessionRequest(http.MethodGet, id, "/results", o))
}

// text reads a text.
func (c *Client) text(ctx context.Context, r request) (string, error) {
	r.repeatable = true
	body, err := c.answer(ctx, r)
	return strings.TrimSuffix(string(body), "\n"), err
}

// Entities lists a session's entities, newest first. Errors: ErrNotFound.
func (c *Client) Entities(ctx context.Context, id string, o *Owner) (*wire.Entities, error) {
	r := c.sessionRequest(http.MethodGet, id, "/entities", o)
	r.repeatable = true
	return fetch[wire.Entities](ctx, c, r)
}

// Block returns the [WORKING MEMORY] block of a session, for a model's prompt. It is empty if
// the session has no entities or does not exist, and shows handles if the session has any. The
// budget limits it, in tokens; zero means that of the server.
func (c *Client) Block(ctx context.Context, id string, budget int, o *Owner) (string, error) {
	r := c.sessionRequest(http.MethodGet, id, "/block", o)
	setNumber(r.query, "budget", budget)
	return c.text(ctx, r)
}

// Summarize summarises a session now, as a write does when the messages no longer fit the
// window. Errors: ErrNotFound.
func (c *Client) Summarize(ctx context.Context, id string, o *Owner) (*wire.Summarized, error) {
	return fetch[wire.Summarized](ctx, c, c.sessionRequest(http.MethodPost, id, "/summarize", o))
}

// Decisions explains which of a session's entities the block shows and why it omits the others,
// and lists what the last calls did to entities. Errors: ErrNotFound.
func (c *Client) Decisions(ctx context.Context, id string, o *Owner) (*wire.Decisions, error) {
	r := c.sessionRequest(http.MethodGet, id, "/decisions", o)
	r.repeatable = true
	return fetch[wire.Decisions](ctx, c, r)
}
