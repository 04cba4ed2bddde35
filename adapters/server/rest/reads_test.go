package rest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// Every route counts what it reads before decoding it. A read that can never fit is refused for
// good.
func TestReadsCountBeforeTheyAreMade(t *testing.T) {
	t.Parallel()
	store, index := memstore.New(nil), memindex.New(nil)
	shared := func(o *setup) {
		o.store = store
		memory, err := longterm.New(index, nil)
		if err != nil {
			panic(err)
		}
		o.rest.Memory = memory
	}
	writer := start(t, shared)
	writer.do("PUT", sessionPath+"?context_window_max=1000000", `{"messages":[{"id":"m","role":"user","content":"`+strings.Repeat("word ", 60_000)+`","created_at":"2026-01-02T15:04:05Z"}]}`).is(200)
	writer.do("PUT", "/v1/working-memory/many", `{"data":{"many":[`+strings.TrimSuffix(strings.Repeat("{},", 3000), ",")+`]}}`).is(200)
	writer.do("POST", "/v1/long-term-memory", `{"memories":[{"id":"l-1","text":"tea `+strings.Repeat("x", 300_000)+`"}]}`).is(200)

	s := start(t, shared, with(func(o *rest.Options) { o.MaxBodiesBytes = 700_000 }))
	for _, c := range []struct{ method, path, body string }{
		{"GET", sessionPath, ""},
		{"HEAD", sessionPath, ""},
		{"GET", sessionPath + "?recent_messages_limit=1", ""},
		{"PUT", sessionPath, `{}`},
		{"POST", sessionPath + "/messages", `{"messages":[]}`},
		{"POST", sessionPath + "/summarize", ""},
		{"POST", "/v1/memory/prompt", `{"query":"?","session":{"session_id":"s"}}`},
		{"GET", "/v1/working-memory/many", ""}, // 9 KB, and a hundred times as much when decoded
		{"GET", "/v1/working-memory/many/entities", ""},
		{"GET", "/v1/working-memory/many/block", ""},
		{"GET", "/v1/working-memory/many/decisions", ""},
		{"POST", "/v1/working-memory/many/tool-calls", `{"name":"get_page","result":{"id":"page-1"}}`},
		{"POST", "/v1/long-term-memory/search", `{"text":"tea"}`},
		{"POST", "/v1/memory/prompt", `{"query":"tea","long_term_search":{}}`},
	} {
		got := s.do(c.method, c.path, c.body)
		assert.Equal(t, 413, got.Code, "%s %s %s", c.method, c.path, got.Body)
		assert.NotContains(t, got.Body.String(), "word")
	}
	s.do("GET", sessionPath+"/entities", "").is(200) // without its messages it is small
	s.do("GET", "/v1/working-memory", "").is(200)
}

// A write that cannot read the session for its answer says that it was done.
func TestAppendsWithoutRoomForTheAnswer(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	start(t, func(o *setup) { o.store = store }).do("PUT", sessionPath, contextOf(300_000)).is(200)
	s := start(t, func(o *setup) { o.store = store }, with(func(o *rest.Options) { o.MaxBodiesBytes = 700_000 }))
	s.do("POST", sessionPath+"/messages", oneMessage).fails(413, "Read would take too much memory: ask for less; the messages have been appended")
	got := start(t, func(o *setup) { o.store = store }).do("GET", sessionPath, "").is(200)
	assert.Len(t, got["messages"], 1)
}
