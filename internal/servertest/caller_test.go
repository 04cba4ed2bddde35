package servertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// names numbers the namespaces of callers.
var names atomic.Int64

// caller sends the requests of one test, in its own namespace.
type caller struct {
	t      testing.TB
	p      *process
	ns     string
	token  string
	client *http.Client
}

// call returns a caller of a process.
func call(t testing.TB, p *process) *caller {
	return &caller{
		t: t, p: p, ns: fmt.Sprintf("ns%d", names.Add(1)),
		client: &http.Client{Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the Python client follows none
		}},
	}
}

// as returns a caller with another token.
func (c *caller) as(token string) *caller {
	other := *c
	other.token = token
	return &other
}

// wm returns the path of a session in the caller's namespace, with further parameters.
func (c *caller) wm(id string, query ...string) string {
	return "/v1/working-memory/" + id + "?" + strings.Join(append([]string{"namespace=" + c.ns}, query...), "&")
}

// of returns the path of a route below that of a session.
func (c *caller) of(id, route string, query ...string) string {
	return strings.Replace(c.wm(id, query...), "?", "/"+route+"?", 1)
}

func (c *caller) get(path string) *answer    { return c.send(http.MethodGet, path, "") }
func (c *caller) delete(path string) *answer { return c.send(http.MethodDelete, path, "") }
func (c *caller) put(path, body string, headers ...string) *answer {
	return c.send(http.MethodPut, path, body, headers...)
}

func (c *caller) post(path, body string, headers ...string) *answer {
	return c.send(http.MethodPost, path, body, headers...)
}

// search searches long-term memory in the caller's namespace. more continues the body and begins
// with a comma.
func (c *caller) search(more string) *answer {
	return c.post("/v1/long-term-memory/search", fmt.Sprintf(`{"namespace":{"eq":%q}%s}`, c.ns, more))
}

// remember creates memories in the caller's namespace. A record is a JSON object without braces.
func (c *caller) remember(records ...string) {
	c.t.Helper()
	for i, r := range records {
		records[i] = fmt.Sprintf(`{"namespace":%q,%s}`, c.ns, r)
	}
	c.post("/v1/long-term-memory/", `{"memories":[`+strings.Join(records, ",")+`]}`).ok()
}

// send sends a request, reads the answer and checks its shape. Headers are pairs of name and value.
func (c *caller) send(method, path, body string, headers ...string) *answer {
	c.t.Helper()
	a, err := c.try(method, path, body, headers...)
	require.NoError(c.t, err, "%s %s\n%s", method, path, c.p.logs.tail())
	checkShape(a)
	return a
}

// try is like send for requests that may fail.
func (c *caller) try(method, path, body string, headers ...string) (*answer, error) {
	req, err := http.NewRequest(method, c.p.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	a := &answer{t: c.t, method: method, path: path, status: res.StatusCode, header: res.Header, raw: raw}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		err = dec.Decode(&a.json)
	}
	return a, err
}

// answer is a response.
type answer struct {
	t            testing.TB
	method, path string
	status       int
	header       http.Header
	raw          []byte
	json         any
}

// ok requires status 200.
func (a *answer) ok() *answer {
	a.t.Helper()
	return a.is(http.StatusOK)
}

// is requires a status.
func (a *answer) is(status int) *answer {
	a.t.Helper()
	require.Equal(a.t, status, a.status, "%s %s: %.2000s", a.method, a.path, a.raw)
	return a
}

// fails requires a status and a detail.
func (a *answer) fails(status int, detail string) {
	a.t.Helper()
	require.Equal(a.t, detail, a.is(status).at("detail"))
}

// at returns the value at a path of names and indexes, which must exist.
func (a *answer) at(path ...any) any {
	a.t.Helper()
	v := a.json
	for _, step := range path {
		switch s := step.(type) {
		case string:
			object, ok := v.(map[string]any)
			require.True(a.t, ok, "no object at %v of %.2000s", path, a.raw)
			require.Contains(a.t, object, s, "%v of %.2000s", path, a.raw)
			v = object[s]
		case int:
			list, ok := v.([]any)
			require.True(a.t, ok && s < len(list), "no list of more than %d at %v of %.2000s", s, path, a.raw)
			v = list[s]
		}
	}
	return v
}

func (a *answer) list(path ...any) []any {
	a.t.Helper()
	list, ok := a.at(path...).([]any)
	require.True(a.t, ok, "no list at %v of %.2000s", path, a.raw)
	return list
}

func (a *answer) text(path ...any) string {
	a.t.Helper()
	text, ok := a.at(path...).(string)
	require.True(a.t, ok, "no text at %v of %.2000s", path, a.raw)
	return text
}

func (a *answer) number(path ...any) float64 {
	a.t.Helper()
	n, ok := a.at(path...).(json.Number)
	require.True(a.t, ok, "no number at %v of %.2000s", path, a.raw)
	f, err := n.Float64()
	require.NoError(a.t, err)
	return f
}

func (a *answer) int(path ...any) int {
	a.t.Helper()
	return int(a.number(path...))
}

// all returns a text member of each object of a list.
func (a *answer) all(member string, path ...any) []string {
	a.t.Helper()
	found := []string{}
	for i := range a.list(path...) {
		found = append(found, a.text(append(append([]any{}, path...), i, member)...))
	}
	return found
}

// eventually polls until is returns true.
func (c *caller) eventually(is func() bool) {
	c.t.Helper()
	c.within(patience, is)
}

// within polls until is returns true, at most for limit.
func (c *caller) within(limit time.Duration, is func() bool) {
	c.t.Helper()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	late := time.After(limit)
	for !is() {
		select {
		case <-poll.C:
		case <-late:
			require.FailNow(c.t, "condition not met")
		}
	}
}
