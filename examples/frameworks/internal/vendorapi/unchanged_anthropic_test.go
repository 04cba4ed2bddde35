package vendorapi_test

import (
	"context"
	"encoding/json"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"
)

var messagesExchanges = []exchange{
	{name: "messages", send: func(ctx context.Context, c connection, stream bool, image string) ([]string, error) {
		return sendMessages(ctx, c, messagesParams(image), stream,
			option.WithJSONSet("x_vendor.tags", []string{"a", "b"}), option.WithJSONSet("x_vendor.limit", json.RawMessage("1e400")))
	}},
	{name: "messages that end with results", send: func(ctx context.Context, c connection, stream bool, _ string) ([]string, error) {
		params := messagesParams(image)
		params.Messages = params.Messages[:3]
		return sendMessages(ctx, c, params, stream)
	}},
	{name: "messages that end with the begin of an answer", send: func(ctx context.Context, c connection, stream bool, _ string) ([]string, error) {
		params := messagesParams(image)
		params.Messages = append(params.Messages[:3:3], anthropic.NewAssistantMessage(anthropic.NewTextBlock("The page")))
		return sendMessages(ctx, c, params, stream)
	}},
	{name: "messages without a system prompt", send: func(ctx context.Context, c connection, stream bool, image string) ([]string, error) {
		params := messagesParams(image)
		params.System = nil
		return sendMessages(ctx, c, params, stream)
	}},
	{name: "beta messages", send: func(ctx context.Context, c connection, stream bool, _ string) ([]string, error) {
		return sendBetaMessages(ctx, c, betaMessagesParams(), stream)
	}},
}

func messagesParams(image string) anthropic.MessageNewParams {
	cached := anthropic.NewCacheControlEphemeralParam()
	call := anthropic.NewToolUseBlock("c1", json.RawMessage(`{"page_id":"page-2002","a":9007199254740993}`), "get_page")
	failed := anthropic.NewToolResultBlock("c2", "no such page", true)
	failed.OfToolResult.CacheControl = cached
	text := anthropic.NewTextBlock("Rename it.")
	text.OfText.SetExtraFields(map[string]any{"x_order": json.RawMessage(`{"b":1,"a":2}`)})
	return anthropic.MessageNewParams{
		Model: "fake", MaxTokens: 1000, CacheControl: cached,
		System: []anthropic.TextBlockParam{{Text: "You edit a website."}, {Text: "These are its rules: <none>.", CacheControl: cached}},
		Messages: []anthropic.MessageParam{
			anthropic.NewUserMessage(
				anthropic.NewImageBlockBase64("image/png", image),
				anthropic.NewTextBlock("Which page is this? – \x00 \U0001F600"),
				param.Override[anthropic.ContentBlockParamUnion](json.RawMessage(`{"type":"of_tomorrow","text":5}`)),
			),
			anthropic.NewAssistantMessage(
				anthropic.NewThinkingBlock("c2lnbmF0dXJl", "Which page?"), anthropic.NewRedactedThinkingBlock("c2VjcmV0"),
				anthropic.NewTextBlock("I look."), call, anthropic.NewToolUseBlock("c2", map[string]any{}, "get_page"),
			),
			anthropic.NewUserMessage(anthropic.NewToolResultBlock("c1", page(2002, "Home"), false), failed),
			anthropic.NewAssistantMessage(anthropic.NewTextBlock("It is the home page.")),
			anthropic.NewUserMessage(text),
		},
	}
}

func sendMessages(ctx context.Context, c connection, params anthropic.MessageNewParams, stream bool, opts ...option.RequestOption) ([]string, error) {
	client := newAnthropic(c)
	if stream {
		return rawMessageEvents(client.Messages.NewStreaming(ctx, params, opts...))
	}
	message, err := client.Messages.New(ctx, params, opts...)
	if err != nil {
		return nil, err
	}
	return []string{message.RawJSON()}, nil
}

// rawMessageEvents returns the JSON of all events of a stream.
func rawMessageEvents[T interface{ RawJSON() string }](stream *ssestream.Stream[T]) (all []string, err error) {
	defer stream.Close()
	for stream.Next() {
		all = append(all, stream.Current().RawJSON())
	}
	return all, stream.Err()
}

func betaMessagesParams() anthropic.BetaMessageNewParams {
	return anthropic.BetaMessageNewParams{
		Model: "fake", MaxTokens: 1000, Betas: []anthropic.AnthropicBeta{anthropic.AnthropicBetaMCPClient2025_04_04},
		System:     []anthropic.BetaTextBlockParam{{Text: "You edit a website."}},
		MCPServers: []anthropic.BetaRequestMCPServerURLDefinitionParam{{Name: "cms", URL: "https://cms.example"}},
		Messages: []anthropic.BetaMessageParam{
			anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("Get the home page.")),
			{Role: anthropic.BetaMessageParamRoleAssistant, Content: []anthropic.BetaContentBlockParamUnion{
				param.Override[anthropic.BetaContentBlockParamUnion](json.RawMessage(`{"type":"mcp_tool_use","id":"m1","name":"get_page","server_name":"cms","input":{}}`)),
				param.Override[anthropic.BetaContentBlockParamUnion](json.RawMessage(`{"type":"mcp_tool_result","tool_use_id":"m1","is_error":false,"content":[{"type":"text","text":"{\"page\":{\"id\":\"page-2002\",\"title\":\"Home\"}}"}]}`)),
				anthropic.NewBetaTextBlock("Here it is."),
			}},
			anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("Rename it.")),
			{Role: anthropic.BetaMessageParamRoleSystem, Content: []anthropic.BetaContentBlockParamUnion{anthropic.NewBetaTextBlock("Answer in English.")}},
		},
	}
}

func sendBetaMessages(ctx context.Context, c connection, params anthropic.BetaMessageNewParams, stream bool) ([]string, error) {
	client := newAnthropic(c)
	if stream {
		return rawMessageEvents(client.Beta.Messages.NewStreaming(ctx, params))
	}
	message, err := client.Beta.Messages.New(ctx, params)
	if err != nil {
		return nil, err
	}
	return []string{message.RawJSON()}, nil
}
