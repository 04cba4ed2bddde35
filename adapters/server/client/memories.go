package client

import (
	"context"
	"net/http"
	"strconv"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// CreateMemories puts memories into long-term memory. Those without a namespace or user get
// the owner's. Errors: ErrInvalid, ErrForbidden.
func (c *Client) CreateMemories(ctx context.Context, body *wire.MemoryBody, o *Owner) error {
	return c.call(ctx, request{method: http.MethodPost, path: memoriesPath + "/", query: c.owned(o), body: body}, nil)
}

// Search searches long-term memory. A search that does not filter by namespace or user is
// for those of Options. Errors: ErrInvalid.
func (c *Client) Search(ctx context.Context, search *wire.Search) (*wire.Results, error) {
	var s wire.Search
	if search != nil {
		s = *search
	}
	c.narrow(&s)
	return fetch[wire.Results](ctx, c, request{method: http.MethodPost, path: memoriesPath + "/search", body: &s, again: true})
}

// narrow lets a search find what is the client's.
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
	return fetch[wire.Memory](ctx, c, request{method: http.MethodGet, path: under(memoriesPath, id, ""), query: c.owned(o), again: true})
}

// PatchMemory changes a memory, and returns it as it is then. Errors: ErrNotFound,
// ErrInvalid, ErrForbidden.
func (c *Client) PatchMemory(ctx context.Context, id string, patch *wire.MemoryPatch, o *Owner) (*wire.Memory, error) {
	return fetch[wire.Memory](ctx, c, request{method: http.MethodPatch, path: under(memoriesPath, id, ""), query: c.owned(o), body: patch})
}

// DeleteMemories deletes memories by their ids. The answer says how many there were.
func (c *Client) DeleteMemories(ctx context.Context, ids []string, o *Owner) (*wire.Status, error) {
	query := c.owned(o)
	query["memory_ids"] = ids
	return fetch[wire.Status](ctx, c, request{method: http.MethodDelete, path: memoriesPath, query: query, again: true})
}

// ForgetOptions says of what is forgotten, and whether.
type ForgetOptions struct {
	Owner
	SessionID string
	// Limit is how many memories are looked at; 0 means 1,000.
	Limit int
	// Really has memories deleted. Without it the answer says which would be.
	Really bool
}

// Forget deletes what a policy does not keep, or tells what it would. nil options mean the
// latter.
func (c *Client) Forget(ctx context.Context, body *wire.Forget, opts *ForgetOptions) (*wire.ForgetResult, error) {
	if opts == nil {
		opts = &ForgetOptions{}
	}
	query := c.owned(&opts.Owner)
	set(query, "session_id", opts.SessionID)
	setNumber(query, "limit", opts.Limit)
	query.Set("dry_run", strconv.FormatBool(!opts.Really))
	return fetch[wire.ForgetResult](ctx, c, request{method: http.MethodPost, path: memoriesPath + "/forget", query: query, body: body})
}

// Compact merges memories that say the same. The answer says how many are left.
func (c *Client) Compact(ctx context.Context, o *Owner) (*wire.Status, error) {
	return fetch[wire.Status](ctx, c, request{method: http.MethodPost, path: memoriesPath + "/compact", query: c.owned(o)})
}

// Prompt makes the messages for a model: what a session says and long-term memory knows. A
// session, or where there is none a search, that names no namespace or user is of those of
// Options. Errors: ErrInvalid.
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
	return fetch[wire.Prompt](ctx, c, request{method: http.MethodPost, path: "/v1/memory/prompt", body: &asked, again: true})
}

// Health asks whether the server runs, and what time it has.
func (c *Client) Health(ctx context.Context) (*wire.Health, error) {
	return fetch[wire.Health](ctx, c, request{method: http.MethodGet, path: "/v1/health", again: true})
}

// Ready asks whether the server can reach its stores. Errors: ErrUnavailable.
func (c *Client) Ready(ctx context.Context) error {
	return c.call(ctx, request{method: http.MethodGet, path: "/v1/ready"}, nil)
}
