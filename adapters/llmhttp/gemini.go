package llmhttp

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// geminiAPI is Gemini's generateContent. It accepts the names of fields in two spellings.
type geminiAPI struct{}

var (
	_ api       = geminiAPI{}
	_ systemAPI = geminiAPI{}
	_ textAPI   = geminiAPI{}
)

func (geminiAPI) name() string         { return "generateContent" }
func (geminiAPI) listField() string    { return "contents" }
func (geminiAPI) systemField() string  { return "systemInstruction" }
func (geminiAPI) systemMessages() bool { return false }

// geminiPart is a part of a content.
type geminiPart struct {
	Text      string          `json:"text"`
	Thought   bool            `json:"thought"`
	Call      *geminiCall     `json:"functionCall"`
	Call2     *geminiCall     `json:"function_call"`
	Response  *geminiResponse `json:"functionResponse"`
	Response2 *geminiResponse `json:"function_response"`
}

type geminiCall struct {
	ID   string         `json:"id"`
	Name string         `json:"name"`
	Args jsontext.Value `json:"args"`
}

type geminiResponse struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Response jsontext.Value `json:"response"`
}

func (geminiAPI) readMessage(t *transcript, raw []byte) prompt.Message {
	var m struct {
		Role  string         `json:"role"`
		Parts jsontext.Value `json:"parts"`
	}
	var parts []geminiPart
	if !unmarshal(raw, &m) || len(m.Parts) > 0 && !unmarshal(listOf(m.Parts), &parts) {
		return prompt.Message{}
	}
	var texts []string
	var calls, results []middleware.ToolCall
	for _, p := range parts {
		if p.Text != "" && !p.Thought {
			texts = append(texts, p.Text)
		}
		for _, c := range []*geminiCall{p.Call, p.Call2} {
			if c != nil {
				calls = append(calls, middleware.ToolCall{ID: c.ID, Name: c.Name, Arguments: string(c.Args)})
			}
		}
		for _, r := range []*geminiResponse{p.Response, p.Response2} {
			if r != nil {
				results = append(results, r.toolCall())
			}
		}
	}
	role := "user"
	switch {
	case m.Role == "model":
		role = "assistant"
		t.history.AddRequests(calls...)
	case len(results) > 0:
		role = "tool"
	}
	for _, r := range results {
		t.history.AddResult(r)
	}
	t.said(role, texts)
	return prompt.Message{Role: role}
}

// listOf returns a list, or a list of a value: the API accepts one part without brackets.
func listOf(raw jsontext.Value) jsontext.Value {
	if raw.Kind() == '[' {
		return raw
	}
	return slices.Concat(jsontext.Value("["), raw, jsontext.Value("]"))
}

// toolCall returns a finished call. By the convention of the API, the field "output" has the
// result and "error" the error; clients also write "result".
func (r *geminiResponse) toolCall() middleware.ToolCall {
	call := middleware.ToolCall{ID: r.ID, Name: r.Name}
	var fields map[string]jsontext.Value
	if unmarshal(r.Response, &fields) && len(fields) == 1 {
		for name, value := range fields {
			switch {
			case name == "error":
				call.Err = middleware.FailureOf(plain(value))
				return call
			case name == "output" || name == "result":
				call.Result = resultOf(value)
				return call
			}
		}
	}
	call.Result = resultOf(r.Response)
	return call
}

// resultOf returns a result as text, or as JSON.
func resultOf(raw jsontext.Value) any {
	if raw.Kind() == '"' {
		return plain(raw)
	}
	return json.RawMessage(raw)
}

// first returns the value of the first of the names that an object has.
func first(object map[string]span, names ...string) span {
	for _, name := range names {
		if at, ok := object[name]; ok {
			return at
		}
	}
	return span{}
}

// partsIn returns the fields of the parts of a content.
func partsIn(content []byte) (all []map[string]span) {
	parts := object(content)["parts"]
	if parts != (span{}) && content[parts.start] == '{' {
		return []map[string]span{within(content, parts)}
	}
	for _, p := range elementsIn(content, parts) {
		all = append(all, within(content, p))
	}
	return all
}

