package service_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

var here = service.WriteView{Ref: service.Ref{SessionID: "s"}}

// newService returns a service with a long-term memory.
func newService(t *testing.T) *service.Service {
	t.Helper()
	memories, err := longterm.New(memindex.New(nil), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memories.Close(t.Context())) })
	manager, err := session.NewManager(memstore.New(nil), nil)
	require.NoError(t, err)
	s, err := service.New(manager, &service.Options{Memory: memories})
	require.NoError(t, err)
	return s
}

func said(id, text string) session.Message {
	return session.Message{ID: id, Role: session.RoleUser, Content: text}
}

// invalid returns the paths and problems of an Invalid.
func invalid(t *testing.T, err error) map[string]service.Problem {
	t.Helper()
	var e *service.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, service.Invalid, e.Kind)
	found := map[string]service.Problem{}
	for _, f := range e.Fields {
		require.NotEmpty(t, f.Message)
		found[strings.Join(f.Path, ".")] = f.Problem
	}
	return found
}

func TestMistakesHavePaths(t *testing.T) {
	t.Parallel()
	s, long := newService(t), strings.Repeat("x", service.MaxIDBytes+1)
	bad := session.Message{Role: "", ID: long, CreatedAt: time.Now().Add(time.Hour), ToolCalls: []session.ToolCall{{Name: long}}}
	view := here
	view.Namespace, view.TTLSeconds = &long, new(int64)
	_, err := s.PutSession(t.Context(), service.Tenant{}, view, &service.SessionWrite{
		Messages: []session.Message{said("1", "x"), bad}, Strategy: &session.StrategyConfig{Name: "guess"},
		Memories: []session.Record{{Text: "x", Topics: []string{"a,b"}, AccessCount: -1}}, Entities: &[]memory.Entity{{}},
	})
	assert.Equal(t, map[string]service.Problem{
		"namespace": service.TooLong, "ttl_seconds": service.TooSmall, "long_term_memory_strategy.strategy": service.NotListed,
		"messages.1.role": service.TooShort, "messages.1.id": service.TooLong, "messages.1": service.Unfit, "messages.1.tool_calls.0.name": service.TooLong,
		"memories.0.topics": service.Unfit, "memories.0.access_count": service.TooSmall, "entities.0.id": service.TooShort,
	}, invalid(t, err))

	_, err = s.AppendMessages(t.Context(), service.Tenant{}, service.WriteView{}, []session.Message{said("1", "x")})
	assert.Equal(t, map[string]service.Problem{"session_id": service.TooShort}, invalid(t, err))
	_, err = s.Prompt(t.Context(), service.Tenant{}, &service.PromptRequest{Query: "q", Session: &service.PromptSession{Ref: service.Ref{SessionID: long}}})
	assert.Equal(t, map[string]service.Problem{"session.session_id": service.TooLong}, invalid(t, err))
	_, err = s.AppendMessages(t.Context(), service.Tenant{}, here, make([]session.Message, 1000))
	assert.Len(t, invalid(t, err), 100, "no more than that")
	_, err = s.RecordToolCall(t.Context(), service.Tenant{}, here.Ref, middleware.ToolCall{ID: long}, service.Rewriting{})
	assert.Equal(t, map[string]service.Problem{"id": service.TooLong, "name": service.TooShort}, invalid(t, err))
	_, err = s.RecordToolCall(t.Context(), service.Tenant{}, here.Ref, middleware.ToolCall{Name: long}, service.Rewriting{})
	assert.Equal(t, map[string]service.Problem{"name": service.TooLong}, invalid(t, err))
	_, err = s.DeleteMemories(t.Context(), service.Tenant{}, make([]string, service.MaxIDs), nil, nil)
	require.NoError(t, err, "limits are inclusive")
	_, err = s.SearchMemories(t.Context(), service.Tenant{}, &service.Search{Limit: new(int64(101)), Mode: new("fast")})
	assert.Equal(t, map[string]service.Problem{"limit": service.TooBig, "search_mode": service.NotListed}, invalid(t, err))
	_, err = s.DeleteMemories(t.Context(), service.Tenant{}, make([]string, service.MaxIDs+1), nil, nil)
	assert.Equal(t, map[string]service.Problem{"memory_ids": service.TooMany}, invalid(t, err))
	_, err = s.ForgetMemories(t.Context(), service.Tenant{}, nil, nil, &service.Forget{PinnedIDs: make([]string, service.MaxIDs+1), Limit: 1})
	assert.Equal(t, map[string]service.Problem{"pinned_ids": service.TooMany}, invalid(t, err))
	_, err = s.AppendMessages(t.Context(), service.Tenant{}, service.WriteView{Ref: service.Ref{SessionID: "\xff"}}, nil)
	assert.Equal(t, map[string]service.Problem{"session_id": service.NotUTF8}, invalid(t, err))
	_, err = s.ListSessions(t.Context(), service.Tenant{}, nil, nil, 0, -1)
	assert.Equal(t, map[string]service.Problem{"limit": service.TooSmall, "offset": service.TooSmall}, invalid(t, err))
	err = s.CreateMemories(t.Context(), service.Tenant{}, nil, nil, []longterm.Record{{ID: "a", Text: "x"}, {Text: " "}}, false)
	assert.Equal(t, map[string]service.Problem{"": service.Unfit}, invalid(t, err))
}

// Fields that a caller leaves out are kept unless they were cleared.
func TestClearedFields(t *testing.T) {
	t.Parallel()
	s := newService(t)
	put := func(w *service.SessionWrite) *service.Session {
		written, err := s.PutSession(t.Context(), service.Tenant{}, here, w)
		require.NoError(t, err)
		return written
	}
	full, plain := said("1", "x"), said("1", "x")
	full.Name, full.Reasoning, full.Extracted = "anna", "hm", true
	memories := []session.Record{{ID: "m", Text: "x"}}
	put(&service.SessionWrite{Messages: []session.Message{full}, Memories: []session.Record{{ID: "m", Text: "x", Pinned: true}}})
	kept := put(&service.SessionWrite{Messages: []session.Message{plain}, Memories: memories})
	assert.Equal(t, "anna", kept.Messages[0].Name)
	assert.True(t, kept.Messages[0].Extracted)
	assert.True(t, kept.Memories[0].Pinned)
	cleared := put(&service.SessionWrite{
		Messages: []session.Message{plain}, Cleared: map[int][]string{0: {"name"}},
		Memories: memories, Unpinned: map[int]bool{0: true},
	})
	assert.Empty(t, cleared.Messages[0].Name)
	assert.Equal(t, "hm", cleared.Messages[0].Reasoning)
	assert.False(t, cleared.Memories[0].Pinned)
}
