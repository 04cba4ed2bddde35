package vendorapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/vendorapi"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// newScript returns a model that gives prepared replies: each a vendorapi.Reply or an error.
func newScript(tb testing.TB, replies ...any) vendorapi.Model {
	var mu sync.Mutex
	return func(context.Context, vendorapi.Request) (vendorapi.Reply, error) {
		mu.Lock()
		defer mu.Unlock()
		if len(replies) == 0 {
			tb.Error("a request more than the script has")
			return vendorapi.Reply{Text: "The script has ended."}, nil
		}
		next := replies[0]
		replies = replies[1:]
		if err, ok := next.(error); ok {
			return vendorapi.Reply{}, err
		}
		return next.(vendorapi.Reply), nil
	}
}

var (
	getPage = vendorapi.Reply{Calls: []vendorapi.Call{{ID: "c1", Name: "get_page", Arguments: `{"page_id":"page-2002"}`}}}
	found   = vendorapi.Reply{Text: "Found it."}
)

// newSetup returns a setup whose only tool is get_page, with one result.
func newSetup(stream bool, result string, err error) adaptertest.Setup {
	return adaptertest.Setup{System: "You edit a website.", Stream: stream, Tools: []adaptertest.Tool{{
		Name: "get_page", Run: func(context.Context, string) ([]string, error) { return []string{result}, err },
	}}}
}

// A client sends a request again after some failures. The calls in it are recorded once, and the
// request is the same.
func TestRetries(t *testing.T) {
	t.Parallel()
	for name, newAgent := range agents {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s stream=%v", name, stream), func(t *testing.T) {
				t.Parallel()
				overloaded := errors.New("overloaded")
				server := vendorapi.NewServer(newScript(t, overloaded, getPage, overloaded, overloaded, found))
				t.Cleanup(server.Close)
				rec := adaptertest.NewRecord(t)
				a := newAgent(newSetup(stream, page(2002, "Home"), nil), connection{url: server.URL, memory: llmhttp.New(rec.Recorder, nil), retries: 2})
				answer, err := a.Say(t.Context(), "Get the home page.")
				require.NoError(t, err)
				assert.Equal(t, found.Text, answer)
				assert.Len(t, rec.Calls(), 1)
				requests := server.Requests()
				require.Len(t, requests, 5)
				assert.Equal(t, string(requests[0].Body), string(requests[1].Body))
				assert.Contains(t, string(requests[2].Body), prompt.Title)
				assert.Equal(t, string(requests[2].Body), string(requests[3].Body))
				assert.Equal(t, string(requests[2].Body), string(requests[4].Body))
			})
		}
	}
}

// Anthropic and Gemini say which results are failures. Those of OpenAI are results.
func TestFailedCalls(t *testing.T) {
	t.Parallel()
	for name, newAgent := range agents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := vendorapi.NewServer(newScript(t, getPage, found))
			t.Cleanup(server.Close)
			rec := adaptertest.NewRecord(t)
			a := newAgent(newSetup(false, "", errors.New("no such page")), connection{url: server.URL, memory: llmhttp.New(rec.Recorder, nil)})
			_, err := a.Say(t.Context(), "Get the home page.")
			require.NoError(t, err)
			require.Len(t, rec.Calls(), 1)
			call := rec.Calls()[0]
			assert.Equal(t, "get_page", call.Name)
			assert.Equal(t, "c1", call.ID)
			assert.JSONEq(t, `{"page_id":"page-2002"}`, call.Arguments.(string))
			switch name {
			case chatAgent, responsesAgent:
				assert.Equal(t, "error: no such page", call.Result)
				assert.NoError(t, call.Err)
			default:
				assert.Nil(t, call.Result)
				assert.ErrorContains(t, call.Err, "no such page")
			}
		})
	}
}

// With previous_response_id the server has the calls, and the request only their results.
func TestPreviousResponse(t *testing.T) {
	t.Parallel()
	server := vendorapi.NewServer(newScript(t, getPage, found, found))
	t.Cleanup(server.Close)
	rec := adaptertest.NewRecord(t)
	service := newOpenAI(connection{url: server.URL, memory: llmhttp.New(rec.Recorder, nil)}).Responses
	ask := func(previous string, input responses.ResponseInputItemUnionParam) *responses.Response {
		params := responses.ResponseNewParams{Model: "fake", Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{input}}}
		if previous != "" {
			params.PreviousResponseID = openai.String(previous)
		}
		response, err := service.New(t.Context(), params)
		require.NoError(t, err)
		return response
	}
	user := func(text string) responses.ResponseInputItemUnionParam {
		return responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser)
	}
	response := ask("", user("Get the home page."))
	result := responses.ResponseInputItemParamOfFunctionCallOutput(page(2002, "Home"))
	result.OfFunctionCallOutput.CallID = openai.String(response.Output[0].CallID)
	response = ask(response.ID, result)
	ask(response.ID, user("Rename it."))

	assert.Equal(t, []middleware.ToolCall{{ID: "c1", Result: page(2002, "Home")}}, rec.Calls())
	requests := server.Requests()
	assert.Empty(t, requests[0].System)
	assert.Contains(t, requests[1].System, "page-2002")
	assert.Contains(t, requests[2].System, "page-2002", "instructions are not those of the previous response")
}

// getPages is a tool that reads any page.
func getPages(_ context.Context, arguments string) ([]string, error) {
	var a struct {
		PageID string `json:"page_id"`
	}
	err := json.Unmarshal([]byte(arguments), &a)
	return []string{fmt.Sprintf(`{"page":{"id":%q,"title":"Title of %s"}}`, a.PageID, a.PageID)}, err
}
