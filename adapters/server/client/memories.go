package client

import (
	"context"
	"net/http"
	"strconv"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// CreateMemories adds memories to long-term memory. Those without a namespace or user get the
// owner's. Errors: ErrInvalid, ErrForbidden.
func (c *Client) CreateMemories(ctx context.Context, body *wire.MemoryBody, o *Owner) error {
	return c.call(ctx, request{method: http.MethodPost, path: memoriesPath + "/", query: c.ownerQuery(o), body: body}, nil)
}

// Search searches long-term memory. If the search does not filter by namespace or user, it is
// limited to those of Options. Errors: ErrInvalid.
func (c *Client) Search(ctx context.Context, search *wire.Search) (*wire.Results, error) {
	var s wire.Search
	if search != nil {
		s = *search
	}
	c.narrow(&s)
	return fetch[wire.Results](ctx, c, request{method: http.MethodPost, path: memoriesPath + "/search", body: &s, repeatable: true})
}

// narrow limits a search to the namespace and user of Options, unless it has filters for them.
func (c *Client) narrow(s *wire.Search) {
	empty := func(f *wire.TextFilter) bool { return f == nil || *f == wire.TextFilter{} }
	if empty(s.Namespace) && c.opts.Namespace != "" {
		s.Namespace = &wire.TextFilter{Eq: &c.opts.Namespace}
	}
	if empty(s.UserID) && c.opts.UserID != "" {
		s.UserID = &wire.TextFilter{Eq: &c.opts.UserID}
	}
}

// Memory reads a memory. Errors: ErrNotFound.
func (c *Client) Memory(ctx context.Context, id string, o *Owner) (*wire.Memory, error) {
	return fetch[wire.Memory](ctx, c, request{method: http.MethodGet, path: pathOf(memoriesPath, id, ""), query: c.ownerQuery(o), repeatable: true})
}

// PatchMemory changes a memory and returns the result. Errors: ErrNotFound, ErrInvalid,
// ErrForbidden.
func (c *Client) PatchMemory(ctx context.Context, id string, patch *wire.MemoryPatch, o *Owner) (*wire.Memory, error) {
	return fetch[wire.Memory](ctx, c, request{method: http.MethodPatch, path: pathOf(memoriesPath, id, ""), query: c.ownerQuery(o), body: patch})
}

// DeleteMemories deletes memories by id. The answer gives the number deleted.
func (c *Client) DeleteMemories(ctx context.Context, ids []string, o *Owner) (*wire.Status, error) {
	query := c.ownerQuery(o)
	query["memory_ids"] = ids
	return fetch[wire.Status](ctx, c, request{method: http.MethodDelete, path: memoriesPath, query: query, repeatable: true})
}

// ForgetOptions selects what Forget considers.
type ForgetOptions struct {
	Owner
	// SessionID limits it to the memories of a session. If empty, there is no limit.
	SessionID string
	// Limit is how many memories are considered. Zero means 1,000.
	Limit int
	// Really deletes the memories. If false, the answer lists those that would be deleted.
	Really bool
}

// Forget deletes the memories that a policy does not keep, or lists them if opts.Really is
// false. Nil options mean the defaults.
func (c *Client) Forget(ctx context.Context, body *wire.Forget, opts *ForgetOptions) (*wire.ForgetResult, error) {
	if opts == nil {
		opts = &ForgetOptions{}
	}
	query := c.ownerQuery(&opts.Owner)
	set(query, "session_id", opts.SessionID)
	setNumber(query, "limit", opts.Limit)
	query.Set("dry_run", strconv.FormatBool(!opts.Really))
	return fetch[wire.ForgetResult](ctx, c, request{method: http.MethodPost, path: memoriesPath + "/forget", query: query, body: body})
}

// Compact merges duplicate memories. The answer gives the number that remain.
func (c *Client) Compact(ctx context.Context, o *Owner) (*wire.Status, error) {
	return fetch[wire.Status](ctx, c, request{method: http.MethodPost, path: memoriesPath + "/compact", query: c.ownerQuery(o)})
}

// Prompt makes the messages for a model from a session and long-term memory. The namespace and
// user of Options apply to a session that names none or, without a session, to the search.
// Errors: ErrInvalid.
func (c *Client) Prompt(ctx context.Context, p *wire.PromptRequest) (*wire.Prompt, error) {
	if p == nil {
		p = &wire.PromptRequest{}
	}
	asked := *p
	switch {
	case p.Session != nil:
		s := *p.Session
		if s.Namespace == nil && c.opts.Namespace != "" {
			s.Namespace = &c.opts.Namespace
		}
		if s.UserID == nil && c.opts.UserID != "" {
			s.UserID = &c.opts.UserID
		}
		asked.Session = &s
	case c.opts.Namespace == "" && c.opts.UserID == "":
	case p.LongTerm != nil && (p.LongTerm.Search != nil || p.LongTerm.Bool):
		s := wire.Search{}
		if p.LongTerm.Search != nil {
			s = *p.LongTerm.Search
		}
		c.narrow(&s)
		asked.LongTerm = &wire.SearchOrBool{Search: &s}
	}
	return fetch[wire.Prompt](ctx, c, request{method: http.MethodPost, path: "/v1/memory/prompt", body: &asked, repeatable: true})
}

// Health checks that the server is running, and returns its time.
func (c *Client) Health(ctx context.Context) (*wire.Health, error) {
	return fetch[wire.Health](ctx, c, request{method: http.MethodGet, path: "/v1/health", repeatable: true})
}

// Ready checks that the server reaches its stores. Errors: ErrUnavailable.
func (c *Client) Ready(ctx context.Context) error {
	return c.call(ctx, request{method: http.MethodGet, path: "/v1/ready"}, nil)
}