func (geminiAPI) calls(content []byte) (all []call) {
	for _, p := range partsIn(content) {
		if at := present(content, first(p, "functionCall", "function_call")); at != (span{}) {
			c := within(content, at)
			all = append(all, call{id: string(c["id"].of(content)), name: string(c["name"].of(content)), arguments: present(content, c["args"])})
		}
	}
	return all
}

func (geminiAPI) results(content []byte) (all []passage) {
	for _, p := range partsIn(content) {
		response := within(content, first(p, "functionResponse", "function_response"))["response"]
		if response == (span{}) {
			continue
		}
		shown := passage{values: []value{{span: response}}, isResult: true, isObject: true}
		if f := within(content, response); len(f) == 1 {
			if at := first(f, "error", "output", "result"); at != (span{}) {
				shown.values[0].span, shown.isObject = at, false
			}
		}
		all = append(all, shown)
	}
	return all
}

func (geminiAPI) answers(response []byte) (all [][]span) {
	for _, candidate := range elementsIn(response, object(response)["candidates"]) {
		if content := within(response, candidate)["content"]; content != (span{}) {
			all = append(all, []span{content})
		}
	}
	return all
}

func (geminiAPI) repeat(content, _ []byte) []byte { return content }

func (geminiAPI) newResults(calls []call, results []string) [][]byte {
	var parts [][]byte
	for i, c := range calls {
		head := `{"functionResponse":{` + fieldOf("id", c.id) + fieldOf("name", c.name) + `"response":{"error":`
		parts = append(parts, slices.Concat([]byte(head), quote(results[i]), []byte("}}}")))
	}
	return [][]byte{slices.Concat([]byte(`{"role":"user","parts":[`), bytes.Join(parts, []byte(",")), []byte("]}"))}
}

// readText reads a single content without brackets.
func (geminiAPI) readText(t *transcript, raw []byte) bool {
	if raw[0] != '{' {
		return false
	}
	geminiAPI{}.readMessage(t, raw)
	return true
}

func (geminiAPI) newList(raw []byte) []byte { return raw }

func (geminiAPI) newSystem(text string) []byte {
	return slices.Concat([]byte(`{"parts":[`), geminiText(text), []byte("]}"))
}

func (geminiAPI) editSystem(s *splices, body []byte, value span, text string) {
	parts, ok := lookup(value.of(body), "parts")
	switch {
	case ok && body[value.start+parts.start] == '[':
		editText(s, body, shifted(parts, value.start), text, geminiText)
	case ok && body[value.start+parts.start] == '{':
		if text != "" {
			at := shifted(parts, value.start)
			s.insert(at.start, []byte("["))
			s.insert(at.end, []byte(","), geminiText(text), []byte("]"))
		}
	case ok || body[value.start] != '{' || text == "":
	case len(bytes.TrimSpace(value.of(body)[1:])) == 1: // no fields
		s.add(value, geminiAPI{}.newSystem(text))
	default:
		s.insert(value.start+1, []byte(`"parts":[`), geminiText(text), []byte("],"))
	}
}

// newMessage returns a content of its own: one with responses to functions may have nothing else.
func (geminiAPI) newMessage(text string, _ bool) []byte {
	return slices.Concat([]byte(`{"role":"user","parts":[`), geminiText(text), []byte("]}"))
}

func geminiText(text string) []byte {
	return slices.Concat([]byte(`{"text":`), quote(text), []byte("}"))
}

func (geminiAPI) mayCall(event []byte) bool {
	return bytes.Contains(event, []byte("functionCall")) || bytes.Contains(event, []byte("function_call"))
}

func (a geminiAPI) readEvent(_ *stream, event []byte) (f fragments) {
	for _, content := range a.answers(event) {
		f.addCalls(a, event, content[0])
	}
	return f
}
