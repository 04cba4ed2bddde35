package vendorapi

import (
	"encoding/json"
	"errors"
	"fmt"
)

// gemini is Gemini's generateContent.
type gemini struct{ stream bool }

func (g gemini) read(body []byte) (r Request, stream bool, err error) {
	type content struct {
		Role  string          `json:"role"`
		Parts json.RawMessage `json:"parts"`
	}
	var b struct {
		CachedContent     string    `json:"cachedContent"`
		SystemInstruction *content  `json:"systemInstruction"`
		Contents          []content `json:"contents"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return r, false, err
	}
	if b.SystemInstruction != nil {
		if b.CachedContent != "" {
			return r, false, errors.New("CachedContent can not be used with system_instruction")
		}
		text, _ := contentOf(b.SystemInstruction.Parts)
		r.add("system", text)
	}
	for _, c := range b.Contents {
		text, parts := contentOf(c.Parts)
		if len(parts) > 0 && parts[0].isResult() {
			c.Role = "tool"
		}
		r.add(c.Role, text)
	}
	return r, g.stream, nil
}

func (g gemini) answer(r Reply, n int) object {
	var parts []any
	if r.Thinking != "" {
		parts = append(parts, object{"text": r.Thinking, "thought": true})
	}
	if r.Text != "" {
		parts = append(parts, object{"text": r.Text})
	}
	return g.response(n, append(parts, calls(r)...), "STOP")
}

// calls returns the calls of a reply as parts.
func calls(r Reply) (parts []any) {
	for i, c := range r.Calls {
		call := object{"name": c.Name, "args": json.RawMessage(c.Arguments)}
		if c.ID != "" {
			call["id"] = c.ID
		}
		part := object{"functionCall": call}
		if r.Thinking != "" && i == 0 {
			part["thoughtSignature"] = signature
		}
		parts = append(parts, part)
	}
	return parts
}

func (gemini) response(n int, parts []any, finish string) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return object{
		"responseId": fmt.Sprintf("response-%d", n), "modelVersion": "fake", "candidates": []any{candidate},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	}
}

// events returns a response for each piece of the texts, and one with the calls, which are whole.
func (g gemini) events(r Reply, n int) (events []event) {
	for _, p := range pieces(r.Thinking) {
		events = append(events, event{data: g.response(n, []any{object{"text": p, "thought": true}}, "")})
	}
	for _, p := range pieces(r.Text) {
		events = append(events, event{data: g.response(n, []any{object{"text": p}}, "")})
	}
	last := calls(r)
	if last == nil {
		last = []any{object{"text": ""}}
	}
	return append(events, event{data: g.response(n, last, "STOP")})
}

func (gemini) failure(status int, text string) object {
	return object{"error": object{"code": status, "message": text, "status": "INTERNAL"}}
}
