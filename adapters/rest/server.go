package rest

import (
	"context"
	"net/http"

	"github.com/go-workingmemory/workingmemory/adapters/rest/wire"
)

func getHealth(_ context.Context, c *call) error {
	return c.json(wire.Health{Now: c.handler.opts.Now().UnixMilli()})
}

func getReady(ctx context.Context, c *call) error {
	if err := c.handler.service.Ready(ctx); err != nil {
		return err
	}
	return c.json(wire.Status{Status: "ok"})
}

func getOpenAPI(_ context.Context, c *call) error {
	send(c.answer, http.StatusOK, mediaJSON, c.handler.openapi)
	return nil
}

func getDocs(_ context.Context, c *call) error {
	c.answer.Header().Set("Content-Security-Policy", c.handler.docs.policy)
	send(c.answer, http.StatusOK, mediaHTML, c.handler.docs.html)
	return nil
}
