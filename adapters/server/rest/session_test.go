package rest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHealthAndReadiness(t *testing.T) {
	t.Parallel()
	s := start(t, withTokens)
	assert.Equal(t, map[string]any{"now": float64(s.clock.Now().UnixMilli())}, s.do("GET", "/v1/health", "").is(200))
	assert.Equal(t, map[string]any{"status": "ok"}, s.do("GET", "/v1/ready", "").is(200))
}

func TestListingSessions(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Equal(t, map[string]any{"sessions": []any{}, "total": 0.0}, s.do("GET", "/v1/working-memory/", "").is(200))
	for i := range 25 {
		s.do("PUT", fmt.Sprintf("/v1/working-memory/s%02d?namespace=n%d&user_id=u%d", i, i%2, i%5), oneMessage).is(200)
	}
	for query, want := range map[string][2]int{
		"": {20, 25}, "limit=100": {25, 25}, "limit=1": {1, 25}, "limit=100&offset=20": {5, 25}, "offset=30": {0, 25},
		"namespace=n0&limit=100": {13, 13}, "user_id=u1&limit=100": {5, 5}, "namespace=n0&user_id=u0": {3, 3}, "namespace=none": {0, 0},
		"limit=5&limit=2": {2, 25}, "unknown=1": {20, 25},
	} {
		got := s.do("GET", "/v1/working-memory/?"+query, "").is(200)
		assert.Len(t, got["sessions"], want[0], query)
		assert.EqualValues(t, want[1], got["total"], query)
	}
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=101": "limit", "limit=-1": "limit", "limit=x": "limit", "limit=1.5": "limit", "limit=99999999999999999999": "limit",
		"offset=-1": "offset", "offset=x": "offset", "limit=": "limit",
	} {
		loc, _ := s.do("GET", "/v1/working-memory/?"+query, "").invalid()
		assert.Equal(t, []any{"query", field}, loc, query)
	}
}

func TestWritingAndReadingASession(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.do("GET", sessionPath, "").fails(404, "Session s not found")
	put := s.do("PUT", sessionPath+"?namespace=shop&user_id=anna&context_window_max=1000", oneMessage)
	body := put.is(200)
	assert.Equal(t, "s", body["session_id"])
	assert.Equal(t, "shop", body["namespace"])
	assert.Equal(t, map[string]any{}, body["data"])
	assert.Equal(t, []any{}, body["memories"])
	assert.NotNil(t, body["context_percentage_total_used"])
	assert.Empty(t, put.Header().Get("X-Deprecation-Warning"))
	assert.Equal(t, fmt.Sprintf(`"%d"`, int64(body["version"].(float64))), put.Header().Get("ETag"))
	got := s.do("GET", sessionPath, "")
	assert.Equal(t, put.Header().Get("ETag"), got.Header().Get("ETag"))
	assert.Len(t, got.is(200)["messages"], 1)
	s.do("GET", sessionPath+"?namespace=other", "").is(404)
	s.do("PUT", sessionPath+"?namespace=shop&user_id=anna", `{"session_id":"other","messages":[],"data":null,"context":"before","tokens":"7","unknown":{}}`).is(200)
	assert.Empty(t, s.do("GET", sessionPath, "").is(200)["messages"])
	assert.Equal(t, map[string]any{"status": "ok"}, s.do("DELETE", sessionPath, "").is(200))
	assert.Equal(t, map[string]any{"status": "ok"}, s.do("DELETE", sessionPath, "").is(200))
	s.do("GET", sessionPath, "").is(404)
}

