package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

// silent is a ResponseWriter that only records the status.
type silent struct {
	header http.Header
	status int
}

func (s *silent) Header() http.Header         { return s.header }
func (s *silent) WriteHeader(status int)      { s.status = status }
func (s *silent) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkRequest measures requests with a token on a memstore, which is the overhead of the
// server over that of the session.
func BenchmarkRequest(b *testing.B) {
	message := `{"messages":[{"id":"m-%d","role":"user","content":"` + strings.Repeat("Which ads run? ", 5) + `","created_at":"2026-01-02T15:04:05Z"}]}`
	for _, c := range []struct{ name, method, path, body, prefer string }{
		{"health", "GET", "/v1/health", "", ""},
		{"get", "GET", "/v1/working-memory/ten", "", ""},
		{"append", "POST", "/v1/working-memory/%d/messages", message, ""},
		{"append-minimal", "POST", "/v1/working-memory/%d/messages", message, "return=minimal"},
		{"put", "PUT", "/v1/working-memory/%d", message, ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := start(b, withTokens)
			token, _ := s.token(auth.Tenant{}, 0)
			ten := strings.ReplaceAll(message, `"m-%d"`, `null`)
			for range 10 {
				s.do("POST", "/v1/working-memory/ten/messages", ten, "Authorization: Bearer "+token).is(200)
			}
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				path, body := c.path, c.body
				if body != "" {
					path, body = fmt.Sprintf(path, n/10), fmt.Sprintf(body, n) // ten messages to a session
				}
				if c.method == "PUT" {
					path = "/v1/working-memory/put"
				}
				r := httptest.NewRequest(c.method, path, strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+token)
				if c.prefer != "" {
					r.Header.Set("Prefer", c.prefer)
				}
				w := &silent{header: http.Header{}}
				s.handler.ServeHTTP(w, r)
				if w.status != 200 {
					b.Fatal(w.status)
				}
			}
		})
	}
}
