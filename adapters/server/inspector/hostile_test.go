package inspector_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/go-workingmemory/workingmemory/adapters/server/inspector"
	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// hostile are texts that would change a page, or how it looks, if they were not escaped.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'><svg/onload=alert(1)>`, `</pre></title></textarea><iframe src=javascript:alert(1)>`,
	"javascript:alert(1)", `" autofocus onfocus="alert(1)`, `<!--`, `]]>`, `&lt;b&gt;`, "a\x00b\x1b[2J\u009b2J\u202etxt.exe\u2066\u200b\ufeff", "\xff\xfe", "{{.}}", "\n\nnew\r\nline", "../../x?y=1&z#w%00",
}

// requireHarmless requires that a page has only the elements and attributes of this package.
func requireHarmless(t testing.TB, d *document) {
	t.Helper()
	allowed := strings.Fields("html head body meta title link script a header nav main ul ol li p h1 h2 h3 form input label button select option output span code pre section details summary table thead tbody tr th td div dl dt dd meter del strong i")
	for n := range d.root.Descendants() {
		if n.Type == html.CommentNode {
			require.Fail(t, "a comment: "+n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		require.Contains(t, allowed, n.Data)
		for _, a := range n.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc", "%s of %s", a.Key, n.Data)
			if slices.Contains([]string{"href", "src", "action"}, a.Key) {
				require.True(t, strings.HasPrefix(a.Val, inspector.Path) || strings.HasPrefix(a.Val, "#"), "%s of %s: %s", a.Key, n.Data, a.Val)
			}
		}
		if n.Data == "script" {
			require.Equal(t, "/inspect/script.js", attr(n, "src"))
			require.Nil(t, n.FirstChild)
		}
	}
	require.True(t, utf8.ValidString(d.raw))
	for n := range d.root.Descendants() {
		if n.Type == html.TextNode {
			i := strings.IndexFunc(n.Data, func(r rune) bool {
				return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
			})
			require.Negative(t, i, "a character without a shape in %q", n.Data)
		}
	}
	require.Less(t, len(d.raw), 2<<20)
}

// everyPage returns the pages that are reached from one by links and forms, as far as they are of the
// same kinds.
func everyPage(t testing.TB, pages http.Handler, paths ...string) {
	seen := map[string]bool{}
	for len(paths) > 0 && len(seen) < 150 {
		path := paths[0]
		paths = paths[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		status, page := getPage(t, pages, path)
		require.Contains(t, []int{http.StatusOK, http.StatusNotFound}, status, path)
		requireHarmless(t, page)
		for _, n := range page.all("a") {
			href, _, _ := strings.Cut(attr(n, "href"), "#")
			if href != "" {
				paths = append(paths, href)
			}
		}
	}
	require.Greater(t, len(seen), 20)
}

func TestHostileSessions(t *testing.T) {
	t.Parallel()
	memories, err := longterm.New(memindex.New(nil), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memories.Close(t.Context())) })
	w := newWorld(t, inspector.Options{Memory: memories})
	all := strings.ToValidUTF8(strings.Join(hostile, " "), "")
	_, err = memories.Put(t.Context(), longterm.Of("shop", "ann"), []longterm.Record{{ID: "m", Text: all}}, nil)
	require.NoError(t, err)
	for _, text := range hostile {
		valid := strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
		w.said("user", valid)
		_, err := w.manager.Append(t.Context(), conversation, []session.Message{{Role: valid + "role", Content: strings.ToValidUTF8(text, ""), ToolCalls: []session.ToolCall{{Name: valid + "n", Arguments: valid}}}}, nil)
		require.NoError(t, err)
		w.called("get_"+valid, text, `{"page":{"id":"page-40001","title":`+quoted(valid)+`},"`+quoted(valid)[1:]+`:"x"}`)
	}
	w.called("list", "{}", "{\""+strings.Repeat("long ", 1<<18)+`":"page-40009"}`)
	w.said("user", strings.Repeat("x", 1<<20))
	_, err = w.manager.Update(t.Context(), conversation, func(s *session.Session) error {
		s.Context = all
		s.Memories = []session.Record{{ID: "m", Text: all}}
		for _, text := range hostile {
			valid := strings.Join(strings.Fields(strings.Map(func(r rune) rune {
				if unicode.IsPrint(r) {
					return r
				}
				return -1
			}, strings.ToValidUTF8(text, ""))), "")
			if err := s.Entities.Add(memory.Entity{Type: "page", ID: "x" + valid, Name: strings.ToValidUTF8(text, ""), Tool: valid, Path: valid}); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	require.NoError(t, err)
	for _, text := range hostile[:6] {
		_, err := w.manager.Append(t.Context(), session.Key{Namespace: text, UserID: text, SessionID: text}, []session.Message{{Role: "user", Content: text}}, nil)
		require.NoError(t, err)
		everything := url.QueryEscape(text)
		for _, path := range []string{"/inspect/?q=", "/inspect/memories?mode=x&q=", "/inspect/run?" + ofSession() + "&place=x&q=", "/inspect/run?id=", "/inspect/result?" + ofSession() + "&path=x&handle=", "/inspect/result?" + ofSession("handle", "result#1") + "&words="} {
			_, page := w.get(path + everything)
			requireHarmless(t, page)
		}
	}
	everyPage(t, w.pages, "/inspect/", "/inspect/memories?q=alert", "/inspect/run?"+ofSession(), "/inspect/run?"+ofSession("step", "30"))
}

// quoted returns a text as JSON.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\x1b", `\u001b`).Replace(text) + `"`
}

func TestHostileTraces(t *testing.T) {
	t.Parallel()
	var lines []string
	for _, text := range hostile {
		text = quoted("x" + strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", ""))
		lines = append(lines, `{"id":`+text+`,"steps":[{"kind":"user","text":`+text+`},{"kind":"tool","name":`+text+`,"args":`+text+`,"result":{"page":{"id":"page-40001","title":`+text+`}}},`+
			`{"kind":"tool","name":"get_page","args":{"page_id":"page-40001"},"result":"ok"},{"kind":`+text+`}]}`)
	}
	pages := inspector.ForRecordings([]inspector.Recording{{Name: hostile[1], Episodes: episodes(t, lines...)}}, nil)
	everyPage(t, pages, "/inspect/", "/inspect/?q="+url.QueryEscape(hostile[1])+"&budget=16")
}

func episodes(t testing.TB, lines ...string) (all []*evaluation.Episode) {
	t.Helper()
	for ep, err := range evaluation.Episodes(strings.NewReader(strings.Join(lines, "\n"))) {
		require.NoError(t, err)
		all = append(all, ep)
	}
	return all
}

// TestHeaders: every answer has the policy, and nothing is cached or guessed.
func TestHeaders(t *testing.T) {
	t.Parallel()
	w := shop(t)
	for _, path := range []string{"/inspect/", "/inspect", "/inspect/run?" + ofSession(), "/inspect/style.css", "/inspect/script.js", "/inspect/icon.svg", "/inspect/missing"} {
		answer := httptest.NewRecorder()
		w.pages.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		header := answer.Header()
		policy := header.Get("Content-Security-Policy")
		for _, directive := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
			assert.Contains(t, strings.Split(policy, "; "), directive, path)
		}
		assert.NotContains(t, policy, "unsafe")
		assert.Equal(t, []string{"nosniff", "no-referrer", "same-origin"}, []string{header.Get("X-Content-Type-Options"), header.Get("Referrer-Policy"), header.Get("Cross-Origin-Resource-Policy")}, path)
		assert.Contains(t, []string{"no-store", "no-cache"}, header.Get("Cache-Control"))
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		answer := httptest.NewRecorder()
		w.pages.ServeHTTP(answer, httptest.NewRequest(method, "/inspect/", nil))
		assert.Equal(t, http.StatusMethodNotAllowed, answer.Code)
	}
	answer := httptest.NewRecorder()
	w.pages.ServeHTTP(answer, httptest.NewRequest(http.MethodHead, "/inspect/", nil))
	assert.Equal(t, http.StatusOK, answer.Code)
	assert.Zero(t, answer.Body.Len())
}

// broken is a store that does not answer.
type broken struct{ *memstore.Store }

func (broken) List(context.Context, driver.ListOptions) (driver.Listing, error) {
	return driver.Listing{}, fmt.Errorf("hunter2: %w", driver.ErrUnavailable)
}

func (broken) Load(context.Context, driver.Key, int) (*driver.StoredSession, error) {
	return nil, errors.New("hunter2")
}

// TestFailures: the page of an error has no contents, and neither has the log.
func TestFailures(t *testing.T) {
	t.Parallel()
	manager, err := session.NewManager(broken{memstore.New(nil)}, nil)
	require.NoError(t, err)
	var log syncbuffer.Buffer
	pages, err := inspector.New(manager, &inspector.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	for path, want := range map[string]int{"/inspect/": http.StatusServiceUnavailable, "/inspect/run?" + ofSession(): http.StatusInternalServerError} {
		status, page := getPage(t, pages, path)
		assert.Equal(t, want, status)
		assert.NotContains(t, page.raw, "hunter2")
	}
	assert.Contains(t, log.String(), "a page failed")
}
