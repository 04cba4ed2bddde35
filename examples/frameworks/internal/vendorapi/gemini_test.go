package vendorapi_test

import (
	"context"
	"encoding/json"
	"net/http"

	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/vendorapi"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

func newGemini(c connection) *genai.Client {
	config := genai.ClientConfig{
		APIKey: "none", Backend: genai.BackendGeminiAPI, HTTPClient: new(http.Client),
		HTTPOptions: genai.HTTPOptions{BaseURL: c.url, RetryOptions: &genai.HTTPRetryOptions{
			Attempts: genai.Ptr(int32(c.retries + 1)), InitialDelay: genai.Ptr(0.001), Jitter: genai.Ptr(0.0),
		}},
	}
	if c.memory != nil {
		config.HTTPClient.Transport = c.memory.Transport(nil)
	}
	client, err := genai.NewClient(context.Background(), &config)
	if err != nil {
		panic(err) // the configuration is complete
	}
	return client
}

// geminiClient is the client of google.golang.org/genai.
type geminiClient struct {
	adaptertest.Setup
	genai    *genai.Client
	contents []*genai.Content
}

func newGeminiClient(s adaptertest.Setup, c connection) client {
	return &geminiClient{Setup: s, genai: newGemini(c)}
}

func (c *geminiClient) reset() { c.contents = nil }

func (c *geminiClient) addUser(text string) {
	c.contents = append(c.contents, genai.NewContentFromText(text, genai.RoleUser))
}

func (c *geminiClient) ask(ctx context.Context) (vendorapi.Reply, error) {
	answer, err := c.generate(ctx)
	if err != nil {
		return vendorapi.Reply{}, err
	}
	c.contents = append(c.contents, answer)
	var reply vendorapi.Reply
	for _, p := range answer.Parts {
		reply.Text += p.Text
		if call := p.FunctionCall; call != nil {
			arguments, err := json.Marshal(call.Args)
			if err != nil {
				return reply, err
			}
			reply.Calls = append(reply.Calls, vendorapi.Call{ID: call.ID, Name: call.Name, Arguments: string(arguments)})
		}
	}
	return reply, nil
}

func (c *geminiClient) generate(ctx context.Context) (*genai.Content, error) {
	config := &genai.GenerateContentConfig{SystemInstruction: genai.NewContentFromText(c.System, "")}
	if !c.Stream {
		response, err := c.genai.Models.GenerateContent(ctx, "fake", c.contents, config)
		if err != nil {
			return nil, err
		}
		return response.Candidates[0].Content, nil
	}
	answer := &genai.Content{Role: genai.RoleModel}
	for response, err := range c.genai.Models.GenerateContentStream(ctx, "fake", c.contents, config) {
		if err != nil {
			return nil, err
		}
		for _, p := range response.Candidates[0].Content.Parts {
			if p.Text != "" || p.FunctionCall != nil {
				answer.Parts = append(answer.Parts, p)
			}
		}
	}
	return answer, nil
}

func (c *geminiClient) addResults(results []result) {
	content := &genai.Content{Role: genai.RoleUser}
	for _, r := range results {
		field := map[bool]string{false: "output", true: "error"}[r.failed]
		content.Parts = append(content.Parts, &genai.Part{FunctionResponse: &genai.FunctionResponse{
			ID: r.ID, Name: r.Name, Response: map[string]any{field: r.text},
		}})
	}
	c.contents = append(c.contents, content)
}
