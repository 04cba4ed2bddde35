package rest_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

func FuzzRequest(f *testing.F) {
	s := start(f, withLongTerm, withTokens)
	text, _ := s.token(auth.Tenant{}, 0)
	bound, _ := s.token(auth.Tenant{Namespace: "n"}, 0)
	for _, route := range s.handler.Routes() {
		f.Add(route.Method, fill(route.Pattern), "", bodyOf(route.Method, route.Pattern), "")
		f.Add(route.Method, fill(route.Pattern)+"/", "namespace=n&user_id=u&limit=2&ttl_seconds=5", `{"messages":[],"memories":[]}`, `"1"`)
	}
	f.Add("GET", "/", "", "", "")
	f.Add("GET", "/v1/working-memory/%2F/../%zz", "a=%zz;b", "{", "*")
	f.Add("PUT", "/v1/working-memory/\x00", "namespace=%ff", strings.Repeat("[", 2000), "W/")
	f.Fuzz(func(t *testing.T, method, path, query, body, condition string) {
		r := httptest.NewRequest("GET", "/", strings.NewReader(body))
		r.Method = method
		r.URL = &url.URL{Path: path, RawQuery: query}
		if unescaped, err := url.PathUnescape(path); err == nil {
			r.URL.Path, r.URL.RawPath = unescaped, path
		}
		token := text
		if len(body)%2 == 1 {
			token = bound
		}
		r.Header = http.Header{"Authorization": {"Bearer " + token}, "If-Match": {condition}, "Prefer": {condition}}
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		require.True(t, w.Code < 500 || w.Code == 503, "%d %s", w.Code, w.Body)
		if w.Code == http.StatusFound {
			require.Equal(t, "/", r.URL.EscapedPath())
			return
		}
		require.NotContains(t, []int{301, 307, 308}, w.Code)
		require.True(t, utf8.Valid(w.Body.Bytes()))
		switch media := w.Header().Get("Content-Type"); {
		case method == http.MethodHead:
			require.Empty(t, w.Body.String())
		case media == "application/json":
			decoder := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
			decoder.UseNumber()
			var body any
			require.NoError(t, decoder.Decode(&body), "%s", w.Body)
			object, _ := body.(map[string]any)
			require.Equal(t, w.Code >= 400, object["detail"] != nil)
		default:
			require.Equal(t, 200, w.Code)
			require.Contains(t, media, "charset=utf-8")
		}
	})
}
