package llmhttp

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// messagesAPI is Anthropic Messages.
type messagesAPI struct{}

var (
	_ api       = messagesAPI{}
	_ systemAPI = messagesAPI{}
	_ hostAPI   = messagesAPI{}
)

func (messagesAPI) name() string         { return "messages" }
func (messagesAPI) listField() string    { return "messages" }
func (messagesAPI) systemField() string  { return "system" }
func (messagesAPI) systemMessages() bool { return false }

// contentBlock is a part of a message's content, of any type.
type contentBlock struct {
	Type       string         `json:"type"`
	Text       string         `json:"text"`
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	ServerName string         `json:"server_name"` // of mcp_tool_use
	Input      jsontext.Value `json:"input"`
	ToolUseID  string         `json:"tool_use_id"`
	Content    jsontext.Value `json:"content"`
	IsError    bool           `json:"is_error"`
	Source     jsontext.Value `json:"source"` // of a document or a search result
}

// documentSource is where a document is from.
type documentSource struct {
	Type    string         `json:"type"`
	Data    string         `json:"data"`
	Content jsontext.Value `json:"content"`
}

// resultTexts returns the texts of a result, also those in documents and search results.
func resultTexts(content jsontext.Value) (texts []string) {
	var blocks []contentBlock
	if content.Kind() != '[' || !unmarshal(content, &blocks) {
		return textsOf(content)
	}
	for _, b := range blocks {
		switch b.Type {
		case "search_result":
			texts = append(texts, textsOf(b.Content)...)
		case "document":
			texts = append(texts, documentTexts(b.Source)...)
		default:
			if b.Text != "" {
				texts = append(texts, b.Text)
			}
		}
	}
	return texts
}

// blockTexts returns the texts of blocks that are texts.
func blockTexts(blocks []contentBlock) (texts []string) {
	for _, b := range blocks {
		if b.Text != "" {
			texts = append(texts, b.Text)
		}
	}
	return texts
}

func documentTexts(raw jsontext.Value) []string {
	var source documentSource
	switch known := unmarshal(raw, &source); {
	case known && source.Type == "text":
		return []string{source.Data}
	case known:
		return textsOf(source.Content)
	}
	return nil
}

func (messagesAPI) readMessage(t *transcript, raw []byte) prompt.Message {
	var m struct {
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
	}
	if !unmarshal(raw, &m) || m.Role != "user" && m.Role != "assistant" {
		return prompt.Message{}
	}
	var blocks []contentBlock
	if m.Content.Kind() == '[' && unmarshal(m.Content, &blocks) {
		t.said(m.Role, blockTexts(blocks))
	} else {
		blocks = nil
		t.said(m.Role, textsOf(m.Content))
	}
	if m.Role == "assistant" {
		t.addRequests(blocks)
	}
	read := prompt.Message{Role: m.Role}
	for _, b := range blocks {
		switch b.Type {
		case "tool_result":
			read.Role = "tool"
			fallthrough
		case "mcp_tool_result": // of a server that the provider called
			t.result(b.ToolUseID, "", resultTexts(b.Content), b.IsError)
		}
	}
	return read
}

// addRequests adds the calls in a message of the model.
func (t *transcript) addRequests(blocks []contentBlock) {
	var calls []middleware.ToolCall
	for _, b := range blocks {
		if b.Type == "tool_use" || b.Type == "mcp_tool_use" {
			calls = append(calls, middleware.ToolCall{ID: b.ID, Name: b.Name, Source: b.ServerName, Arguments: string(b.Input)})
		}
	}
	t.history.AddRequests(calls...)
}

func (messagesAPI) calls(message []byte) (all []call) {
	for _, block := range elementsIn(message, object(message)["content"]) {
		if b := within(message, block); string(b["type"].of(message)) == `"tool_use"` {
			all = append(all, call{id: string(b["id"].of(message)), arguments: present(message, b["input"])})
		}
	}
	return all
}

func (messagesAPI) results(message []byte) (all []passage) {
	for _, block := range elementsIn(message, object(message)["content"]) {
		if b := within(message, block); string(b["type"].of(message)) == `"tool_result"` {
			all = append(all, passage{values: blockValues(message, b["content"]), isResult: true})
		}
	}
	return all
}

