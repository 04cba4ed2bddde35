package pydata

import (
	"math"
	"strconv"
	"strings"
)

// Kind is the Python type of a Value, as far as the evaluation tells types apart.
type Kind uint8

// The kinds. Other stands for dates, bytes, sets and what else YAML has.
const (
	None Kind = iota
	Bool
	Int
	Float
	String
	Other
	List
	Dict
)

// Value is a Python value. Values may be shared: YAML aliases point to one.
type Value struct {
	Kind Kind
	// Text is what Python's str gives for a scalar; empty for lists and dicts.
	Text string
	// Items are the items of a List.
	Items []*Value
	// Fields are the entries of a Dict, in the order of first insertion, each key once.
	Fields []Field
	// Source is the JSON text the value was read from; empty for other values.
	Source string
}

// Field returns the value of a Dict's key, or nil.
func (v *Value) Field(key string) *Value {
	for i := range v.Fields {
		if v.Fields[i].Key == key {
			return v.Fields[i].Value
		}
	}
	return nil
}

// Field is an entry of a Dict.
type Field struct {
	// Key is what Python's str gives for the key.
	Key   string
	Value *Value
}

// IsData reports whether the value is a list or a dict.
func (v *Value) IsData() bool { return v.Kind == List || v.Kind == Dict }

// Text is a String value.
func Text(s string) *Value { return &Value{Kind: String, Text: s} }

// Parse reads a text as JSON where it is JSON, else as YAML where it is a YAML
// list or mapping, else it is the value itself.
func Parse(text string) *Value {
	if v, err := ParseJSON(text); err == nil {
		return v
	}
	if v, err := ParseYAML(text); err == nil && v.IsData() {
		return v
	}
	return Text(text)
}

// dict collects the entries of a Dict: a later value of a key wins, the first
// one's place is kept.
type dict struct {
	fields []Field
	at     map[dictKey]int
}

// dictKey tells the key 1 from the key "1", but not from 1.0 and True.
type dictKey struct {
	kind Kind
	text string
}

func (d *dict) set(kind Kind, key string, value *Value) {
	k := keyOf(kind, key)
	if i, ok := d.at[k]; ok {
		d.fields[i].Value = value
		return
	}
	if d.at == nil {
		d.at = make(map[dictKey]int)
	}
	d.at[k] = len(d.fields)
	d.fields = append(d.fields, Field{Key: key, Value: value})
}

func keyOf(kind Kind, text string) dictKey {
	switch kind {
	case Bool:
		if text == "True" {
			return dictKey{Int, "1"}
		}
		return dictKey{Int, "0"}
	case Float:
		if whole, ok := strings.CutSuffix(text, ".0"); ok {
			return dictKey{Int, whole}
		}
	}
	return dictKey{kind, text}
}

// floatText is Python's repr of a float: the shortest digits that read back to
// it, with an exponent below 1e-4 and from 1e16 on.
func floatText(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
