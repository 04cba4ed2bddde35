package document

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// keyName returns the JSON name of a map key.
func (r *valueReader) keyName(key reflect.Value) (string, bool) {
	for key.Kind() == reflect.Interface && !key.IsNil() {
		key = key.Elem()
	}
	if key.Kind() == reflect.String {
		return key.String(), true
	}
	if m, ok := exported(key).(encoding.TextMarshaler); ok && !isNil(key) {
		text, err := marshal(m.MarshalText)
		if err != nil {
			r.recordError(ErrMarshal)
		}
		return string(text), err == nil
	}
	switch {
	case key.CanInt():
		return strconv.FormatInt(key.Int(), 10), true
	case key.CanUint():
		return strconv.FormatUint(key.Uint(), 10), true
	}
	return "", false
}

// marshaled delivers the output of a value's own marshaler, if it has one.
func (r *valueReader) marshaled(v reflect.Value) bool {
	if v.Type().NumMethod() == 0 && !v.CanAddr() || isNil(v) {
		return false
	}
	if v.CanAddr() && v.Kind() != reflect.Pointer {
		v = v.Addr() // include methods of the pointer
	}
	switch m := exported(v).(type) {
	case json.Marshaler:
		r.output(m.MarshalJSON, r.json)
	case encoding.TextMarshaler:
		r.output(m.MarshalText, func(text []byte) { r.scalar(String, valid(text)) })
	case error:
		r.output(func() ([]byte, error) { return []byte(m.Error()), nil },
			func(text []byte) { r.scalar(String, valid(text)) })
	default:
		return false
	}
	return true
}

// output delivers the output of a marshaler.
func (r *valueReader) output(call func() ([]byte, error), deliver func([]byte)) {
	text, err := marshal(call)
	if err != nil {
		r.recordError(ErrMarshal)
		return
	}
	deliver(text)
}

// marshal calls a marshaler, which is foreign code and may panic.
func marshal(call func() ([]byte, error)) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: panic", ErrMarshal)
		}
	}()
	return call()
}

// exported returns the value as an interface, or nil if it comes from an unexported
// field.
func exported(v reflect.Value) any {
	if !v.CanInterface() {
		return nil
	}
	return v.Interface()
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return v.IsNil()
	}
	return false
}
