package client

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// RecordToolCall records a finished tool call: the entities of its result are kept in the
// session, which is created if necessary. Errors: ErrInvalid, ErrForbidden.
func (c *Client) RecordToolCall(ctx context.Context, id string, call *wire.RecordedCall, o *Owner) (*wire.Recorded, error) {
	r := c.sessionRequest(http.MethodPost, id, "/tool-calls", o)
	r.body = call
	return fetch[wire.Recorded](ctx, c, r)
}

// Entities lists a session's entities, newest first. Errors: ErrNotFound.
func (c *Client) Entities(ctx context.Context, id string, o *Owner) (*wire.Entities, error) {
	r := c.sessionRequest(http.MethodGet, id, "/entities", o)
	r.repeatable = true
	return fetch[wire.Entities](ctx, c, r)
}

// Block returns the [WORKING MEMORY] block of a session, for a model's prompt. It is empty if
// the session has no entities or does not exist. The budget limits it, in tokens; zero means
// the server's default.
func (c *Client) Block(ctx context.Context, id string, budget int, o *Owner) (string, error) {
	r := c.sessionRequest(http.MethodGet, id, "/block", o)
	setNumber(r.query, "budget", budget)
	r.repeatable = true
	body, err := c.answer(ctx, r)
	return strings.TrimSuffix(string(body), "\n"), err
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
