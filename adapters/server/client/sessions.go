package client

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// ListOptions says which sessions Sessions lists.
type ListOptions struct {
	Owner
	// Limit is from 1 to 100; 0 means 20. Offset is how many to leave out.
	Limit, Offset int
}

// Sessions lists the ids of sessions. nil options mean the first 20.
func (c *Client) Sessions(ctx context.Context, opts *ListOptions) (*wire.SessionList, error) {
	if opts == nil {
		opts = &ListOptions{}
	}
	query := c.owned(&opts.Owner)
	setNumber(query, "limit", opts.Limit)
	setNumber(query, "offset", opts.Offset)
	return fetch[wire.SessionList](ctx, c, request{method: http.MethodGet, path: sessionsPath + "/", query: query, again: true})
}

// ReadOptions says how much of a session is read.
type ReadOptions struct {
	Owner
	// Model and Window, in tokens, are what the messages must fit; with neither, all are
	// read.
	Model  string
	Window int
	// Recent is how many messages are read at most, the newest; 0: all.
	Recent int
}

// Session reads a session. nil options mean all of it. Errors: ErrNotFound.
func (c *Client) Session(ctx context.Context, id string, opts *ReadOptions) (*wire.Session, error) {
	if opts == nil {
		opts = &ReadOptions{}
	}
	r := c.ofSession(http.MethodGet, id, "", &opts.Owner)
	set(r.query, "model_name", opts.Model)
	setNumber(r.query, "context_window_max", opts.Window)
	setNumber(r.query, "recent_messages_limit", opts.Recent)
	r.again = true
	return fetch[wire.Session](ctx, c, r)
}

// WriteOptions says how a session is written.
type WriteOptions struct {
	Owner
	// Model and Window, in tokens, are what the messages must fit: what does not is
	// summarised. With neither, the server's default or the session's last one counts.
	Model  string
	Window int
	// TTLSeconds is how long the session lives from now. 0: a running expiry stays.
	TTLSeconds int
	// IfVersion is the version that the session must have, wire.Session.Version; 0: any.
	// Otherwise nothing is written: ErrStale.
	IfVersion uint64
	// IfAbsent has the session written only if there is none, otherwise: ErrStale.
	IfAbsent bool
	// Minimal asks for an answer without messages, memories, data and entities.
	Minimal bool
}

// PutSession writes a session, in place of what there was, and returns it as it is then:
// old messages may have become a summary. nil options mean the defaults. Errors: ErrStale,
// ErrInvalid, ErrForbidden.
func (c *Client) PutSession(ctx context.Context, id string, body *wire.SessionBody, opts *WriteOptions) (*wire.Session, error) {
	r := c.writing(http.MethodPut, id, "", opts)
	r.body = body
	return fetch[wire.Session](ctx, c, r)
}

// Append adds messages to a session, which is made where there is none. A message whose id
// the session has already is not added again. nil options mean the defaults. Errors:
// ErrStale, ErrInvalid, ErrForbidden.
func (c *Client) Append(ctx context.Context, id string, messages []wire.Message, opts *WriteOptions) (*wire.Session, error) {
	r := c.writing(http.MethodPost, id, "/messages", opts)
	r.body = &wire.Append{Messages: messages}
	unnamed := slices.ContainsFunc(messages, func(m wire.Message) bool { return m.ID == "" })
	// After an answer that got lost the version is another.
	r.again = !unnamed && len(r.header["If-Match"]) == 0 && len(r.header["If-None-Match"]) == 0
	return fetch[wire.Session](ctx, c, r)
}

func (c *Client) writing(method, id, further string, opts *WriteOptions) request {
	if opts == nil {
		opts = &WriteOptions{}
	}
	r := c.ofSession(method, id, further, &opts.Owner)
	set(r.query, "model_name", opts.Model)
	setNumber(r.query, "context_window_max", opts.Window)
	setNumber(r.query, "ttl_seconds", opts.TTLSeconds)
	r.header = matching(opts.IfVersion)
	if opts.IfAbsent {
		r.header.Set("If-None-Match", "*")
	}
	if opts.Minimal {
		r.header.Set("Prefer", "return=minimal")
	}
	return r
}

// matching is the condition that a session has a version.
func matching(version uint64) http.Header {
	header := http.Header{}
	if version != 0 {
		header.Set("If-Match", `"`+strconv.FormatUint(version, 10)+`"`)
	}
	return header
}

// DeleteOptions says when a session is deleted.
type DeleteOptions struct {
	Owner
	// IfVersion is the version that the session must have; 0: any. Otherwise: ErrStale.
	IfVersion uint64
}

// DeleteSession deletes a session. It is no error if there is none. nil options mean the
// defaults. Errors: ErrStale; ErrNotFound if the id means several sessions.
func (c *Client) DeleteSession(ctx context.Context, id string, opts *DeleteOptions) error {
	if opts == nil {
		opts = &DeleteOptions{}
	}
	r := c.ofSession(http.MethodDelete, id, "", &opts.Owner)
	r.header, r.again = matching(opts.IfVersion), opts.IfVersion == 0
	return c.call(ctx, r, nil)
}

// ofSession is a request for a session or what is under it.
func (c *Client) ofSession(method, id, further string, o *Owner) request {
	return request{method: method, path: under(sessionsPath, id, further), query: c.owned(o)}
}
