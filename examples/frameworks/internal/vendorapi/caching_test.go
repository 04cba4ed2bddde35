package vendorapi_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/vendorapi"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// fields are the fields of a request that prompt caches depend on.
type fields struct {
	System json.RawMessage `json:"system"` // of Anthropic

	Messages []json.RawMessage `json:"messages"`
	Input    []json.RawMessage `json:"input"`    // of Responses
	Contents []json.RawMessage `json:"contents"` // of Gemini
}

func fieldsOf(t *testing.T, r vendorapi.Request) (f fields) {
	require.NoError(t, json.Unmarshal(r.Body, &f))
	return f
}

// list returns the messages.
func (f fields) list() []json.RawMessage {
	return append(append(f.Messages, f.Input...), f.Contents...)
}

// What is cached up to a marker in the system prompt stays cached when the block changes.
func TestSystemPromptStaysCached(t *testing.T) {
	t.Parallel()
	server := vendorapi.NewServer(newScript(t, found, found, found))
	t.Cleanup(server.Close)
	rec := knowing(t)
	for _, memory := range []*llmhttp.WorkingMemory{nil, llmhttp.New(rec, nil), llmhttp.New(rec, nil)} {
		_, err := sendMessages(t.Context(), connection{url: server.URL, memory: memory}, messagesParams(image), false)
		require.NoError(t, err)
		require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: page(2005, "Prices")}))
	}
	var systems [][]json.RawMessage
	for _, r := range server.Requests() {
		var parts []json.RawMessage
		require.NoError(t, json.Unmarshal(fieldsOf(t, r).System, &parts))
		systems = append(systems, parts)
	}
	given := systems[0]
	assert.Contains(t, string(given[len(given)-1]), "cache_control")
	for _, parts := range systems[1:] {
		require.Len(t, parts, len(given)+1)
		assert.Equal(t, given, parts[:len(given)])
		assert.Contains(t, string(parts[len(given)]), prompt.Title)
		assert.NotContains(t, string(parts[len(given)]), "cache_control")
	}
	assert.NotEqual(t, systems[1], systems[2], "the block has changed")
}

// With prompt.PlaceAppend each request begins with the messages of the one before.
func TestConversationsStayCached(t *testing.T) {
	t.Parallel()
	const turns = 6
	for name, newAgent := range agents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var replies []any
			for n := range turns {
				call := vendorapi.Call{ID: fmt.Sprintf("c%d", n), Name: "get_page", Arguments: fmt.Sprintf(`{"page_id":"page-%d"}`, 2000+n)}
				replies = append(replies, vendorapi.Reply{Calls: []vendorapi.Call{call}}, found)
			}
			server := vendorapi.NewServer(newScript(t, replies...))
			t.Cleanup(server.Close)
			s := newSetup(false, "", nil)
			s.History, s.Tools[0].Run = true, getPages
			a := newAgent(s, connection{url: server.URL, memory: newAppending(t)})
			for range turns {
				_, err := a.Say(t.Context(), "Get the next page.")
				require.NoError(t, err)
			}
			requireGrowth(t, server.Requests())
		})
	}
}

// newAppending returns a working memory that appends blocks, and has room for all of them.
func newAppending(t *testing.T) *llmhttp.WorkingMemory {
	rec, err := middleware.NewRecorder(&middleware.Options{Block: prompt.Options{Budget: 4096}})
	require.NoError(t, err)
	return llmhttp.New(rec, &llmhttp.Options{Placement: prompt.PlaceAppend})
}

var marker = regexp.MustCompile(`,?"cache_control":\{[^}]*\}`)

// requireGrowth requires that the messages of each request begin with those of the one before,
// apart from markers.
func requireGrowth(t *testing.T, requests []vendorapi.Request) {
	before := []string{}
	for i, r := range requests {
		var messages []string
		for _, m := range fieldsOf(t, r).list() {
			messages = append(messages, marker.ReplaceAllString(string(m), ""))
		}
		require.Greater(t, len(messages), len(before))
		require.Equal(t, before, messages[:len(before)], "request %d", i)
		before = messages
	}
	assert.Greater(t, strings.Count(strings.Join(before, "\n"), prompt.Title), 2)
}

// Clients mark the end of each request to be cached, so that markers move.
func TestMovingMarkers(t *testing.T) {
	t.Parallel()
	server := vendorapi.NewServer(say)
	t.Cleanup(server.Close)
	memory := newAppending(t)
	var messages []anthropic.MessageParam
	for n := range 8 {
		id := fmt.Sprintf("c%d", n)
		messages = append(messages, anthropic.NewUserMessage(anthropic.NewTextBlock("Get the next page.")),
			anthropic.NewAssistantMessage(anthropic.NewToolUseBlock(id, map[string]int{"page": n}, "get_page")),
			anthropic.NewUserMessage(anthropic.NewToolResultBlock(id, page(2000+n, fmt.Sprintf("Page %d", n)), false)))
		last := messages[len(messages)-1].Content[0].OfToolResult
		last.CacheControl = anthropic.NewCacheControlEphemeralParam()
		_, err := sendMessages(t.Context(), connection{url: server.URL, memory: memory}, anthropic.MessageNewParams{
			Model: "fake", MaxTokens: 1000, Messages: messages,
		}, false)
		require.NoError(t, err)
		last.CacheControl = anthropic.CacheControlEphemeralParam{}
		messages = append(messages, anthropic.NewAssistantMessage(anthropic.NewTextBlock("Here it is.")))
	}
	requireGrowth(t, server.Requests())
}