func TestMessagesThatAreWrong(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.do("PUT", sessionPath, `{"messages":[{"role":"user","content":"hello"}]}`)
	got.is(200)
	assert.Equal(t, "messages[].created_at will become required in the next major version. Please provide timestamps for all messages.", got.Header().Get("X-Deprecation-Warning"))
	s.do("PUT", sessionPath, `{"messages":[{"id":"m","role":"user","content":" "}]}`).fails(400, "Message content cannot be empty (message ID: m)")
	loc, kind := s.do("PUT", sessionPath, `{"messages":[{"role":"user","content":"x","created_at":"2026-01-02T15:10:05Z"}]}`).invalid()
	assert.Equal(t, "value_error", kind)
	assert.Equal(t, []any{"body", "messages", 0.0}, loc[:3])
	for _, body := range []string{
		`{"messages":[{"content":"x"}]}`, `{"messages":[{"role":"user"}]}`, `{"messages":[1]}`, `{"memories":[{"text":""}]}`,
		`{"memories":[{"id":"","text":"x"}]}`, `{"memories":[{"text":"x","topics":["a,b"]}]}`, `{"ttl_seconds":0}`, `{"ttl_seconds":-5}`,
		`{"ttl_seconds":99999999999}`, `{"data":[]}`, `{"context":1}`,
	} {
		loc, _ := s.do("PUT", sessionPath, body).invalid()
		assert.Equal(t, "body", loc[0], body)
	}
	for _, query := range []string{"context_window_max=-1", "context_window_max=x", "ttl_seconds=0", "ttl_seconds=3153600001"} {
		loc, _ := s.do("PUT", sessionPath+"?"+query, oneMessage).invalid()
		assert.Equal(t, "query", loc[0], query)
	}
}

func TestRecentMessagesAndWindows(t *testing.T) {
	t.Parallel()
	s := start(t)
	var messages []string
	for i := range 8 {
		messages = append(messages, fmt.Sprintf(`{"role":"user","content":"message number %d","created_at":"2026-01-02T15:04:0%dZ"}`, i, i))
	}
	s.do("PUT", sessionPath, `{"messages":[`+strings.Join(messages, ",")+`]}`).is(200)
	for query, n := range map[string]int{
		"recent_messages_limit=3": 3, "recent_messages_limit=0": 8, "recent_messages_limit=-1": 8, "context_window_max=1": 1,
		"context_window_max=1000": 8, "context_window_max=0": 8, "model_name=gpt-4o": 8, "model_name=nobody-knows": 8,
	} {
		assert.Len(t, s.do("GET", sessionPath+"?"+query, "").is(200)["messages"], n, query)
	}
	assert.Nil(t, s.do("GET", sessionPath+"?context_window_max=0", "").is(200)["context_percentage_total_used"], "as clients of agent-memory-server know it")
}

func TestConditions(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.do("PUT", sessionPath, oneMessage, "If-Match: *").is(412)
	first := s.do("PUT", sessionPath, oneMessage, "If-None-Match: *").Header().Get("ETag")
	s.do("PUT", sessionPath, oneMessage, "If-None-Match: *").fails(412, "Session s has changed")
	second := s.do("PUT", sessionPath, `{"context":"new"}`, `If-Match: "x", W/"y"`, "If-Match: "+first).Header().Get("ETag")
	require.NotEmpty(t, second)
	assert.NotEqual(t, first, second)
	s.do("PUT", sessionPath, `{"context":"newer"}`, "If-Match: "+first).is(412)
	s.do("DELETE", sessionPath, "", "If-Match: "+first).is(412)
	for _, none := range []string{"If-Match: ", "If-Match:   ", "If-Match: \"\"", "If-Match: ,"} {
		s.do("PUT", sessionPath, `{"context":"newest"}`, none).fails(412, "Session s has changed")
		s.do("DELETE", sessionPath, "", none).is(412)
	}
	assert.Equal(t, "new", s.do("GET", sessionPath, "").is(200)["context"])
	s.do("DELETE", sessionPath, "", "If-Match: "+second).is(200)
}

func TestSessionsExpire(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.do("PUT", sessionPath, `{"ttl_seconds":"60"}`).is(200)
	s.do("PUT", "/v1/working-memory/q?ttl_seconds=60", `{}`).is(200)
	s.clock.Sleep(59 * time.Second)
	s.do("GET", sessionPath, "").is(200)
	s.clock.Sleep(2 * time.Second)
	s.do("GET", sessionPath, "").is(404)
	s.do("GET", "/v1/working-memory/q", "").is(404)
	assert.Equal(t, 0.0, s.do("GET", "/v1/working-memory", "").is(200)["total"])
}

