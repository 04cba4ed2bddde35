package client

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// RecordToolCall records a finished tool call: what entities its result has is kept in the
// session, which is made where there is none. Errors: ErrInvalid, ErrForbidden.
func (c *Client) RecordToolCall(ctx context.Context, id string, call *wire.RecordedCall, o *Owner) (*wire.Recorded, error) {
	r := c.ofSession(http.MethodPost, id, "/tool-calls", o)
	r.body = call
	return fetch[wire.Recorded](ctx, c, r)
}

// Entities lists a session's entities, the newest first. Errors: ErrNotFound.
func (c *Client) Entities(ctx context.Context, id string, o *Owner) (*wire.Entities, error) {
	r := c.ofSession(http.MethodGet, id, "/entities", o)
	r.again = true
	return fetch[wire.Entities](ctx, c, r)
}

// Block returns the [WORKING MEMORY] block of a session, for a model's prompt: empty where
// there is nothing to say, or no such session. budget is how many tokens it may have; 0: the
// server's default.
func (c *Client) Block(ctx context.Context, id string, budget int, o *Owner) (string, error) {
	r := c.ofSession(http.MethodGet, id, "/block", o)
	setNumber(r.query, "budget", budget)
	r.again = true
	body, err := c.answer(ctx, r)
	return strings.TrimSuffix(string(body), "\n"), err
}

// Summarize has a session summarised now, as a write does where messages no longer fit the
// window. Errors: ErrNotFound.
func (c *Client) Summarize(ctx context.Context, id string, o *Owner) (*wire.Summarized, error) {
	return fetch[wire.Summarized](ctx, c, c.ofSession(http.MethodPost, id, "/summarize", o))
}

// Decisions tells which of a session's entities the block shows, and why not the others, and
// what became of entities in the last calls. Errors: ErrNotFound.
func (c *Client) Decisions(ctx context.Context, id string, o *Owner) (*wire.Decisions, error) {
	r := c.ofSession(http.MethodGet, id, "/decisions", o)
	r.again = true
	return fetch[wire.Decisions](ctx, c, r)
}
