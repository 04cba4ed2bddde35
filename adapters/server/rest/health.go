package rest

import (
	"context"
	"net/http"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

func getHealth(_ context.Context, c *call) error {
	return c.json(wire.Health{Now: c.handler.opts.Now().UnixMilli()})
}

func getReady(ctx context.Context, c *call) error {
	if err := c.handler.service.Ready(ctx); err != nil {
		return err
	}
	d := c.handler.service.Durability(ctx)
	return c.json(wire.Ready{Status: "ok", Durability: wire.Durability{Sessions: d.Sessions, LongTerm: d.Memories}})
}

// redirectToDocs sends browsers to the documentation. The location is relative, since a proxy or
// http.StripPrefix may serve the API below a prefix.
func redirectToDocs(_ context.Context, c *call) error {
	c.answer.Header().Set("Location", "docs")
	send(c.answer, http.StatusFound, mediaText, []byte("See docs"))
	return nil
}
