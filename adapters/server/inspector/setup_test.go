package inspector_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/go-workingmemory/workingmemory/adapters/server/inspector"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// world is a store with an inspector, and the recorder of a server on it. Its clock advances by a
// second with each use.
type world struct {
	testing.TB
	now       time.Time
	manager   *session.Manager
	recording *middleware.SessionsOptions
	sessions  *middleware.Sessions
	pages     http.Handler
}

var conversation = session.Key{Namespace: "shop", UserID: "ann", SessionID: "s-1"}

func newWorld(t testing.TB, opts inspector.Options) *world {
	t.Helper()
	w := &world{TB: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { w.now = w.now.Add(time.Second); return w.now }
	var err error
	w.manager, err = session.NewManager(memstore.New(nil), &session.Options{
		Context: &memory.ContextOptions{Capacity: middleware.BudgetCapacity}, Now: clock,
		Summaries: summary.Options{Mode: summary.Off},
	})
	require.NoError(t, err)
	w.recording = opts.Recording
	if w.recording == nil {
		w.recording = &middleware.SessionsOptions{
			Journal: middleware.NewJournal(nil), Handles: new(handle.Options), Results: &middleware.ResultsOptions{Threshold: 1000},
		}
	}
	opts.Recording = w.recording
	w.sessions, err = middleware.NewSessions(w.manager, w.recording)
	require.NoError(t, err)
	w.pages, err = inspector.New(w.manager, &opts)
	require.NoError(t, err)
	return w
}

// called records a call whose result is a text, or an error.
func (w *world) called(tool, arguments string, result any) {
	w.Helper()
	call := middleware.ToolCall{Name: tool, Arguments: arguments, Result: result}
	if err, ok := result.(error); ok {
		call.Result, call.Err = nil, err
	}
	_, err := w.sessions.Record(w.Context(), conversation, call)
	require.NoError(w, err)
}

func (w *world) said(role, text string) {
	w.Helper()
	_, err := w.manager.Append(w.Context(), conversation, []session.Message{{Role: role, Content: text}}, nil)
	require.NoError(w, err)
}

// ofSession is the query that names the conversation, with pairs of names and values besides.
func ofSession(pairs ...string) string {
	query := url.Values{"id": {conversation.SessionID}, "namespace": {conversation.Namespace}, "user": {conversation.UserID}}
	for i := 0; i < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	return query.Encode()
}

// get requests a page and returns its status and its tree.
func (w *world) get(path string) (int, *document) {
	w.Helper()
	return getPage(w, w.pages, path)
}

// run returns the page of the conversation.
func (w *world) run(pairs ...string) *document {
	w.Helper()
	status, page := w.get("/inspect/run?" + ofSession(pairs...))
	require.Equal(w, http.StatusOK, status, page.text(""))
	return page
}

func getPage(t testing.TB, pages http.Handler, path string) (int, *document) {
	t.Helper()
	status, body := getRaw(pages, path)
	return status, parse(t, body)
}

func getRaw(pages http.Handler, path string) (int, string) {
	answer := httptest.NewRecorder()
	path, _, _ = strings.Cut(path, "#")
	pages.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
	return answer.Code, answer.Body.String()
}

// document is a parsed page.
type document struct {
	t    testing.TB
	raw  string
	root *html.Node
}

func parse(t testing.TB, raw string) *document {
	t.Helper()
	root, err := html.Parse(strings.NewReader(raw))
	require.NoError(t, err)
	return &document{t, raw, root}
}

// all returns the elements that a selector matches: a name, "#id" or ".class", or the name and one of
// these. Several in a row select descendants.
func (d *document) all(selector string) (found []*html.Node) {
	found = []*html.Node{d.root}
	for one := range strings.FieldsSeq(selector) {
		var next []*html.Node
		for _, root := range found {
			for n := range root.Descendants() {
				if matches(n, one) {
					next = append(next, n)
				}
			}
		}
		found = next
	}
	return found
}

func matches(n *html.Node, selector string) bool {
	name, rest, kind := selector, "", byte(0)
	if i := strings.IndexAny(selector, "#."); i >= 0 {
		name, kind, rest = selector[:i], selector[i], selector[i+1:]
	}
	switch {
	case n.Type != html.ElementNode, name != "" && n.Data != name:
		return false
	case kind == '#':
		return attr(n, "id") == rest
	case kind == '.':
		return strings.Contains(" "+attr(n, "class")+" ", " "+rest+" ")
	}
	return true
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// texts returns the texts of the elements that a selector matches, each as one line.
func (d *document) texts(selector string) []string {
	lines := []string{}
	for _, n := range d.all(selector) {
		lines = append(lines, textOf(n))
	}
	return lines
}

// text returns the texts of the elements that a selector matches.
func (d *document) text(selector string) string { return strings.Join(d.texts(selector), "\n") }

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(" " + c.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// link returns the target of the first link with a text among the elements that a selector matches.
func (d *document) link(selector, text string) string {
	d.t.Helper()
	for _, n := range d.all(selector) {
		for c := range n.Descendants() {
			if c.Data == "a" && textOf(c) == text {
				return attr(c, "href")
			}
		}
	}
	require.Fail(d.t, fmt.Sprintf("no link %q in %s", text, selector))
	return ""
}

// current returns the step of the timeline that is shown.
func current(t testing.TB, d *document) *html.Node {
	t.Helper()
	for _, n := range d.all("li.step a") {
		if attr(n, "aria-current") == "step" {
			return n
		}
	}
	require.Fail(t, "no step is current")
	return nil
}
