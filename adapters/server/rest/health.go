package rest

import (
	"context"
	"net/http"
	"strings"

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

func getOpenAPI(_ context.Context, c *call) error {
	docs, err := c.handler.docs()
	if err != nil {
		return err
	}
	send(c.answer, http.StatusOK, mediaJSON, docs.openapi)
	return nil
}

// redirectToDocs sends browsers to the documentation. The location is relative, since a proxy or
// http.StripPrefix may serve the API below a prefix.
func redirectToDocs(_ context.Context, c *call) error {
	c.answer.Header().Set("Location", "docs")
	send(c.answer, http.StatusFound, mediaText, []byte("See docs"))
	return nil
}

func getDocs(_ context.Context, c *call) error {
	docs, err := c.handler.docs()
	if err != nil {
		return err
	}
	c.answer.Header().Set("Content-Security-Policy", docs.policy)
	html := docs.html
	if strings.HasSuffix(c.request.URL.Path, "/") { // a relative link resolves one level below
		html = strings.ReplaceAll(html, `href="openapi.json"`, `href="../openapi.json"`)
	}
	send(c.answer, http.StatusOK, mediaHTML, []byte(html))
	return nil
}