// blockValues returns the texts that resultTexts reads.
func blockValues(message []byte, content span) []value {
	return valuesIn(message, content, func(block map[string]span) []span {
		switch string(block["type"].of(message)) {
		case `"search_result"`:
			return spansOf(textValues(message, block["content"]))
		case `"document"`:
			source := within(message, block["source"])
			if string(source["type"].of(message)) == `"text"` {
				return []span{source["data"]}
			}
			return spansOf(textValues(message, source["content"]))
		}
		return []span{block["text"]}
	})
}

func spansOf(values []value) (all []span) {
	for _, v := range values {
		all = append(all, v.span)
	}
	return all
}

func (messagesAPI) answers(response []byte) [][]span { return [][]span{{{0, len(response)}}} }

func (messagesAPI) repeat(message, _ []byte) []byte {
	content, _ := lookup(message, "content")
	return messageOf("assistant", content.of(message))
}

func (messagesAPI) newResults(calls []call, results []string) [][]byte {
	var blocks [][]byte
	for i, c := range calls {
		blocks = append(blocks, slices.Concat([]byte(`{"type":"tool_result",`+fieldOf("tool_use_id", c.id)+`"is_error":true,"content":`), quote(results[i]), []byte("}")))
	}
	return [][]byte{messageOf("user", slices.Concat([]byte("["), bytes.Join(blocks, []byte(",")), []byte("]")))}
}

func (messagesAPI) newSystem(text string) []byte { return quote(text) }

func (messagesAPI) editSystem(s *splices, body []byte, value span, text string) {
	editText(s, body, value, text, textPart)
}

func (messagesAPI) newMessage(text string, _ bool) []byte {
	return messageOf("user", quote(text))
}

// host returns the message of the user before the index, which has the results of tools, or the one
// after it.
func (messagesAPI) host(body []byte, messages []span, index int) (int, bool) {
	for _, i := range []int{index - 1, index} {
		if i < 0 || i >= len(messages) {
			continue
		}
		m := messages[i].of(body)
		role, _ := lookup(m, "role")
		if _, ok := lookup(m, "content"); ok && string(role.of(m)) == `"user"` {
			return i, true
		}
	}
	return 0, false
}

// addParts adds texts to the beginning and the end of a content, as parts.
func addParts(s *splices, body []byte, content span, before, after []string) {
	raw, comma := content.of(body), []byte(",")
	first, last := bytes.Join(textParts(before), comma), bytes.Join(textParts(after), comma)
	switch parts := elements(raw); {
	case raw[0] == '"':
		said := [][]byte{partOf(raw)}
		all := slices.Concat(textParts(before), said, textParts(after))
		s.add(content, []byte("["), bytes.Join(all, comma), []byte("]"))
	case len(parts) == 0:
		s.add(content, []byte("["), bytes.Join(textParts(slices.Concat(before, after)), comma), []byte("]"))
	default:
		if len(before) > 0 {
			s.insert(content.start+parts[0].start, first, comma)
		}
		if len(after) > 0 {
			s.insert(content.start+parts[len(parts)-1].end, comma, last)
		}
	}
}

func textParts(texts []string) (parts [][]byte) {
	for _, text := range texts {
		parts = append(parts, textPart(text))
	}
	return parts
}

func (messagesAPI) mayCall(event []byte) bool {
	return bytes.Contains(event, []byte("tool_use")) || bytes.Contains(event, []byte("input_json_delta"))
}

func (messagesAPI) readEvent(s *stream, event []byte) (f fragments) {
	e := object(event)
	key := string(e["index"].of(event)) + "/"
	switch string(e["type"].of(event)) {
	case `"content_block_start"`:
		block := within(event, e["content_block"])
		s.opened[key] = string(block["type"].of(event)) == `"tool_use"`
		if input := present(event, block["input"]); s.opened[key] && input != (span{}) {
			f.whole = []span{input}
		}
	case `"content_block_delta"`:
		if s.opened[key] {
			at := within(event, e["delta"])["partial_json"]
			f.addPiece(event, at, piece{key: key, rest: at})
		}
	case `"content_block_stop"`:
		delete(s.opened, key)
		f.ended = []string{key}
	}
	return f
}
