package vendorapi_test

import (
	"context"
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// unknown are fields that no type of the client has, and a number that none can hold.
var unknown = []option.RequestOption{
	option.WithJSONSet("x_vendor.tags", []string{"a", "b"}),
	option.WithJSONSet("x_vendor.limit", json.RawMessage("1e400")),
	option.WithJSONSet("seed", json.RawMessage("9007199254740993")),
}

var chatExchanges = []exchange{
	{name: "chat completions", send: func(ctx context.Context, c connection, stream bool, image string) ([]string, error) {
		return sendChat(ctx, c, chatParams(image), stream, unknown...)
	}},
	{name: "chat completions of a developer", send: func(ctx context.Context, c connection, stream bool, _ string) ([]string, error) {
		return sendChat(ctx, c, openai.ChatCompletionNewParams{Model: "fake", Messages: []openai.ChatCompletionMessageParamUnion{
			openai.DeveloperMessage("You edit \"a website\"."), openai.UserMessage("Rename it."),
		}}, stream)
	}},
	{name: "chat completions without a system message", send: func(ctx context.Context, c connection, stream bool, _ string) ([]string, error) {
		return sendChat(ctx, c, openai.ChatCompletionNewParams{Model: "fake", Messages: []openai.ChatCompletionMessageParamUnion{
			openai.UserMessage("Rename it."),
		}}, stream)
	}},
	{name: "chat completions of a raw body", send: func(ctx context.Context, c connection, _ bool, _ string) ([]string, error) {
		return sendChat(ctx, c, openai.ChatCompletionNewParams{}, false, option.WithRequestBody("application/json", []byte(
			"{ \"messages\" : [\n  {\"content\":\"\\u00e9\\/\",\"role\":\"system\",\"x\":[ ]} ,\n  {\"role\":\"user\",\"content\":\"Rename it.\"}\n], \"model\":\"fake\" }\n")))
	}},
}

func chatParams(image string) openai.ChatCompletionNewParams {
	system := openai.ChatCompletionContentPartTextParam{Text: "You edit a website."}
	system.SetExtraFields(map[string]any{"cache_control": map[string]string{"type": "ephemeral"}})
	calls := openai.ChatCompletionAssistantMessageParam{}
	for _, id := range []string{"c1", "c2"} {
		calls.ToolCalls = append(calls.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
			ID: id, Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: "get_page", Arguments: `{"page_id": "` + id + `"}`},
		}})
	}
	calls.SetExtraFields(map[string]any{"reasoning_content": "Which page?\u2028", "x_order": json.RawMessage(`{"b":1,"a":2}`)})
	return openai.ChatCompletionNewParams{Model: "fake", Messages: []openai.ChatCompletionMessageParamUnion{
		openai.SystemMessage([]openai.ChatCompletionContentPartTextParam{system}),
		openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart("Is it <this> & that? – \x00 \U0001F600"),
			openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64," + image}),
		}),
		{OfAssistant: &calls},
		openai.ToolMessage([]openai.ChatCompletionContentPartTextParam{{Text: page(2002, "Home")}}, "c1"),
		openai.ToolMessage(page(2003, "News"), "c2"),
		param.Override[openai.ChatCompletionMessageParamUnion](json.RawMessage(`{"role":"assistant","x_audio":{"id":"a1"},"content":"Two pages."}`)),
		openai.UserMessage("Rename it."),
	}}
}

func sendChat(ctx context.Context, c connection, params openai.ChatCompletionNewParams, stream bool, opts ...option.RequestOption) ([]string, error) {
	completions := newOpenAI(c).Chat.Completions
	if stream {
		return rawEvents(completions.NewStreaming(ctx, params, opts...))
	}
	completion, err := completions.New(ctx, params, opts...)
	if err != nil {
		return nil, err
	}
	return []string{completion.RawJSON()}, nil
}

// rawEvents returns the JSON of all events of a stream.
func rawEvents[T interface{ RawJSON() string }](stream *ssestream.Stream[T]) (all []string, err error) {
	defer stream.Close()
	for stream.Next() {
		all = append(all, stream.Current().RawJSON())
	}
	return all, stream.Err()
}

var responsesExchanges = []exchange{
	{name: "responses", send: func(ctx context.Context, c connection, stream bool, image string) ([]string, error) {
		return sendResponses(ctx, c, responsesParams(image), stream, unknown...)
	}},
	{name: "responses without instructions", send: func(ctx context.Context, c connection, stream bool, image string) ([]string, error) {
		params := responsesParams(image)
		params.Instructions = param.Opt[string]{}
		return sendResponses(ctx, c, params, stream)
	}},
	// A text cannot have another message in front of it.
	{name: "responses to a text", at: []prompt.Placement{prompt.PlaceSystem}, send: func(ctx context.Context, c connection, stream bool, _ string) ([]string, error) {
		return sendResponses(ctx, c, responses.ResponseNewParams{Model: "fake", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Rename it.")}}, stream)
	}},
}

func responsesParams(image string) responses.ResponseNewParams {
	result := responses.ResponseInputItemParamOfFunctionCallOutput(responses.ResponseFunctionCallOutputItemListParam{
		{OfInputText: &responses.ResponseInputTextContentParam{Text: page(2002, "Home")}},
		{OfInputImage: &responses.ResponseInputImageContentParam{ImageURL: openai.String("data:image/png;base64,aGVsbG8h")}},
	})
	result.OfFunctionCallOutput.CallID = openai.String("c1")
	result.OfFunctionCallOutput.SetExtraFields(map[string]any{"x_order": json.RawMessage(`{"b":1,"a":2}`)})
	return responses.ResponseNewParams{
		Model: "fake", Instructions: openai.String("You edit <a website>."), Store: openai.Bool(false),
		Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
			responses.ResponseInputItemParamOfMessage("Answer in English.", responses.EasyInputMessageRoleDeveloper),
			responses.ResponseInputItemParamOfMessage(responses.ResponseInputMessageContentListParam{
				responses.ResponseInputContentParamOfInputText("Which page is this?"),
				{OfInputImage: &responses.ResponseInputImageParam{ImageURL: openai.String("data:image/png;base64," + image)}},
			}, responses.EasyInputMessageRoleUser),
			param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"c2VjcmV0"}`)),
			responses.ResponseInputItemParamOfFunctionCall(`{"page_id": "c1"}`, "c1", "get_page"),
			result,
			param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(`{"type":"of_tomorrow","content":{"text":"x"}}`)),
			responses.ResponseInputItemParamOfMessage("Rename it.", responses.EasyInputMessageRoleUser),
		}},
	}
}

func sendResponses(ctx context.Context, c connection, params responses.ResponseNewParams, stream bool, opts ...option.RequestOption) ([]string, error) {
	service := newOpenAI(c).Responses
	if stream {
		return rawEvents(service.NewStreaming(ctx, params, opts...))
	}
	response, err := service.New(ctx, params, opts...)
	if err != nil {
		return nil, err
	}
	return []string{response.RawJSON()}, nil
}
