package client

import (
	"context"
	"net/http"

	"github.com/go-workingmemory/workingmemory/adapters/rest/wire"
)

// Decisions says how full the window of a session is, which of its entities the default block
// shows, and if not, why not, and what became of entities in the calls that the server's
// process recorded last. Errors: ErrNotFound.
func (c *Client) Decisions(ctx context.Context, id string, o *Owner) (*wire.Decisions, error) {
	r := c.ofSession(http.MethodGet, id, "/decisions", o)
	r.again = true
	return fetch[wire.Decisions](ctx, c, r)
}
