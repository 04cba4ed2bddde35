package rest

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/swaggest/swgui/v5/static"
)

// docsFiles are the page at /docs, which shows the OpenAPI document with Swagger UI, and the
// examples of answers in that document. A test writes the examples.
//
//go:embed docs
var docsFiles embed.FS

// docsPolicy lets the page load what this server serves, and nothing else. Swagger UI has its
// icons in data URLs, and styles elements.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func getOpenAPI(_ context.Context, c *call) error {
	document, err := c.handler.openapi()
	if err != nil {
		return err
	}
	send(c.answer, http.StatusOK, mediaJSON, document)
	return nil
}

// answerExamples returns an example of the answer of each route, by the name of the route.
func answerExamples() (map[string]json.RawMessage, error) {
	data, err := docsFiles.ReadFile("docs/answers.json")
	if err != nil {
		return nil, err
	}
	examples := map[string]json.RawMessage{}
	return examples, json.Unmarshal(data, &examples)
}

// docsPath is the path of the page; its files are below.
const docsPath = "/docs"

// getDocs answers with the page. Its links are relative, since a proxy or http.StripPrefix may
// serve the API below a prefix.
func getDocs(_ context.Context, c *call) error {
	page, err := docsFiles.ReadFile("docs/page.html")
	if err != nil {
		return err
	}
	links := strings.NewReplacer("{assets}", "docs/", "{spec}", "openapi.json")
	if strings.HasSuffix(c.request.URL.Path, "/") { // a relative link resolves one level below
		links = strings.NewReplacer("{assets}", "", "{spec}", "../openapi.json")
	}
	c.answer.Header().Set("Content-Security-Policy", docsPolicy)
	send(c.answer, http.StatusOK, mediaHTML, []byte(links.Replace(string(page))))
	return nil
}

// docsFile returns a file of the page by its name, as it is served and maybe compressed, or nil.
func docsFile(name string) (content []byte, compressed bool) {
	media := mediaOf(name)
	if media == "" || strings.Contains(name, "/") {
		return nil, false
	}
	if content, err := docsFiles.ReadFile("docs/" + name); err == nil {
		return content, false
	}
	if content, err := fs.ReadFile(static.FS, name+".gz"); err == nil {
		return content, true
	}
	content, _ = fs.ReadFile(static.FS, name) // nil if there is none
	return content, false
}

// mediaOf returns the media type of a file of the page, "" for others.
func mediaOf(name string) string {
	return map[string]string{
		".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".png": "image/png",
	}[path.Ext(name)]
}

// docsFileRoute returns the route of a file of the page, which is not part of the documented
// API, or nil if there is no such file.
func docsFileRoute(urlPath string) *route {
	name, below := strings.CutPrefix(urlPath, docsPath+"/")
	if !below {
		return nil
	}
	content, compressed := docsFile(name)
	if content == nil {
		return nil
	}
	return &route{
		name: "docsFile", method: "GET", pattern: docsPath + "/{file}", class: ClassOpen,
		serve: func(_ context.Context, c *call) error { return c.file(mediaOf(name), content, compressed) },
	}
}

// file answers with a file, compressed if it is and the client accepts that.
func (c *call) file(media string, content []byte, compressed bool) error {
	header := c.answer.Header()
	switch {
	case !compressed:
	case strings.Contains(c.request.Header.Get("Accept-Encoding"), "gzip"):
		header.Set("Content-Encoding", "gzip")
	default:
		unzipped, err := gzip.NewReader(bytes.NewReader(content))
		if err == nil {
			content, err = io.ReadAll(unzipped)
		}
		if err != nil {
			return fmt.Errorf("rest: reading a file of the page: %w", err)
		}
	}
	header.Set("Content-Type", media)
	header.Set("Content-Length", strconv.Itoa(len(content)))
	header.Set("Cache-Control", "public, max-age=3600")
	header.Set("Vary", "Accept-Encoding")
	header.Set("X-Content-Type-Options", "nosniff")
	c.answer.WriteHeader(http.StatusOK)
	_, _ = c.answer.Write(content) // fails only if the client has gone
	return nil
}
