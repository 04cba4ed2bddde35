package vendorapi_test

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/vendorapi"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

func newOpenAI(c connection) openai.Client {
	opts := []option.RequestOption{option.WithBaseURL(c.url + "/v1"), option.WithAPIKey("none"), option.WithMaxRetries(c.retries)}
	if c.memory != nil {
		opts = append(opts, option.WithMiddleware(c.memory.Middleware))
	}
	return openai.NewClient(opts...)
}

// chatClient is openai-go with Chat Completions.
type chatClient struct {
	adaptertest.Setup
	openai   openai.Client
	messages []openai.ChatCompletionMessageParamUnion
}

func newChatClient(s adaptertest.Setup, c connection) client {
	return &chatClient{Setup: s, openai: newOpenAI(c)}
}

func (c *chatClient) reset() { c.messages = nil }

func (c *chatClient) addUser(text string) {
	if len(c.messages) == 0 {
		c.messages = append(c.messages, openai.SystemMessage(c.System))
	}
	c.messages = append(c.messages, openai.UserMessage(text))
}

func (c *chatClient) ask(ctx context.Context) (vendorapi.Reply, error) {
	completion, err := c.complete(ctx, openai.ChatCompletionNewParams{Model: "fake", Messages: c.messages})
	if err != nil {
		return vendorapi.Reply{}, err
	}
	message := completion.Choices[0].Message
	c.messages = append(c.messages, message.ToParam())
	reply := vendorapi.Reply{Text: message.Content}
	for _, call := range message.ToolCalls {
		reply.Calls = append(reply.Calls, vendorapi.Call{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
	}
	return reply, nil
}

func (c *chatClient) complete(ctx context.Context, params openai.ChatCompletionNewParams) (*openai.ChatCompletion, error) {
	if !c.Stream {
		return c.openai.Chat.Completions.New(ctx, params)
	}
	stream := c.openai.Chat.Completions.NewStreaming(ctx, params)
	defer stream.Close()
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		if !all.AddChunk(stream.Current()) {
			return nil, errors.New("chunk not accumulated")
		}
	}
	return &all.ChatCompletion, stream.Err()
}

func (c *chatClient) addResults(results []result) {
	for _, r := range results {
		c.messages = append(c.messages, openai.ToolMessage(r.text, r.ID))
	}
}

// responsesClient is openai-go with Responses, whose items it sends again each time.
type responsesClient struct {
	adaptertest.Setup
	openai openai.Client
	items  responses.ResponseInputParam
}

func newResponsesClient(s adaptertest.Setup, c connection) client {
	return &responsesClient{Setup: s, openai: newOpenAI(c)}
}

func (c *responsesClient) reset() { c.items = nil }

func (c *responsesClient) addUser(text string) {
	c.items = append(c.items, responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser))
}

func (c *responsesClient) ask(ctx context.Context) (vendorapi.Reply, error) {
	response, err := c.respond(ctx, responses.ResponseNewParams{
		Model: "fake", Instructions: openai.String(c.System), Input: responses.ResponseNewParamsInputUnion{OfInputItemList: c.items},
	})
	if err != nil {
		return vendorapi.Reply{}, err
	}
	reply := vendorapi.Reply{Text: response.OutputText()}
	for _, item := range response.Output {
		c.items = append(c.items, param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
		if item.Type == "function_call" {
			call := item.AsFunctionCall()
			reply.Calls = append(reply.Calls, vendorapi.Call{ID: call.CallID, Name: call.Name, Arguments: call.Arguments})
		}
	}
	return reply, nil
}

func (c *responsesClient) respond(ctx context.Context, params responses.ResponseNewParams) (*responses.Response, error) {
	if !c.Stream {
		return c.openai.Responses.New(ctx, params)
	}
	stream := c.openai.Responses.NewStreaming(ctx, params)
	defer stream.Close()
	var response *responses.Response
	for stream.Next() {
		if event, ok := stream.Current().AsAny().(responses.ResponseCompletedEvent); ok {
			response = &event.Response
		}
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	if response == nil {
		return nil, errors.New("response not completed")
	}
	return response, nil
}

func (c *responsesClient) addResults(results []result) {
	for _, r := range results {
		item := responses.ResponseInputItemParamOfFunctionCallOutput(r.text)
		item.OfFunctionCallOutput.CallID = openai.String(r.ID)
		c.items = append(c.items, item)
	}
}