func TestAppending(t *testing.T) {
	t.Parallel()
	s := start(t)
	one := `{"messages":[{"id":"m-1","role":"user","content":"hello","created_at":"2026-01-02T15:04:05Z"}]}`
	assert.Len(t, s.do("POST", sessionPath+"/messages", one).is(200)["messages"], 1)
	assert.Len(t, s.do("POST", sessionPath+"/messages/", one).is(200)["messages"], 1)
	got := s.do("POST", sessionPath+"/messages", strings.ReplaceAll(one, "m-1", "m-2"), "Prefer: respond-async, Return=minimal; x=1")
	assert.Empty(t, got.is(200)["messages"])
	assert.Equal(t, "return=minimal", got.Header().Get("Preference-Applied"))
	assert.NotEmpty(t, got.Header().Get("ETag"))
	got = s.do("POST", sessionPath+"/messages", one, "Prefer: return=representation, return=minimal")
	assert.Len(t, got.is(200)["messages"], 2)
	assert.Empty(t, got.Header().Get("Preference-Applied"))
	loc, _ := s.do("POST", sessionPath+"/messages", `{}`).invalid()
	assert.Equal(t, []any{"body", "messages"}, loc)
	s.do("POST", sessionPath+"/summarize", "").is(200)
}

func TestToolCallsEntitiesAndBlocks(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.do("GET", sessionPath+"/entities", "").fails(404, "Session s not found")
	block := s.do("GET", sessionPath+"/block", "")
	assert.Equal(t, 200, block.Code)
	assert.Empty(t, block.Body.String())
	recorded := s.do("POST", sessionPath+"/tool-calls", `{"name":"create_ad","arguments":"{}","result":{"id":"ad-17","name":"Spring"}}`).is(200)
	require.Len(t, recorded["entities"], 1)
	assert.Equal(t, []any{}, recorded["removed"])
	s.do("POST", sessionPath+"/tool-calls", `{"name":"create_ad","result":"{\"id\":\"ad-18\",\"name\":\"Autumn\"}"}`).is(200)
	assert.Len(t, s.do("GET", sessionPath+"/entities/", "").is(200)["entities"], 2)
	block = s.do("GET", sessionPath+"/block?budget=2000", "")
	assert.Equal(t, "text/plain; charset=utf-8", block.Header().Get("Content-Type"))
	assert.Contains(t, block.Body.String(), "[WORKING MEMORY]")
	assert.Contains(t, block.Body.String(), "ad-18")
	decisions := s.do("GET", sessionPath+"/decisions", "").is(200)
	assert.Len(t, decisions["entities"], 2)
	s.do("GET", "/v1/working-memory/none/decisions", "").fails(404, "Session none not found")
	for _, query := range []string{"budget=-1", "budget=x"} {
		loc, _ := s.do("GET", sessionPath+"/block?"+query, "").invalid()
		assert.Equal(t, []any{"query", "budget"}, loc)
	}
	loc, _ := s.do("POST", sessionPath+"/tool-calls", `{"result":1}`).invalid()
	assert.Equal(t, []any{"body", "name"}, loc)
}

func TestTheSameIDOfTwoOwners(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.do("PUT", sessionPath+"?namespace=a", oneMessage).is(200)
	s.do("PUT", sessionPath, `{"namespace":"b","messages":[]}`).is(200)
	s.do("GET", sessionPath, "").is(404)
	s.do("DELETE", sessionPath, "")
	assert.Len(t, s.do("GET", sessionPath+"?namespace=a", "").is(200)["messages"], 1)
	assert.Empty(t, s.do("GET", sessionPath+"?namespace=b", "").is(200)["messages"])
}
