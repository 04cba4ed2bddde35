package document

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
)

// Value reads a Go value as encoding/json would write it: exported fields by their
// json tags, maps in the order of their keys, json.Marshaler and
// encoding.TextMarshaler by their output. Unlike there, a []byte is text, an error is
// its text, and values that JSON cannot express (channels, functions, cycles) are
// left out. Strings are not opened.
func Value(v any, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	e.left = e.lim.Values
	r := &valueReader{emitter: e}
	r.value(v)
	return e.result(FormatValue)
}

// valueReader walks a Go value. The depth of its recursion is bounded by Limits.Depth
// and by path.
type valueReader struct {
	*emitter
	path   []visit
	fields map[reflect.Type][]field // of the struct types seen
	buf    []byte
}

// visit is a pointer, map or slice that is being read.
type visit struct {
	address uintptr
	length  int
	typ     reflect.Type
}

// value reads the types of decoded JSON without reflection.
func (r *valueReader) value(v any) {
	switch v := v.(type) {
	case nil:
		r.null()
	case string:
		r.text(v)
	case bool:
		r.scalar(Bool, strconv.AppendBool(r.buf[:0], v))
	case float64:
		r.float(v, 64)
	case int:
		r.scalar(Number, strconv.AppendInt(r.buf[:0], int64(v), 10))
	case json.Number:
		r.number(string(v))
	case json.RawMessage:
		r.json(v)
	case []byte:
		r.scalar(String, valid(v))
	default:
		r.reflected(reflect.ValueOf(v))
	}
}

func (r *valueReader) null() { r.scalar(Null, []byte("null")) }

func (r *valueReader) text(s string) { r.scalar(String, valid(view(s))) }

func (r *valueReader) number(s string) {
	kind := String
	if ok, _ := isNumber(view(s)); ok {
		kind = Number
	}
	r.scalar(kind, valid(view(s)))
}

// float writes a number as encoding/json does, so that large ids kept in a float64
// have no exponent.
func (r *valueReader) float(f float64, bits int) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		r.null()
		return
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	text := strconv.AppendFloat(r.buf[:0], f, format, -1, bits)
	if n := len(text); format == 'e' && n >= 4 && string(text[n-4:n-1]) == "e-0" { // e-09 is e-9
		text = append(text[:n-2], text[n-1])
	}
	r.scalar(Number, text)
}

// json delivers embedded JSON.
func (r *valueReader) json(text []byte) {
	depth := r.depth
	j := newJSONReader(r.emitter, text)
	defer j.close()
	if err := j.value(); err != nil {
		r.recordError(ErrMarshal)
		r.endTo(depth)
	}
}

// reflected reads any value by reflection.
func (r *valueReader) reflected(v reflect.Value) {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		r.null()
		return
	}
	if r.marshaled(v) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		r.scalar(Bool, strconv.AppendBool(r.buf[:0], v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		r.scalar(Number, strconv.AppendInt(r.buf[:0], v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		r.scalar(Number, strconv.AppendUint(r.buf[:0], v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		r.float(v.Float(), v.Type().Bits())
	case reflect.String:
		r.text(v.String())
	case reflect.Pointer, reflect.Map, reflect.Slice:
		r.referenced(v)
	case reflect.Array:
		r.list(v)
	case reflect.Struct:
		r.structure(v)
	}
}

// referenced reads a value that may contain itself.
func (r *valueReader) referenced(v reflect.Value) {
	if v.Kind() != reflect.Pointer && v.IsNil() {
		r.null()
		return
	}
	at := visit{address: v.Pointer(), typ: v.Type()}
	if v.Kind() == reflect.Slice {
		at.length = v.Len()
	}
	switch {
	case slices.Contains(r.path, at):
		r.recordError(ErrCycle)
		return
	case len(r.path) > 2*r.lim.Depth: // pointers to pointers open no container
		r.recordError(ErrDepth)
		return
	}
	r.path = append(r.path, at)
	defer func() { r.path = r.path[:len(r.path)-1] }()
	switch {
	case v.Kind() == reflect.Pointer:
		r.reflected(v.Elem())
	case v.Kind() == reflect.Map:
		r.table(v)
	case v.Type().Elem().Kind() == reflect.Uint8:
		r.scalar(String, valid(v.Bytes()))
	default:
		r.list(v)
	}
}

// list reads a slice or array.
func (r *valueReader) list(v reflect.Value) {
	if !r.array() {
		return
	}
	for i := range v.Len() {
		decision := r.item()
		if decision == Stop {
			break
		}
		if decision == Take {
			r.element(v.Index(i))
		}
	}
	r.end()
}

// table reads a map.
func (r *valueReader) table(v reflect.Value) {
	if !r.object() {
		return
	}
	defer r.end()
	if m, ok := exported(v).(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !r.pair(name, func() { r.value(m[name]) }) {
				return
			}
		}
		return
	}
	type entry struct {
		name string
		key  reflect.Value
	}
	entries := make([]entry, 0, v.Len())
	for _, key := range v.MapKeys() {
		if name, ok := r.keyName(key); ok {
			entries = append(entries, entry{name, key})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	for _, e := range entries {
		if !r.pair(e.name, func() { r.element(v.MapIndex(e.key)) }) {
			return
		}
	}
}

// structure reads a struct.
func (r *valueReader) structure(v reflect.Value) {
	if !r.object() {
		return
	}
	defer r.end()
	for _, f := range r.fieldsOf(v.Type()) {
		value, err := v.FieldByIndexErr(f.index)
		if err != nil || f.omit(value) { // an error means: in an embedded nil pointer
			continue
		}
		if !r.pair(f.name, func() { r.element(value) }) {
			return
		}
	}
}

// pair delivers a key and its value and reports whether the visitor wants more.
func (r *valueReader) pair(name string, value func()) bool {
	decision := r.key(valid(view(name)))
	if decision == Take {
		value()
	}
	return decision != Stop
}

// element reads a part of a value, without reflection where possible.
func (r *valueReader) element(v reflect.Value) {
	if v.Kind() == reflect.Interface && !v.IsNil() && v.CanInterface() {
		r.value(v.Interface())
		return
	}
	r.reflected(v)
}
