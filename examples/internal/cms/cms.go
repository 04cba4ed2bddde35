// Package cms is a content management system of a few lines, for the examples:
// pages with UUIDs, and the tools to work on them. Its tools satisfy langchaingo's tools.Tool
// without importing it.
package cms

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// ErrNotFound is returned when no page has the id or slug.
var ErrNotFound = errors.New("cms: no such page")

// Page is one page of the site.
type Page struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Slug  string `json:"slug"`
}

// Site holds the pages of a site. It is safe for concurrent use.
type Site struct {
	// Trace receives a line for each tool call. If nil, nothing is written.
	Trace io.Writer

	mu    sync.Mutex
	pages []Page
}

// New returns a site with the pages Home and About, whose ids are the same in every run.
func New() *Site {
	s := &Site{}
	s.create("Home")
	s.create("About")
	return s
}

// Page finds a page by id or slug.
func (s *Site) Page(idOrSlug string) (Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(idOrSlug)
	if err != nil {
		return Page{}, err
	}
	return s.pages[i], nil
}

// Call runs a tool on arguments (id, slug, title) and returns its result as JSON.
func (s *Site) Call(_ context.Context, tool string, args map[string]string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Trace != nil {
		fmt.Fprintf(s.Trace, "  tool:  %s %s\n", tool, encode(args))
	}
	i, notFound := s.find(args["id"], args["slug"])
	switch tool {
	case "cms_listPages":
		return encode(map[string]any{"count": len(s.pages), "pages": s.pages}), nil
	case "cms_createPage":
		return encode(map[string]any{"success": true, "page": s.create(args["title"])}), nil
	case "cms_getPage", "cms_updatePage", "cms_deletePage":
		if notFound != nil {
			return "", notFound
		}
	default:
		return "", fmt.Errorf("cms: no tool %q", tool)
	}
	switch tool {
	case "cms_updatePage":
		s.pages[i].Title = args["title"]
	case "cms_deletePage":
		id := s.pages[i].ID
		s.pages = slices.Delete(s.pages, i, i+1)
		return encode(map[string]any{"success": true, "id": id}), nil
	}
	return encode(map[string]any{"success": true, "page": s.pages[i]}), nil
}

func (s *Site) find(keys ...string) (int, error) {
	i := slices.IndexFunc(s.pages, func(p Page) bool { return slices.Contains(keys, p.ID) || slices.Contains(keys, p.Slug) })
	if i < 0 {
		return 0, fmt.Errorf("%w: %s", ErrNotFound, strings.Join(keys, " "))
	}
	return i, nil
}

func (s *Site) create(title string) Page {
	slug := strings.ReplaceAll(strings.ToLower(title), " ", "-")
	s.pages = append(s.pages, Page{ID: uuid.NewSHA1(uuid.NameSpaceURL, []byte(slug)).String(), Title: title, Slug: slug})
	return s.pages[len(s.pages)-1]
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // pages and maps of strings always marshal
	}
	return string(text)
}
