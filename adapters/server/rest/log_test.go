package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
)

// records keeps what is logged, as lines of JSON.
type records struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (r *records) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(p)
}

func (r *records) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.String()
}

// requests are the records of requests.
func (r *records) requests(t *testing.T) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(r.text()) {
		var one map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &one))
		if one["msg"] == "rest: request" {
			all = append(all, one)
		}
	}
	return all
}

func logged(r *records) option {
	return with(func(o *rest.Options) {
		o.Logger = slog.New(slog.NewJSONHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
}

func TestOneRecordForEachRequest(t *testing.T) {
	t.Parallel()
	log := new(records)
	s := start(t, withTokens, logged(log))
	text, id := s.token(auth.Tenant{}, 0)
	s.do("PUT", "/v1/working-memory/my-session/", oneMessage, "Authorization: Bearer "+text, "X-Request-Id: r-1").is(200)
	s.do("GET", "/nothing/here", "").is(404)
	s.do("BREW", "/v1/health", "").is(405)
	s.do("GET", "/v1/working-memory/my-session", "").is(401)
	all := log.requests(t)
	require.Len(t, all, 4)
	first := all[0]
	assert.Equal(t, "PUT", first["method"])
	assert.Equal(t, "/v1/working-memory/{sid}", first["route"])
	assert.EqualValues(t, 200, first["status"])
	assert.EqualValues(t, len(oneMessage), first["bytes_in"])
	assert.Greater(t, first["bytes_out"], 100.0)
	assert.Greater(t, first["duration"], 0.0)
	assert.Equal(t, id, first["token"])
	assert.Equal(t, "r-1", first["request_id"])
	assert.Equal(t, "", all[1]["route"])
	assert.Equal(t, "OTHER", all[2]["method"])
	assert.NotContains(t, all[3], "token")
}

func TestNothingPrivateIsLogged(t *testing.T) {
	t.Parallel()
	log := new(records)
	s := start(t, withTokens, withLongTerm, logged(log))
	text, _ := s.token(auth.Tenant{Namespace: "private-namespace"}, 0)
	for _, route := range s.handler.Routes() {
		path := strings.NewReplacer("{sid}", "private-id", "{id}", "private-id").Replace(route.Pattern)
		for _, target := range []string{path, path + "?namespace=private-namespace&user_id=private-user&limit=private-limit", path + "/private-more"} {
			for _, body := range []string{"", `{"private-field":`, `{"memories":[{"id":"private-memory","text":"private-text"}]}`, `{"name":"x","result":"private-result","text":"private-search","query":"private-query","long_term_search":true}`} {
				s.do(route.Method, target, body, "Authorization: Bearer "+text, "Cookie: private-cookie")
				s.do(route.Method, target, body, "Authorization: Bearer private-token")
			}
		}
	}
	s.do("GET", "/private-path?private-query=1", "").is(404)
	assert.Greater(t, len(log.requests(t)), 200)
	assert.NotContains(t, log.text(), "private")
	secret := text[strings.LastIndex(text, "_")+1:]
	assert.NotContains(t, log.text(), secret)
}

func TestPanicsAreLoggedWithoutWhatTheyHold(t *testing.T) {
	t.Parallel()
	text, _ := start(t).token(auth.Tenant{}, 0)
	for name, value := range map[string]any{"text": "private words", "error": assert.AnError, "runtime": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, seen := new(records), make(chan rest.Observation, 1)
			s := start(t, logged(log), failingTokens(func(context.Context) (auth.Token, error) {
				if value == nil {
					var none []int
					_ = none[len(none)]
				}
				panic(value)
			}), with(func(o *rest.Options) { o.Observe = func(o rest.Observation) { seen <- o } }))
			s.do("GET", sessionPath, "", "Authorization: Bearer "+text).fails(500, "Internal Server Error")
			assert.NotContains(t, log.text(), "private")
			assert.NotContains(t, log.text(), assert.AnError.Error())
			assert.Contains(t, log.text(), "stack")
			assert.Equal(t, 500, (<-seen).Status)
			require.Len(t, log.requests(t), 1)
			assert.Equal(t, "ERROR", log.requests(t)[0]["level"])
		})
	}
}

func TestAbortedHandlersStayAborted(t *testing.T) {
	t.Parallel()
	log := new(records)
	text, _ := start(t).token(auth.Tenant{}, 0)
	s := start(t, logged(log), failingTokens(func(context.Context) (auth.Token, error) { panic(http.ErrAbortHandler) }))
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { s.do("GET", sessionPath, "", "Authorization: Bearer "+text) })
	assert.Len(t, log.requests(t), 1)
}

func TestObservations(t *testing.T) {
	t.Parallel()
	var all []rest.Observation
	s := start(t, with(func(o *rest.Options) { o.Observe = func(o rest.Observation) { all = append(all, o) } }))
	s.do("PUT", sessionPath, oneMessage).is(200)
	s.do("HEAD", sessionPath, "")
	s.do("GET", "/nothing", "").is(404)
	require.Len(t, all, 3)
	assert.Equal(t, "PUT", all[0].Method)
	assert.Equal(t, "/v1/working-memory/{sid}", all[0].Route)
	assert.Equal(t, 200, all[0].Status)
	assert.EqualValues(t, len(oneMessage), all[0].BytesIn)
	assert.Positive(t, all[0].BytesOut)
	assert.Positive(t, all[0].Duration)
	assert.Equal(t, "HEAD", all[1].Method)
	assert.Zero(t, all[1].BytesOut)
	assert.Equal(t, rest.Observation{Method: "GET", Status: 404, Duration: all[2].Duration, BytesOut: all[2].BytesOut}, all[2])
}
