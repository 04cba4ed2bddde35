package rest_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
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
	for _, c := range [][3]string{
		{"POST", "", `{"source":"long_term"}`}, {"GET", "", ""}, {"GET", "/v", ""}, {"DELETE", "/v", ""},
		{"POST", "/v/partitions/run", `{"group":{}}`}, {"GET", "/v/partitions", ""}, {"POST", "/v/run", `{}`},
	} {
		s.do(c[0], "/v1/summary-views"+c[1], c[2]).fails(400, "Long-term memory is disabled")
	}
	s.do("GET", "/v1/tasks/t", "").fails(400, "Long-term memory is disabled")
	memory, err := longterm.New(memindex.New(nil), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memory.Close(context.Background())) })
	start(t, with(func(o *rest.Options) { o.Memory = memory })).do("GET", "/v1/summary-views", "").fails(400, "Summary views are disabled")
}

func TestHealthAndReadiness(t *testing.T) {
	t.Parallel()
	s := start(t, withTokens)
	assert.Equal(t, map[string]any{"now": float64(s.clock.Now().UnixMilli())}, s.do("GET", "/v1/health", "").is(200))
	assert.Equal(t, "ok", s.do("GET", "/v1/ready", "").is(200)["status"])
}

func TestMessagesWithoutATimeAreWarnedAbout(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Empty(t, s.do("PUT", sessionPath, oneMessage).Header().Get("X-Deprecation-Warning"))
	warning := s.do("PUT", sessionPath, `{"messages":[{"role":"user","content":"hello"}]}`).Header().Get("X-Deprecation-Warning")
	assert.Equal(t, "messages[].created_at will become required in the next major version. Please provide timestamps for all messages.", warning)
}

// The document of the API declares its groups, and names a component wherever its type occurs, also
// where it may be null.
func TestComponentsAreReferenced(t *testing.T) {
	t.Parallel()
	doc := start(t).do("GET", "/openapi.json", "").Body.Bytes()
	var spec struct {
		Tags       []struct{ Name string }
		Components struct {
			Schemas map[string]struct{ Properties map[string]json.RawMessage }
		}
	}
	require.NoError(t, json.Unmarshal(doc, &spec))
	assert.Len(t, spec.Tags, 5)
	schemas := spec.Components.Schemas
	for name := range schemas {
		assert.Contains(t, string(doc), `"#/components/schemas/`+name+`"`)
	}
	assert.Contains(t, string(schemas["PromptRequest"].Properties["session"]), `"anyOf":[{"$ref":"#/components/schemas/PromptSession"},{"type":"null"}]`)
	assert.NotContains(t, string(schemas["Session"].Properties["long_term_memory_strategy"]), "anyOf")
}
