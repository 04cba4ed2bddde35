package evaluation

import (
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/jsonlines"
)

// Kinds of values, beside document's kinds of scalars.
const (
	list document.Kind = document.String + 1 + iota
	object
)

// value is a document as a tree.
type value struct {
	kind   document.Kind
	text   string   // of a scalar
	items  []*value // of a list
	fields []field  // of an object, in order
	quoted bool     // of a scalar: it was inside a string that holds JSON
}

type field struct {
	key   string
	value *value
}

// isData reports whether the value is a list or an object.
func (v *value) isData() bool { return v.kind == list || v.kind == object }

// field returns the last value of an object's key, or nil.
func (v *value) field(key string) *value {
	for i := len(v.fields) - 1; i >= 0; i-- {
		if v.fields[i].key == key {
			return v.fields[i].value
		}
	}
	return nil
}

// stringField returns the text of a string under an object's key, or "".
func (v *value) stringField(key string) string {
	if f := v.field(key); f != nil && f.kind == document.String {
		return f.text
	}
	return ""
}

// hasOnly reports whether an object has no keys but the given ones.
func (v *value) hasOnly(keys wordSet) bool {
	for i := range v.fields {
		if _, ok := keys[v.fields[i].key]; !ok {
			return false
		}
	}
	return v.kind == object
}

// tree is a document.Visitor that builds a value.
type tree struct {
	root *value
	open []*value
	key  string
}

func (t *tree) Object()                           { t.begin(object) }
func (t *tree) Array()                            { t.begin(list) }
func (t *tree) Key(name []byte) document.Decision { t.key = string(name); return document.Take }
func (t *tree) Item() document.Decision           { return document.Take }
func (t *tree) End()                              { t.open = t.open[:len(t.open)-1] }
func (t *tree) Scalar(kind document.Kind, text []byte) {
	t.add(&value{kind: kind, text: string(text)})
}

func (t *tree) begin(kind document.Kind) {
	v := &value{kind: kind}
	t.add(v)
	t.open = append(t.open, v)
}

func (t *tree) add(v *value) {
	if len(t.open) == 0 {
		t.root = v
		return
	}
	if in := t.open[len(t.open)-1]; in.kind == list {
		in.items = append(in.items, v)
	} else {
		in.fields = append(in.fields, field{t.key, v})
	}
}

// read parses a text with a reader of internal/document. It returns nil on error.
func read(text string, reader func([]byte, document.Visitor, document.Limits) document.Result) *value {
	var t tree
	if reader([]byte(text), &t, document.Limits{Depth: 900, Scalar: jsonlines.MaxBytes, Plain: true}).Err != nil {
		return nil
	}
	return t.root
}

// maxWraps is how deep documents may be wrapped.
const maxWraps = 6

var (
	itemKeys     = setOf("type", "text", "annotations", "_meta", "meta")
	envelopeKeys = setOf("_meta", "meta", "content", "isError", "structuredContent")
)

// readResult returns the text of a tool result as structured data if it is JSON or a
// YAML list or mapping, else as text. Envelopes of MCP and strings that hold JSON are
// replaced by their content.
func readResult(text string, wraps int) *value {
	text = unwrapPython(text)
	if v := read(text, document.JSON); v != nil {
		v = unwrap(v, wraps)
		if content := v.field("content"); v.hasOnly(envelopeKeys) && content != nil && (content.isData() || content.kind == document.String) {
			return content
		}
		return v
	}
	if v := read(text, document.YAML); v != nil && v.isData() {
		return v
	}
	return &value{kind: document.String, text: text}
}

// unwrapPython returns the text in Python's repr of a CallToolResult. Other texts are
// returned unchanged.
func unwrapPython(text string) string {
	start, end := strings.Index(text, "content=["), strings.LastIndex(text, "] isError=")
	if start < 0 || end < start || !strings.Contains(firstRunes(text, 200), "TextContent(") {
		return text
	}
	content := read(text[start+len("content="):end+1], document.Python)
	if content == nil {
		return text
	}
	var texts []string
	for _, item := range content.items {
		texts = append(texts, item.stringField("text"))
	}
	return strings.Join(texts, "\n")
}

// unwrap replaces content items of MCP and strings that hold JSON by their content.
func unwrap(v *value, wraps int) *value {
	if wraps > maxWraps {
		return v
	}
	switch v.kind {
	case object:
		if v.isTextItem() && v.hasOnly(itemKeys) && v.field("text").kind == document.String {
			return readResult(v.stringField("text"), wraps+1)
		}
		for i := range v.fields {
			v.fields[i].value = unwrap(v.fields[i].value, wraps+1)
		}
	case list:
		single := len(v.items) == 1 && v.items[0].isTextItem()
		for i := range v.items {
			v.items[i] = unwrap(v.items[i], wraps+1)
		}
		if single {
			return v.items[0]
		}
	case document.String:
		if strings.HasPrefix(v.text, "{") || strings.HasPrefix(v.text, "[") {
			if inner := read(v.text, document.JSON); inner != nil && len(v.text) > 2 {
				inner = unwrap(inner, wraps+1)
				for s := range inner.scalars() {
					s.quoted = true
				}
				return inner
			}
		}
	}
	return v
}

func (v *value) isTextItem() bool { return v.stringField("type") == "text" }
