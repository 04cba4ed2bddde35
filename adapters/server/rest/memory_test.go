package rest_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

func TestMemoriesFromTheFirstToTheLast(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm)
	ok := map[string]any{"status": "ok"}
	assert.Equal(t, ok, s.do("POST", memoryPath+"/", twoMemories).is(200))
	found := s.do("POST", memoryPath+"/search?optimize_query=false", `{"text":"short answers","limit":"5"}`).is(200)
	memories, _ := found["memories"].([]any)
	require.NotEmpty(t, memories)
	first, _ := memories[0].(map[string]any)
	assert.Equal(t, "m-1", first["id"])
	assert.Equal(t, "keyword", first["score_type"])
	assert.Contains(t, first, "dist")
	listed := s.do("POST", memoryPath+"/search", `{"limit":1}`).is(200)
	assert.EqualValues(t, 2, listed["total"])
	assert.EqualValues(t, 1, listed["next_offset"])
	assert.Equal(t, "Anna prefers short answers", s.do("GET", memoryPath+"/m-1", "").is(200)["text"])
	s.do("GET", memoryPath+"/m-1?user_id=bob", "").fails(404, "Memory with ID m-1 not found")
	assert.Equal(t, true, s.do("PATCH", memoryPath+"/m-1", `{"pinned":true,"id":"other"}`).is(200)["pinned"])
	for _, nothing := range []string{`{}`, `{"text":null}`, `{"unknown":1}`} {
		s.do("PATCH", memoryPath+"/none", nothing).fails(400, "No fields provided for update")
	}
	s.do("PATCH", memoryPath+"/none", `{"text":"x"}`).fails(404, "Memory with ID none not found")
	s.clock.Sleep(100 * 24 * time.Hour)
	dry := s.do("POST", memoryPath+"/forget", `{"policy":{"max_age_days":90}}`).is(200)
	assert.Equal(t, map[string]any{"scanned": 2.0, "deleted": 1.0, "deleted_ids": []any{"m-2"}, "dry_run": true}, dry)
	s.do("GET", memoryPath+"/m-2", "").is(200)
	assert.Equal(t, false, s.do("POST", memoryPath+"/forget?dry_run=false", `{"policy":{"max_age_days":90}}`).is(200)["dry_run"])
	s.do("GET", memoryPath+"/m-2", "").is(404)
	assert.Equal(t, "ok, 1 memories remaining after compaction", s.do("POST", memoryPath+"/compact", "").is(200)["status"])
	assert.Equal(t, "ok, deleted 1 memories", s.do("DELETE", memoryPath+"?memory_ids=m-1&memory_ids=m-2&memory_ids=m-1", "").is(200)["status"])
	assert.Equal(t, "ok, deleted 0 memories", s.do("DELETE", memoryPath+"/", "").is(200)["status"])
}

// The namespace, the user and the session of a query narrow each route down, alone and together.
func TestQueriesNarrowMemoriesDown(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm)
	const one = `{"memories":[{"id":"m","text":"tea","session_id":"s"}]}`
	fill := func() {
		for _, owner := range []string{"", "?namespace=a", "?user_id=u", "?namespace=a&user_id=u"} {
			s.do("POST", memoryPath+owner, one).is(200)
		}
	}
	fill()
	for query, found := range map[string]bool{
		"": false, "namespace=a": false, "user_id=u": false, "namespace=": false, "user_id=": false, "namespace=b": false,
		"namespace=&user_id=": true, "namespace=a&user_id=": true, "namespace=a&user_id=u": true, "user_id=u&namespace=": true, "namespace=a&user_id=v": false,
	} {
		want := map[bool]int{true: 200, false: 404}[found]
		s.do("GET", memoryPath+"/m?"+query, "").is(want)
		s.do("PATCH", memoryPath+"/m?"+query, `{"pinned":false}`).is(want)
		deleted := map[bool]string{true: "ok, deleted 1 memories", false: "ok, deleted 0 memories"}[found]
		assert.Equal(t, deleted, s.do("DELETE", memoryPath+"?memory_ids=m&"+query, "").is(200)["status"], query)
		fill()
	}
	for query, n := range map[string]int{
		"": 4, "namespace=a": 2, "user_id=u": 2, "namespace=": 2, "namespace=a&user_id=u": 1, "namespace=b": 0, "session_id=s": 4, "session_id=t": 0, "session_id=s&user_id=u": 2, "limit=3": 3,
	} {
		forgotten := s.do("POST", memoryPath+"/forget?"+query, `{"policy":{"budget":0}}`).is(200)
		assert.EqualValues(t, n, forgotten["deleted"], query)
		if !strings.Contains(query, "session_id") && !strings.Contains(query, "limit") {
			status := s.do("POST", memoryPath+"/compact?"+query, "").is(200)["status"]
			assert.Equal(t, fmt.Sprintf("ok, %d memories remaining after compaction", n), status, query)
		}
	}
	assert.EqualValues(t, 4, s.do("POST", memoryPath+"/search", `{}`).is(200)["total"], "it was a dry run")
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

