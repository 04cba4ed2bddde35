package rest

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
)

// docsPage is the documentation for readers. A test renders it from the OpenAPI document.
//
//go:embed docs.html
var docsPage string

// documentation is what describes the routes.
type documentation struct {
	openapi []byte
	// html is self-contained, which policy, its Content-Security-Policy, enforces.
	html   string
	policy string
}

func newDocumentation(routes []route) (*documentation, error) {
	parts, err := newComponents(routes)
	if err != nil {
		return nil, err
	}
	_, style, _ := strings.Cut(docsPage, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	hash := sha256.Sum256([]byte(style))
	d := &documentation{
		html:   docsPage,
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}
	d.openapi, err = document(routes, parts)
	return d, err
}
