package rest_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const memoryPath = "/v1/long-term-memory"

const twoMemories = `{"memories":[
	{"id":"m-1","text":"Anna prefers short answers","topics":["style"],"user_id":"anna","persisted_at":"2020-01-01T00:00:00Z"},
	{"id":"m-2","text":"The warehouse is in Hamburg","memory_type":"semantic","user_id":"anna"}],"deduplicate":"true"}`

func TestWithoutLongTermMemory(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, c := range [][3]string{
		{"POST", "/", twoMemories}, {"POST", "/search", `{"text":"x"}`}, {"GET", "/m-1", ""}, {"PATCH", "/m-1", `{"text":"x"}`},
		{"DELETE", "?memory_ids=m-1", ""}, {"POST", "/compact", ""}, {"POST", "/forget", `{"policy":{}}`},
	} {
		s.do(c[0], memoryPath+c[1], c[2]).fails(400, "Long-term memory is disabled")
	}
}

func TestIDsOfMemories(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm)
	for _, id := range []string{"a/b", "ä b", "..", "a?b", "search"} {
		s.do("POST", memoryPath, `{"memories":[{"id":"`+id+`","text":"fact about `+id+`"}]}`).is(200)
		assert.Equal(t, id, s.do("GET", memoryPath+"/"+escape(id), "").is(200)["id"])
		assert.Equal(t, "ok, deleted 1 memories", s.do("DELETE", memoryPath+"?memory_ids="+url.QueryEscape(id), "").is(200)["status"])
	}
	s.do("GET", memoryPath+"/a/b", "").fails(404, "Not Found")
	loc, kind := s.do("DELETE", memoryPath+"?"+strings.Repeat("memory_ids=x&", 1001), "").invalid()
	assert.Equal(t, []any{"query", "memory_ids"}, loc)
	assert.Equal(t, "too_long", kind)
}

func TestHealthAndReadiness(t *testing.T) {
	t.Parallel()
	s := start(t, withTokens)
	assert.Equal(t, map[string]any{"now": float64(s.clock.Now().UnixMilli())}, s.do("GET", "/v1/health", "").is(200))
	assert.Equal(t, map[string]any{"status": "ok"}, s.do("GET", "/v1/ready", "").is(200))
}