func TestMemoriesThatAreWrong(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm)
	for _, body := range []string{
		`{}`, `{"memories":[{"text":"x"}]}`, `{"memories":[{"id":"a","text":""}]}`, `{"memories":[{"id":"","text":"x"}]}`, `{"memories":[{"id":"a"}]}`,
		`{"memories":[{"id":"a","text":"x","entities":["a,b"]}]}`, `{"memories":"x"}`, `{"memories":[{"id":"a","text":"x","memory_type":"odd"}]}`,
	} {
		loc, _ := s.do("POST", memoryPath, body).invalid()
		assert.Equal(t, "body", loc[0], body)
	}
	for _, body := range []string{
		`{"limit":0}`, `{"limit":101}`, `{"offset":-1}`, `{"search_mode":"odd"}`, `{"hybrid_alpha":2}`, `{"topics":{"any":[]}}`, `{"user_id":{"eq":"a","ne":"b"}}`,
		`{"topics":{"any":["a"],"all":["b"]}}`, `{"namespace":{"startswith":""}}`, `{"created_at":{"gte":"yesterday"}}`,
	} {
		loc, _ := s.do("POST", memoryPath+"/search", body).invalid()
		assert.Equal(t, "body", loc[0], body)
	}
	s.do("POST", memoryPath+"/search", `{"text":"x","search_mode":"keyword","distance_threshold":0.5}`).is(400)
	for _, query := range []string{"limit=0", "limit=x", "dry_run=maybe", "limit=10001"} {
		loc, _ := s.do("POST", memoryPath+"/forget?"+query, `{"policy":{}}`).invalid()
		assert.Equal(t, "query", loc[0], query)
	}
	s.do("POST", memoryPath+"/forget?limit=10000", `{"policy":{}}`).is(200)
	loc, _ := s.do("POST", memoryPath+"/forget", `{}`).invalid()
	assert.Equal(t, []any{"body", "policy"}, loc)
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm)
	s.do("PUT", sessionPath+"?user_id=anna", oneMessage).is(200)
	s.do("POST", memoryPath, twoMemories).is(200)
	got := s.do("POST", "/v1/memory/prompt", `{"query":"Where is the warehouse?","session":{"session_id":"s","user_id":"anna","context_window_max":"4000"},"long_term_search":true}`).is(200)
	messages, _ := got["messages"].([]any)
	require.Len(t, messages, 3)
	last, _ := messages[2].(map[string]any)
	assert.Equal(t, map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": "Where is the warehouse?"}}, last)
	assert.NotEmpty(t, got["long_term_memories"])
	s.do("POST", "/v1/memory/prompt", `{"query":"x"}`).fails(400, "Either session or long_term_search must be provided")
	assert.Len(t, s.do("POST", "/v1/memory/prompt", `{"query":"x","session":{"session_id":"none"}}`).is(200)["messages"], 1)
	loc, _ := s.do("POST", "/v1/memory/prompt", `{"session":{"session_id":"s"}}`).invalid()
	assert.Equal(t, []any{"body", "query"}, loc)
}
