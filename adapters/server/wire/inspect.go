package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/internal/jsonnumbers"
)

// inspector checks a body before it is decoded, and collects all missing and mistyped values.
// TestWhatOtherDecodersWouldSay shows why other decoders do not suffice.
type inspector struct {
	dec    *jsontext.Decoder
	root   reflect.Type
	shape  func(of, root reflect.Type) *shape
	strict bool // unknown fields are mistakes
	at     []step
	found  []FieldError
}

// step is a part of a place: a name or, if name is empty, an index.
type step struct {
	name  string
	index int
}

var errEnough = errors.New("wire: too many mistakes")

// body inspects the whole input.
func (in *inspector) body() error {
	err := in.value(in.root, shapeField{required: true})
	if err == nil {
		if _, err = in.dec.ReadToken(); err == io.EOF {
			err = nil
		} else if err == nil {
			return broken("unexpected data after the value", in.dec.InputOffset())
		}
	}
	if err != nil && !errors.Is(err, errEnough) {
		return syntax(err, in.dec.InputOffset())
	}
	if len(in.found) > 0 {
		return &Invalid{Fields: in.found}
	}
	return nil
}

// value inspects the next value. Null is valid unless the field is required.
func (in *inspector) value(t reflect.Type, field shapeField) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	kind := in.dec.PeekKind()
	if kind == 'n' && !field.required || t.Kind() == reflect.Interface {
		return in.dec.SkipValue()
	}
	switch {
	case t == reflect.TypeFor[SearchOrBool]() && kind == '{':
		return in.object(reflect.TypeFor[Search]())
	case t.Kind() == reflect.Slice && kind == '[':
		return in.items(t.Elem(), field.max)
	case t.Kind() == reflect.Map && kind == '{':
		return in.dec.SkipValue()
	case t.Kind() == reflect.Struct && kind == '{' && !readsItself(t):
		return in.object(t)
	case kind == '{' || kind == '[':
		if err := in.recordMistake(wanted(t), nil); err != nil {
			return err
		}
		return in.dec.SkipValue()
	}
	raw, err := in.dec.ReadValue()
	if err != nil {
		return err
	}
	if field.filled && kind == '"' && len(raw) == len(`""`) {
		return in.empty(field.name)
	}
	if w := scalar(t, kind, raw); w != nil {
		return in.recordMistake(w, raw)
	}
	return nil
}

// empty records that a memory has an empty field, in the words of agent-memory-server.
func (in *inspector) empty(name string) error {
	index := 0
	if len(in.at) > 1 {
		index = in.at[len(in.at)-2].index
	}
	in.found = append(in.found, Field("value_error", fmt.Sprintf("Value error, Memory at index %d has empty %s", index, name), nil, "body"))
	return in.enough()
}

// items inspects a list.
func (in *inspector) items(t reflect.Type, most int) error {
	if _, err := in.dec.ReadToken(); err != nil {
		return err
	}
	for i := 0; in.dec.PeekKind() != ']'; i++ {
		if most > 0 && i == most {
			in.found = append(in.found, Field("too_long", fmt.Sprintf("List should have at most %d items after validation", most), nil, in.loc()...))
			return errEnough
		}
		in.at = append(in.at, step{index: i})
		if err := in.value(t, shapeField{required: true}); err != nil {
			return err
		}
		in.at = in.at[:len(in.at)-1]
	}
	_, err := in.dec.ReadToken()
	return err
}

// object inspects a struct.
func (in *inspector) object(t reflect.Type) error {
	s := in.shape(t, in.root)
	if _, err := in.dec.ReadToken(); err != nil {
		return err
	}
	var seen uint64 // fields of s.list
	for in.dec.PeekKind() != '}' {
		name, err := in.dec.ReadValue()
		if err != nil {
			return err
		}
		i, known := s.find(name)
		if !known {
			if err := in.unknown(s, name); err != nil {
				return err
			}
			continue
		}
		seen |= 1 << i
		in.at = append(in.at, step{name: s.list[i].name})
		if err := in.value(s.list[i].typ, s.list[i]); err != nil {
			return err
		}
		in.at = in.at[:len(in.at)-1]
	}
	if _, err := in.dec.ReadToken(); err != nil {
		return err
	}
	return in.missing(s, seen)
}

// unknown skips the value of a field that s does not have.
func (in *inspector) unknown(s *shape, quoted jsontext.Value) error {
	if in.strict {
		msg := "Extra inputs are not permitted"
		for i, field := range s.list {
			msg += [...]string{": known are ", ", "}[min(i, 1)] + field.name
		}
		name, _ := jsontext.AppendUnquote(nil, quoted)
		in.found = append(in.found, Field("extra_forbidden", msg, nil, append(in.loc(), short(string(name)))...))
		if err := in.enough(); err != nil {
			return err
		}
	}
	return in.dec.SkipValue()
}

// find returns the index of the field with a quoted name.
func (s *shape) find(quoted []byte) (int, bool) {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name, _ = jsontext.AppendUnquote(nil, quoted)
	}
	i, ok := s.fields[string(name)]
	return i, ok
}

func (in *inspector) missing(s *shape, seen uint64) error {
	for i, field := range s.list {
		if !field.required || seen&(1<<i) != 0 {
			continue
		}
		in.found = append(in.found, Field("missing", "Field required", nil, append(in.loc(), field.name)...))
		if err := in.enough(); err != nil {
			return err
		}
	}
	return nil
}

// recordMistake records an invalid value at the current place.
func (in *inspector) recordMistake(w *wrong, raw jsontext.Value) error {
	var input any
	if len(raw) > 0 && len(raw) <= maxInput {
		_ = json.Unmarshal(raw, &input, jsonnumbers.In()) // it is nil if that fails
	}
	in.found = append(in.found, Field(w.kind, w.msg, input, in.loc()...))
	return in.enough()
}

func (in *inspector) enough() error {
	if len(in.found) >= MaxErrors {
		return errEnough
	}
	return nil
}

func (in *inspector) loc() []any {
	loc := make([]any, 1, len(in.at)+2)
	loc[0] = "body"
	for _, s := range in.at {
		if s.name != "" {
			loc = append(loc, s.name)
		} else {
			loc = append(loc, s.index)
		}
	}
	return loc
}
