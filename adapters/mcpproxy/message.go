package mcpproxy

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Methods of the protocol that the proxy knows.
const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodCallTool   = "tools/call"
	methodListTools  = "tools/list"
	methodResources  = "resources/list"
	methodTemplates  = "resources/templates/list"
	methodRead       = "resources/read"
	methodTaskResult = "tasks/result"
	methodCancelled  = "notifications/cancelled"
)

// message is a JSON-RPC message, whose parts are found but not decoded.
type message struct {
	text []byte
	id   string // canonical; "" in a notification
	// method is empty in an answer.
	method string

	idAt, params, result, failure span
}

// parse finds the parts of a message. It returns false for a batch, and for a text that is not a
// message.
func parse(text []byte) (message, bool) {
	found, ok := members(text, whole(text), "id", "method", "params", "result", "error")
	if !ok {
		return message{}, false
	}
	m := message{text: text, idAt: found[0], params: found[2], result: found[3], failure: found[4]}
	m.id = canonicalID(m.idAt.of(text))
	if found[1].isPresent() {
		m.method, ok = stringOf(text, found[1])
		return m, ok && m.method != ""
	}
	return m, m.id != "" && (m.result.isPresent() || m.failure.isPresent())
}

func (m *message) isRequest() bool { return m.method != "" && m.id != "" }

func (m *message) isAnswer() bool { return m.method == "" }

// param returns a parameter that is a string, or "".
func (m *message) param(name string) string {
	found, _ := members(m.text, m.params, name)
	value, _ := stringOf(m.text, found[0])
	return value
}

// errorCode returns the code of an answer with an error, or 0.
func (m *message) errorCode() int {
	found, _ := members(m.text, m.failure, "code")
	code, _ := strconv.Atoi(string(found[0].of(m.text)))
	return code
}

// canonicalID returns a text for an id that is the same for each way to write it, or "" for none.
// Strings begin with a quotation mark.
func canonicalID(raw []byte) string {
	switch k := jsontext.Value(raw).Kind(); k {
	case '"':
		value, err := jsontext.AppendUnquote([]byte{'"'}, raw)
		if err != nil {
			return string(raw)
		}
		return string(value)
	case '0':
		if _, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			return string(raw)
		}
		if f, err := strconv.ParseFloat(string(raw), 64); err == nil {
			return strconv.FormatFloat(f, 'f', -1, 64) // 1.0 and 1e0 are 1
		}
		return string(raw)
	}
	return ""
}

// JSON-RPC error codes.
const (
	codeMethodNotFound = -32601
	codeInvalidRequest = -32600
	codeInternalError  = -32603
)

// answerTo returns the answer to a request.
func answerTo(m *message, member string, value []byte) []byte {
	text := append([]byte(`{"jsonrpc":"2.0","id":`), m.idAt.of(m.text)...)
	text = append(append(text, `,"`+member+`":`...), value...)
	return append(text, "}\n"...)
}

func resultFor(m *message, result []byte) []byte { return answerTo(m, "result", result) }

func errorFor(m *message, code int, text string) []byte {
	value := append([]byte(`{"code":`), strconv.Itoa(code)...)
	value = append(append(value, `,"message":`...), quoted(text)...)
	return answerTo(m, "error", append(value, '}'))
}
