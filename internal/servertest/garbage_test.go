//go:build linux

package servertest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/internal/soak"
)

// garbage sends malformed HTTP.
func garbage(t *testing.T, p *process) {
	const host = "Host: 127.0.0.1\r\n"
	for _, text := range []string{
		"\x00\x01\x02\x03\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"GET /v1/health HTTP/1.1\r\n" + host + "Bad Header: x\r\n\r\n", "GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.2\r\n\r\n",
		"PUT /v1/working-memory/s HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n",
		"PUT /v1/working-memory/s HTTP/1.1\r\n" + host + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
		"PUT /v1/working-memory/s HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
		"PUT /v1/working-memory/s HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("z", 100) + "\r\n\r\n",
	} {
		status := raw(t, p, text)
		assert.True(t, status == 0 || status >= 400 && status <= 505, "%d: %q", status, text)
		assert.NotEqual(t, http.StatusInternalServerError, status, "%q", text)
	}
}

// oddPaths sends ids and queries with a meaning in other languages.
func oddPaths(t *testing.T, p *process) {
	c := call(t, p)
	for _, id := range []string{"..", ".", "%2e%2e", "..%2f..%2fetc%2fpasswd", "%00", "a%00b", "%0d%0aX-Evil:%20yes", "'%20OR%201=1--", "%25s%25n", "$%7Bjndi%7D", "%E2%80%AE", "*", ":", "%20"} {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
			a := c.send(method, c.wm(id), map[bool]string{true: `{}`}[method == http.MethodPut])
			assert.Less(t, a.status, 500, "%s %s: %s", method, id, a.raw)
			assert.Empty(t, a.header.Get("X-Evil"))
		}
	}
	for _, query := range []string{"limit=99999999999999999999999", "limit=1e3", "limit=%00", "offset=9223372036854775807", "namespace=%00", "a=%zz", "%zz", "limit=1;offset=2", strings.Repeat("x=1&", 2000)} {
		a := c.get("/v1/working-memory/?" + query)
		assert.Less(t, a.status, 500, "%.100s: %s", query, a.raw)
	}
	for _, id := range []string{"%zz", "%", "%f"} {
		status := raw(t, p, "GET /v1/working-memory/"+id+" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		assert.True(t, status >= 400 && status < 500, "%d: %s", status, id)
	}
	c.send(http.MethodOptions, "/v1/working-memory/s", "").is(http.StatusMethodNotAllowed)
	c.send("BREW", "/v1/working-memory/s", "").is(http.StatusMethodNotAllowed)
}

// smallThings sends bodies that would take far more memory when decoded.
func smallThings(t *testing.T, p *process) {
	size := soak.Times(1<<20, 30<<20)
	c := call(t, p)
	repeat := func(text string) string {
		return strings.TrimSuffix(strings.Repeat(text, size/len(text)), ",")
	}
	for name, body := range map[string]string{
		"messages without anything": `{"messages":[` + repeat(`{},`) + `]}`,
		"memories without anything": `{"memories":[` + repeat(`{},`) + `]}`,
		"nulls":                     `{"data":{"a":[` + repeat(`null,`) + `]},"messages":7}`,
		"objects":                   `{"data":{"a":[` + repeat(`{"a":1},`) + `]},"messages":7}`,
		"one long number":           `{"tokens":` + repeat(`9`) + `}`,
		"a number without a size":   `{"tokens":1e` + repeat(`9`) + `}`,
		"escapes":                   `{"messages":[{"role":"user","content":7}],"context":"` + repeat(`\u0000`) + `"}`,
		"one name again and again":  `{` + repeat(`"messages":[],`) + `}`,
		"spaces":                    repeat(" "),
	} {
		a := c.patient(func() *answer { return c.put(c.wm("s"), body) })
		assert.Contains(t, []int{413, 422}, a.status, "%s: %.200s", name, a.raw)
		assert.Less(t, len(a.raw), 1<<20, "%s: the answer is short", name)
	}
	// A valid body of many members is stored.
	many := make([]string, 0, 5000)
	for i := range cap(many) {
		many = append(many, fmt.Sprintf(`"key %d":%d`, i, i))
	}
	a := c.patient(func() *answer { return c.put(c.wm("s"), `{"data":{`+strings.Join(many, ",")+`}}`) })
	assert.Len(t, a.ok().at("data"), 5000)
}
