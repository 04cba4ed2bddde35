package client

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// ListOptions selects the sessions that Sessions lists.
type ListOptions struct {
	Owner
	// Limit is from 1 to 100; zero means 20. Offset is how many sessions to skip.
	Limit, Offset int
}

// Sessions lists the ids of sessions. Nil options mean the first 20.
func (c *Client) Sessions(ctx context.Context, opts *ListOptions) (*wire.SessionList, error) {
	if opts == nil {
		opts = &ListOptions{}
	}
	query := c.ownerQuery(&opts.Owner)
	setNumber(query, "limit", opts.Limit)
	setNumber(query, "offset", opts.Offset)
	return fetch[wire.SessionList](ctx, c, request{method: http.MethodGet, path: sessionsPath + "/", query: query, repeatable: true})
}

// ReadOptions limits what is read of a session.
type ReadOptions struct {
	Owner
	// Model and Window give the context window that the messages must fit. Window is in tokens
	// and takes precedence. If neither is set, all messages are read.
	Model  string
	Window int
	// Recent limits the messages to the newest ones. Zero means all.
	Recent int
}

// Session reads a session. Nil options mean all of it. It returns ErrNotFound if there is no
// such session.
func (c *Client) Session(ctx context.Context, id string, opts *ReadOptions) (*wire.Session, error) {
	if opts == nil {
		opts = &ReadOptions{}
	}
	r := c.sessionRequest(http.MethodGet, id, "", &opts.Owner)
	set(r.query, "model_name", opts.Model)
	setNumber(r.query, "context_window_max", opts.Window)
	setNumber(r.query, "recent_messages_limit", opts.Recent)
	r.repeatable = true
	return fetch[wire.Session](ctx, c, r)
}

// WriteOptions configures a write.
type WriteOptions struct {
	Owner
	// Model and Window give the context window that the messages must fit; older messages are
	// summarised if they do not. Window is in tokens and takes precedence. If neither is set,
	// the session's last window applies, or else the server's.
	Model  string
	Window int
	// TTLSeconds is how long the session lives from now. If zero, a running expiry stays.
	TTLSeconds int
	// IfVersion is the wire.Session.Version that the session must have. If it has another,
	// nothing is written and the error is ErrStale. Zero means any.
	IfVersion uint64
	// IfAbsent writes the session only if it does not exist. If it does, the error is ErrStale.
	IfAbsent bool
	// Minimal leaves messages, memories, data and entities out of the answer.
	Minimal bool
}

// PutSession replaces a session and returns the result, in which old messages may have become
// a summary. Nil options mean the defaults. Errors: ErrStale, ErrInvalid, ErrForbidden.
func (c *Client) PutSession(ctx context.Context, id string, body *wire.SessionBody, opts *WriteOptions) (*wire.Session, error) {
	r := c.writeRequest(http.MethodPut, id, "", opts)
	r.body = body
	return fetch[wire.Session](ctx, c, r)
}

// Append adds messages to a session, creating it if necessary. A message whose id is already in
// the session is not added again. Nil options mean the defaults. Errors: ErrStale, ErrInvalid,
// ErrForbidden.
func (c *Client) Append(ctx context.Context, id string, messages []wire.Message, opts *WriteOptions) (*wire.Session, error) {
	r := c.writeRequest(http.MethodPost, id, "/messages", opts)
	r.body = &wire.Append{Messages: messages}
	unnamed := slices.ContainsFunc(messages, func(m wire.Message) bool { return m.ID == "" })
	// A retry after a lost answer would not meet a condition that the first try fulfilled.
	r.repeatable = !unnamed && len(r.header["If-Match"]) == 0 && len(r.header["If-None-Match"]) == 0
	return fetch[wire.Session](ctx, c, r)
}

// writeRequest returns a request that writes a session.
func (c *Client) writeRequest(method, id, suffix string, opts *WriteOptions) request {
	if opts == nil {
		opts = &WriteOptions{}
	}
	r := c.sessionRequest(method, id, suffix, &opts.Owner)
	set(r.query, "model_name", opts.Model)
	setNumber(r.query, "context_window_max", opts.Window)
	setNumber(r.query, "ttl_seconds", opts.TTLSeconds)
	r.header = ifMatch(opts.IfVersion)
	if opts.IfAbsent {
		r.header.Set("If-None-Match", "*")
	}
	if opts.Minimal {
		r.header.Set("Prefer", "return=minimal")
	}
	return r
}

// ifMatch returns the header that requires a version, empty for 0.
func ifMatch(version uint64) http.Header {
	header := http.Header{}
	if version != 0 {
		header.Set("If-Match", `"`+strconv.FormatUint(version, 10)+`"`)
	}
	return header
}

// DeleteOptions configures a deletion.
type DeleteOptions struct {
	Owner
	// IfVersion is the version that the session must have. If it has another, the error is
	// ErrStale. Zero means any.
	IfVersion uint64
}

// DeleteSession deletes a session. Deleting one that does not exist succeeds. Nil options mean
// the defaults. It returns ErrStale, or ErrNotFound if the id is ambiguous.
func (c *Client) DeleteSession(ctx context.Context, id string, opts *DeleteOptions) error {
	if opts == nil {
		opts = &DeleteOptions{}
	}
	r := c.sessionRequest(http.MethodDelete, id, "", &opts.Owner)
	r.header, r.repeatable = ifMatch(opts.IfVersion), opts.IfVersion == 0
	return c.call(ctx, r, nil)
}

// sessionRequest returns a request for a session, or for the part of it that suffix names.
func (c *Client) sessionRequest(method, id, suffix string, o *Owner) request {
	return request{method: method, path: pathOf(sessionsPath, id, suffix), query: c.ownerQuery(o)}
}
