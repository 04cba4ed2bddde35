package genkit

import (
	"context"
	"slices"

	"github.com/firebase/genkit/go/ai"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// show returns messages with handles in place of ids in their calls and results, and with what
// replaces stored results.
func (p *placement) show(ctx context.Context, rec *middleware.Recorder, messages []*ai.Message) []*ai.Message {
	shown := make([]*ai.Message, len(messages))
	for i, m := range messages {
		if shown[i] = m; m == nil {
			continue
		}
		c := m.Clone()
		for j, part := range m.Content {
			if replaced := shownPart(ctx, rec, part); replaced != nil {
				p.original[replaced] = part
				c.Content[j], shown[i] = replaced, c
			}
		}
	}
	return shown
}

// shownPart returns what the model is to see of a call or a result, and nil for other parts.
func shownPart(ctx context.Context, rec *middleware.Recorder, part *ai.Part) *ai.Part {
	switch {
	case part.IsToolRequest() && part.ToolRequest != nil:
		return withInput(part, rec.EncodeResult(part.ToolRequest.Input))
	case part.IsToolResponse() && part.ToolResponse != nil:
		c, response := part.Clone(), *part.ToolResponse
		stub, stored := rec.Stub(ctx, resultOf(response.Output, response.Content))
		response.Output, response.Content = shownResult(response.Output, response.Content, stub, stored, rec.EncodeResult)
		c.ToolResponse = &response
		return c
	}
	return nil
}

// withInput returns a copy of the call of a tool with another input.
func withInput(part *ai.Part, input any) *ai.Part {
	c, request := part.Clone(), *part.ToolRequest
	request.Input = input
	c.ToolRequest = &request
	return c
}

// shownResult returns what the model is to see of a result. If it is stored, the stub replaces the
// output and the texts, and otherwise they are encoded.
func shownResult(output any, content []*ai.Part, stub string, stored bool, encode func(any) any) (any, []*ai.Part) {
	switch {
	case output == nil:
	case stored:
		output, stub = stub, ""
	default:
		output = encode(output)
	}
	var shown []*ai.Part
	for _, part := range content {
		if part.IsText() {
			text := stub
			if stub = ""; !stored {
				text, _ = encode(part.Text).(string)
			} else if text == "" {
				continue
			}
			part = part.Clone()
			part.Text = text
		}
		shown = append(shown, part)
	}
	return output, shown
}

// decode returns a response with ids in place of handles in its calls. If one is unknown, it asks
// the model again. The request in the response is the first one.
func decode(ctx context.Context, rec *middleware.Recorder, params *ai.ModelParams, response *ai.ModelResponse, next ai.ModelNext) (*ai.ModelResponse, error) {
	first := response
	inputs, err := rec.DecodeCalls(ctx, inputsOf(response), func(results []string) ([]any, error) {
		refused := ai.NewMessage(ai.RoleTool, nil)
		for i, part := range response.ToolRequests() {
			refused.Content = append(refused.Content, ai.NewToolResponsePart(&ai.ToolResponse{
				Name: part.ToolRequest.Name, Ref: part.ToolRequest.Ref, Output: map[string]any{"error": results[i]},
			}))
		}
		params = withMessages(params, append(slices.Clip(params.Request.Messages), response.Message, refused))
		var err error
		response, err = next(ctx, params)
		return inputsOf(response), err
	})
	if err != nil || response == nil || response.Message == nil {
		return response, err
	}
	decoded := *response
	decoded.Request, decoded.Message = first.Request, response.Message.Clone()
	for i, part := range decoded.Message.Content {
		if part.IsToolRequest() {
			decoded.Message.Content[i] = withInput(part, inputs[0])
			inputs = inputs[1:]
		}
	}
	return &decoded, nil
}

// inputsOf returns the inputs of the calls in a response, which may be nil.
func inputsOf(response *ai.ModelResponse) (inputs []any) {
	for _, part := range response.ToolRequests() {
		inputs = append(inputs, part.ToolRequest.Input)
	}
	return inputs
}
