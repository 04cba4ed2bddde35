package wire_test

import (
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

var newSchemas = sync.OnceValues(wire.NewSchemas)

// schemas returns the Schemas that all tests share.
func schemas(t *testing.T) *wire.Schemas {
	t.Helper()
	s, err := newSchemas()
	require.NoError(t, err)
	return s
}

func TestSchemaTakesWhatDecodeTakes(t *testing.T) {
	t.Parallel()
	known := schemas(t)
	for _, c := range []struct {
		of       reflect.Type
		required []string
	}{
		{reflect.TypeFor[wire.SessionBody](), nil},
		{reflect.TypeFor[wire.Append](), []string{"messages"}},
		{reflect.TypeFor[wire.Message](), []string{"role", "content"}},
		{reflect.TypeFor[wire.Memory](), []string{"text"}},
		{reflect.TypeFor[wire.MemoryBody](), []string{"memories"}},
		{reflect.TypeFor[wire.MemoryPatch](), nil},
		{reflect.TypeFor[wire.RecordedCall](), []string{"name"}},
		{reflect.TypeFor[wire.Search](), nil},
		{reflect.TypeFor[wire.Forget](), []string{"policy"}},
		{reflect.TypeFor[wire.PromptRequest](), []string{"query"}},
		{reflect.TypeFor[wire.EntityRef](), []string{"type", "id"}},
	} {
		s, err := known.Of(c.of)
		require.NoError(t, err)
		assert.Equal(t, c.required, s.Required, c.of.String())
		assert.Nil(t, s.AdditionalProperties, c.of.String())
		_, err = s.Resolve(nil)
		require.NoError(t, err)
	}
}

// The schema of a body accepts numbers as texts, and nulls, as the official clients send them.
func TestSchemaIsLenient(t *testing.T) {
	t.Parallel()
	known := schemas(t)
	for _, c := range []struct {
		of   reflect.Type
		body map[string]any
	}{
		{reflect.TypeFor[wire.SessionBody](), map[string]any{
			"tokens": "12", "ttl_seconds": nil, "data": nil, "context": nil, "unknown": true, "memories": nil,
			"messages":                  []any{map[string]any{"role": "user", "content": "hi", "id": nil, "created_at": 1.7e9, "discrete_memory_extracted": "f"}},
			"long_term_memory_strategy": map[string]any{"strategy": "discrete", "config": nil},
		}},
		{reflect.TypeFor[wire.Search](), map[string]any{"limit": "10", "topics": map[string]any{"any": []any{"a"}, "ne": nil}, "recency_boost": "true"}},
		{reflect.TypeFor[wire.PromptRequest](), map[string]any{"query": "q", "session": nil, "long_term_search": true}},
		{reflect.TypeFor[wire.PromptRequest](), map[string]any{"query": "q", "session": map[string]any{"session_id": "s", "context_window_max": "4000"}, "long_term_search": map[string]any{"limit": 3}}},
		{reflect.TypeFor[wire.MemoryBody](), map[string]any{"memories": []any{map[string]any{"id": "m", "text": "t", "topics": nil, "event_date": nil}}, "deduplicate": "no"}},
	} {
		s, err := known.Of(c.of)
		require.NoError(t, err)
		resolved, err := s.Resolve(nil)
		require.NoError(t, err)
		require.NoError(t, resolved.Validate(c.body), c.of.String())
	}
}

// Memories must have ids in a request that creates them, but not in a session. A caller's changes
// to a schema do not affect other callers.
func TestSchemasBelongToTheCaller(t *testing.T) {
	t.Parallel()
	known := schemas(t)
	for range 2 {
		created, err := known.Of(reflect.TypeFor[wire.MemoryBody]())
		require.NoError(t, err)
		require.Equal(t, []string{"id", "text"}, created.Properties["memories"].Items.Required)
		require.Equal(t, "string", created.Properties["memories"].Items.Properties["id"].Type, "not null")
		written, err := known.Of(reflect.TypeFor[wire.SessionBody]())
		require.NoError(t, err)
		require.Equal(t, []string{"text"}, written.Properties["memories"].Items.Required)
		require.NotNil(t, written.Properties["messages"].Items.Properties["role"])
		delete(written.Properties["messages"].Items.Properties, "role")
		delete(written.Properties, "data")
		delete(created.Properties, "memories")
	}
}
