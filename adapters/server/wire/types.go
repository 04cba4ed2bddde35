package wire

import (
	stdjson "encoding/json"
	"errors"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// readsItself reports whether a type implements json.Unmarshaler.
func readsItself(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[stdjson.Unmarshaler]())
}

// scalar checks a value that is no list and no object against a type.
func scalar(t reflect.Type, kind jsontext.Kind, raw jsontext.Value) *wrong {
	var err error
	switch {
	case kind == 'n':
		return wanted(t)
	case readsItself(t):
		err = reflect.New(t).Interface().(stdjson.Unmarshaler).UnmarshalJSON(raw)
	case t.Kind() == reflect.String && kind == '"':
		return nil
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 && kind == '0':
		err = json.Unmarshal(raw, reflect.New(t).Interface())
	case t.Kind() == reflect.Bool && (kind == 't' || kind == 'f'):
		return nil
	default:
		return wanted(t)
	}
	if w, ok := errors.AsType[*wrong](err); ok {
		return w
	}
	if err != nil {
		return wanted(t)
	}
	return nil
}

// wanted returns the error of a value that does not have type t.
func wanted(t reflect.Type) *wrong {
	switch t {
	case reflect.TypeFor[Time](), reflect.TypeFor[time.Time]():
		return &wrong{"datetime_type", "Input should be a valid datetime"}
	case reflect.TypeFor[SearchOrBool]():
		return &wrong{"bool_type", "Input should be a valid boolean or a search"}
	}
	switch t.Kind() {
	case reflect.String:
		return &wrong{"string_type", "Input should be a valid string"}
	case reflect.Bool:
		return &wrong{"bool_type", "Input should be a valid boolean"}
	case reflect.Float32, reflect.Float64:
		return &wrong{"float_type", "Input should be a valid number"}
	case reflect.Slice:
		return &wrong{"list_type", "Input should be a valid list"}
	case reflect.Map:
		return &wrong{"dict_type", "Input should be a valid dictionary"}
	case reflect.Struct:
		return &wrong{"model_attributes_type", "Input should be a valid dictionary or object to extract fields from"}
	default:
		return &wrong{"int_type", "Input should be a valid integer"}
	}
}
