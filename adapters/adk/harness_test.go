package adk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// suiteModel is a model of the conformance suite. Its streamed answers come in parts, followed
// by the whole, as ADK's own models send them.
type suiteModel struct {
	answer func(ctx context.Context, request adaptertest.Request) (adaptertest.Reply, error)
}

func (suiteModel) Name() string { return "scripted" }

func (m suiteModel) GenerateContent(ctx context.Context, req *model.LLMRequest, stream bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		reply, err := m.answer(ctx, suiteRequest(req))
		if err != nil {
			yield(nil, err)
			return
		}
		content := contentOf(reply)
		if text := reply.Text; stream && text != "" {
			for _, part := range []string{text[:1], text[1:]} {
				if !yield(&model.LLMResponse{Content: genai.NewContentFromText(part, genai.RoleModel), Partial: true}, nil) {
					return
				}
			}
		}
		yield(&model.LLMResponse{Content: content, TurnComplete: true}, nil)
	}
}

// contentOf returns a reply as ADK receives it.
func contentOf(reply adaptertest.Reply) *genai.Content {
	content := &genai.Content{Role: genai.RoleModel}
	if reply.Text != "" {
		content.Parts = append(content.Parts, genai.NewPartFromText(reply.Text))
	}
	for _, c := range reply.Calls {
		var args map[string]any
		_ = json.Unmarshal([]byte(c.Arguments), &args) // none if they are not JSON
		part := genai.NewPartFromFunctionCall(c.Name, args)
		part.FunctionCall.ID = c.ID
		content.Parts = append(content.Parts, part)
	}
	return content
}

// identity begins the sentence that ADK adds to the instruction.
const identity = "\n\nYou are an agent. Your internal name is \"editor\"."

// suiteRequest returns what the suite reads of a request.
func suiteRequest(req *model.LLMRequest) adaptertest.Request {
	r := adaptertest.Request{System: strings.Replace(systemOf(req), identity, "", 1)}
	for _, c := range req.Contents {
		m := prompt.Message{Role: c.Role}
		for _, p := range c.Parts {
			m.Content += p.Text
			if p.FunctionCall != nil {
				m.Content += encode(p.FunctionCall.Args)
			}
			if p.FunctionResponse != nil {
				encoded, _ := json.Marshal(p.FunctionResponse.Response)
				m = prompt.Message{Role: "tool", Content: m.Content + string(encoded)}
			}
		}
		r.Messages = append(r.Messages, m)
	}
	return r
}

// systemOf returns the system instruction of a request.
func systemOf(req *model.LLMRequest) string {
	if req.Config == nil || req.Config.SystemInstruction == nil {
		return ""
	}
	var texts []string
	for _, p := range req.Config.SystemInstruction.Parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n\n")
}

type pageArgs struct {
	PageID string `json:"page_id"`
}

// suiteTool returns a tool of the suite. It asks for a confirmation if it is to be suspended.
func suiteTool(t adaptertest.Tool) (tool.Tool, error) {
	config := functiontool.Config{Name: t.Name, Description: "Gets a page."}
	if t.Streams {
		return functiontool.NewStreaming(config, func(ctx agent.Context, args pageArgs) iter.Seq2[string, error] {
			return func(yield func(string, error) bool) {
				parts, err := t.Run(ctx, encode(args))
				for _, part := range parts {
					if !yield(part, nil) {
						return
					}
				}
				if err != nil {
					yield("", err)
				}
			}
		})
	}
	return functiontool.New(config, func(ctx agent.Context, args pageArgs) (string, error) {
		parts, err := t.Run(ctx, encode(args))
		if errors.Is(err, adaptertest.ErrSuspend) {
			if err := ctx.RequestConfirmation("May I?", nil); err != nil {
				return "", err
			}
			return "", fmt.Errorf("%s %w", t.Name, tool.ErrConfirmationRequired)
		}
		return strings.Join(parts, ""), err
	})
}

func encode(v any) string {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}
