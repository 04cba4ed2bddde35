package wire

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UnmarshalJSONFrom implements json.UnmarshalerFrom. It also records the fields for Emptied.
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

// Emptied reports whether a message was decoded from JSON in which the field is null, "" or [].
// A client that sends an empty field knows it and may have cleared it; one that leaves the
// field out may not know it. The fields are name, reasoning, tool_call_id and tool_calls.
func (m *Message) Emptied(field string) bool { return slices.Contains(m.emptied, field) }

// isNamed reports whether an object has a member of a name.
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
