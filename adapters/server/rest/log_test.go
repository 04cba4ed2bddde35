package rest_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
)

// requests returns the records of requests in a log of JSON lines.
func requests(t *testing.T, log *syncbuffer.Buffer) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(log.String()) {
		var one map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &one))
		if one["msg"] == "rest: request" {
			all = append(all, one)
		}
	}
	return all
}

func logged(r *syncbuffer.Buffer) option {
	return with(func(o *rest.Options) {
		o.Logger = slog.New(slog.NewJSONHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
}

func TestOneRecordForEachRequest(t *testing.T) {
	t.Parallel()
	log := new(syncbuffer.Buffer)
	s := start(t, withTokens, logged(log))
	text, id := s.token(auth.Tenant{}, 0)
	s.do("PUT", "/v1/working-memory/my-session/", oneMessage, "Authorization: Bearer "+text, "X-Request-Id: r-1").is(200)
	s.do("GET", "/nothing/here", "").is(404)
	s.do("BREW", "/v1/health", "").is(405)
	s.do("GET", "/v1/working-memory/my-session", "").is(401)
	all := requests(t, log)
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
	log := new(syncbuffer.Buffer)
	s := start(t, withTokens, withLongTerm, logged(log))
	text, _ := s.token(auth.Tenant{Namespace: "private-namespace"}, 0)
	for _, route := range s.handler.Routes() {
		path := strings.NewReplacer("{sid}", "private-id", "{id}", "private-id", "{view_id}", "private-id", "{task_id}", "private-id").Replace(route.Pattern)
		for _, target := range []string{path, path + "?namespace=private-namespace&user_id=private-user&limit=private-limit", path + "/private-more"} {
			for _, body := range []string{"", `{"private-field":`, `{"memories":[{"id":"private-memory","text":"private-text"}]}`, `{"name":"x","result":"private-result","text":"private-search","query":"private-query","long_term_search":true}`} {
				s.do(route.Method, target, body, "Authorization: Bearer "+text, "Cookie: private-cookie")
				s.do(route.Method, target, body, "Authorization: Bearer private-token")
			}
		}
	}
	s.do("GET", "/private-path?private-query=1", "").is(404)
	assert.Greater(t, len(requests(t, log)), 200)
	assert.NotContains(t, log.String(), "private")
	secret := text[strings.LastIndex(text, "_")+1:]
	assert.NotContains(t, log.String(), secret)
}

func TestPanicsAreLoggedWithoutTheirValue(t *testing.T) {
	t.Parallel()
	text, _ := start(t).token(auth.Tenant{}, 0)
	for name, value := range map[string]any{"text": "private words", "error": assert.AnError} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, seen := new(syncbuffer.Buffer), make(chan rest.Observation, 1)
			s := start(t, logged(log), failingTokens(func(context.Context) (auth.Token, error) {
				panic(value)
			}), with(func(o *rest.Options) { o.Observe = func(o rest.Observation) { seen <- o } }))
			s.do("GET", sessionPath, "", "Authorization: Bearer "+text).fails(500, "Internal Server Error")
			assert.NotContains(t, log.String(), "private")
			assert.NotContains(t, log.String(), assert.AnError.Error())
			assert.Contains(t, log.String(), "stack")
			assert.Equal(t, 500, (<-seen).Status)
			require.Len(t, requests(t, log), 1)
			assert.Equal(t, "ERROR", requests(t, log)[0]["level"])
		})
	}
}

func TestAbortedHandlersStayAborted(t *testing.T) {
	t.Parallel()
	log := new(syncbuffer.Buffer)
	text, _ := start(t).token(auth.Tenant{}, 0)
	s := start(t, logged(log), failingTokens(func(context.Context) (auth.Token, error) { panic(http.ErrAbortHandler) }))
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { s.do("GET", sessionPath, "", "Authorization: Bearer "+text) })
	assert.Len(t, requests(t, log), 1)
}
