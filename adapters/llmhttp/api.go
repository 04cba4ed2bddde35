package llmhttp

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// api reads and writes the requests of an API. It has no state. Those whose requests have more
// than a list of messages implement the interfaces below.
type api interface {
	name() string
	// listField is the field with the messages.
	listField() string
	// readMessage adds a message to a transcript, and returns its role, and the content if it
	// is a system message. The role is "" if it is not understood.
	readMessage(t *transcript, raw []byte) prompt.Message
	// newMessage returns a message with a block. Its role is "developer" if the API has such
	// and the conversation has them.
	newMessage(text string, developer bool) []byte
	// systemMessages reports whether messages may be those of the system.
	systemMessages() bool
	// calls returns the calls of the client's tools in a message of the model.
	calls(message []byte) []call
	// results returns the results of the client's tools in a message.
	results(message []byte) []passage
	// answers returns the messages of each of the alternatives in a response.
	answers(response []byte) [][]span
	// repeat returns a message of a response as a message for a request, or nil to leave it out.
	repeat(message, request []byte) []byte
	// newResults returns the messages with the results of calls that are refused.
	newResults(calls []call, results []string) [][]byte
	// mayCall reports whether an event of a stream may have a part of a call.
	mayCall(event []byte) bool
	// readEvent returns the parts of calls in an event of a stream.
	readEvent(s *stream, event []byte) fragments
}

// systemAPI is an API whose requests have a field with the system prompt.
type systemAPI interface {
	systemField() string
	// newSystem returns a value of the field.
	newSystem(text string) []byte
	// editSystem removes blocks from the value of the field, and adds a text if not "".
	editSystem(s *splices, body []byte, value span, text string)
}

// textAPI is an API whose conversation may be one message that is not in a list.
type textAPI interface {
	// readText adds such a conversation to a transcript, and returns false if it is none.
	readText(t *transcript, raw []byte) bool
	// newList returns the message for a list.
	newList(raw []byte) []byte
}

// hostAPI is an API where a block is added to a message, because messages of the system cannot
// be inserted.
type hostAPI interface {
	// host returns the index of the message next to an index, and false if none can have a
	// block.
	host(body []byte, messages []span, index int) (int, bool)
}

// apiOf returns the API of a request, or nil.
func apiOf(req *http.Request) api {
	if req.Method != http.MethodPost || req.Body == nil || req.Body == http.NoBody || req.Header.Get("Content-Encoding") != "" || isSigned(req) {
		return nil
	}
	switch path := req.URL.Path; {
	case strings.HasSuffix(path, "/chat/completions"):
		return chatAPI{}
	case strings.HasSuffix(path, "/responses"):
		return responsesAPI{}
	case strings.HasSuffix(path, "/messages"):
		return messagesAPI{}
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return geminiAPI{}
	}
	return nil
}

// isSigned reports whether a request has a signature of its body, as those to AWS.
func isSigned(req *http.Request) bool {
	return strings.HasPrefix(req.Header.Get("Authorization"), "AWS4-") || req.Header.Get("X-Amz-Content-Sha256") != ""
}

// unmarshal decodes JSON of a client. It ignores what it does not know.
func unmarshal(raw []byte, into any) bool {
	return json.Unmarshal(raw, into, lenient) == nil
}

// part is a part of a message's content.
type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// textsOf returns the texts of a content: a text, parts, or an object with parts.
func textsOf(raw jsontext.Value) []string {
	switch raw.Kind() {
	case '"':
		if text, err := unquote(raw); err == nil && text != "" {
			return []string{text}
		}
	case '[':
		var parts []part
		if !unmarshal(raw, &parts) {
			return nil
		}
		var texts []string
		for _, p := range parts {
			if p.Text != "" {
				texts = append(texts, p.Text)
			}
		}
		return texts
	case '{':
		var content struct {
			Parts jsontext.Value `json:"parts"`
		}
		if unmarshal(raw, &content) && content.Parts.Kind() == '[' {
			return textsOf(content.Parts)
		}
	}
	return nil
}

// plain returns arguments as text: a text that has JSON, or the JSON.
func plain(raw jsontext.Value) string {
	if raw.Kind() == '"' {
		if text, err := unquote(raw); err == nil {
			return text
		}
	}
	return string(raw)
}

// maxSaid is how many bytes at the end of what was said are kept: more than a recorder uses.
const maxSaid = 12 << 10

// said adds a message of the user or of the model to a transcript.
func (t *transcript) said(role string, texts []string) {
	text := strings.Join(texts, "\n")
	if text == "" {
		return
	}
	if len(text) > maxSaid {
		text = strings.Clone(text[len(text)-maxSaid:])
	}
	switch role {
	case "user":
		t.user = text
	case "assistant":
		t.assistant = text
	}
}

// result adds a result that consists of texts.
func (t *transcript) result(id, name string, texts []string, failed bool) {
	call := middleware.ToolCall{ID: id, Name: name}
	if failed {
		call.Err = middleware.FailureOf(texts...)
	} else {
		call.Result = middleware.ResultOf(nil, texts...)
	}
	t.history.AddResult(call)
}
