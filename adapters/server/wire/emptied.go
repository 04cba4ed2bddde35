package wire

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UnmarshalJSONFrom implements json.UnmarshalerFrom: it also notes what Emptied tells.
func (m *Message) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type plain Message
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, (*plain)(m), dec.Options()); err != nil {
		return err
	}
	for _, field := range []struct {
		name  string
		empty bool
	}{
		{"name", m.Name == ""}, {"reasoning", m.Reasoning == ""}, {"tool_call_id", m.ToolCallID == ""}, {"tool_calls", len(m.ToolCalls) == 0},
	} {
		if field.empty && isNamed(raw, field.name) {
			m.emptied = append(m.emptied, field.name)
		}
	}
	return nil
}

// Emptied reports whether a message was read from JSON that has a field with nothing in it:
// null, "" or []. Who sends that knows the field, and may have taken away what it held; who
// leaves it out may never have seen it. It is of name, reasoning, tool_call_id and
// tool_calls.
func (m *Message) Emptied(field string) bool { return slices.Contains(m.emptied, field) }

// isNamed reports whether an object has a field.
func isNamed(object jsontext.Value, name string) bool {
	if !bytes.Contains(object, []byte(`"`+name+`"`)) {
		return false
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(object), jsontext.AllowDuplicateNames(true))
	if _, err := dec.ReadToken(); err != nil {
		return false
	}
	for dec.PeekKind() == '"' {
		is, err := dec.ReadToken()
		if err != nil || is.String() == name {
			return err == nil
		}
		if dec.SkipValue() != nil {
			return false
		}
	}
	return false
}
