package vendorapi_test

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"google.golang.org/genai"
)

var geminiExchanges = []exchange{
	{name: "gemini", send: func(ctx context.Context, c connection, stream bool, image string) ([]string, error) {
		return sendGemini(ctx, c, geminiContents(image), &genai.GenerateContentConfig{
			SystemInstruction: &genai.Content{Parts: []*genai.Part{{Text: "You edit a website."}, {Text: "These are its rules: <none>."}}},
			Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{
				Name: "get_page", ParametersJsonSchema: map[string]any{"type": "object", "z": 1e20},
			}}}},
			HTTPOptions: &genai.HTTPOptions{ExtraBody: map[string]any{"x_vendor": map[string]any{"tags": []string{"a", "b"}, "limit": 1e300}}},
		}, stream)
	}},
	{name: "gemini without a system instruction", send: func(ctx context.Context, c connection, stream bool, image string) ([]string, error) {
		return sendGemini(ctx, c, geminiContents(image), nil, stream)
	}},
	{name: "gemini with a cached system instruction", send: func(ctx context.Context, c connection, stream bool, image string) ([]string, error) {
		return sendGemini(ctx, c, geminiContents(image), &genai.GenerateContentConfig{CachedContent: "cachedContents/1"}, stream)
	}},
	{name: "gemini that ends with responses", send: func(ctx context.Context, c connection, stream bool, image string) ([]string, error) {
		return sendGemini(ctx, c, geminiContents(image)[:3], nil, stream)
	}},
}

func geminiContents(image string) []*genai.Content {
	data, err := base64.StdEncoding.DecodeString(image)
	if err != nil {
		panic(err) // not base64
	}
	return []*genai.Content{
		{Role: genai.RoleUser, Parts: []*genai.Part{{Text: "Which page is this? – \x00 \U0001F600"}, {InlineData: &genai.Blob{MIMEType: "image/png", Data: data}}}},
		{Role: genai.RoleModel, Parts: []*genai.Part{
			{Text: "Which page?", Thought: true},
			{FunctionCall: &genai.FunctionCall{Name: "get_page", Args: map[string]any{"page_id": "page-2002"}}, ThoughtSignature: []byte("signature")},
			{FunctionCall: &genai.FunctionCall{ID: "c2", Name: "get_page"}},
		}},
		{Role: genai.RoleUser, Parts: []*genai.Part{
			{FunctionResponse: &genai.FunctionResponse{Name: "get_page", Response: map[string]any{"output": json.RawMessage(page(2002, "Home"))}}},
			{FunctionResponse: &genai.FunctionResponse{ID: "c2", Name: "get_page", Response: map[string]any{"error": "no such page"}}},
		}},
		{Role: genai.RoleModel, Parts: []*genai.Part{{Text: "It is the home page."}}},
		genai.NewContentFromText("Rename it.", genai.RoleUser),
	}
}

func sendGemini(ctx context.Context, c connection, contents []*genai.Content, config *genai.GenerateContentConfig, stream bool) (all []string, err error) {
	add := func(r *genai.GenerateContentResponse) error {
		r.SDKHTTPResponse = nil // has the time
		raw, err := json.Marshal(r)
		all = append(all, string(raw))
		return err
	}
	models := newGemini(c).Models
	if !stream {
		response, err := models.GenerateContent(ctx, "fake", contents, config)
		if err != nil {
			return nil, err
		}
		err = add(response)
		return all, err
	}
	for response, err := range models.GenerateContentStream(ctx, "fake", contents, config) {
		if err != nil {
			return nil, err
		}
		if err := add(response); err != nil {
			return nil, err
		}
	}
	return all, nil
}
