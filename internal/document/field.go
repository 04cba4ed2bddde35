package document

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// field is a struct field as encoding/json sees it.
type field struct {
	name      string
	index     []int
	tagged    bool
	omitEmpty bool
	omitZero  bool
}

// omit reports whether the field is omitted because of its value.
func (f field) omit(v reflect.Value) bool {
	if f.omitZero && v.IsZero() {
		return true
	}
	if !f.omitEmpty {
		return false
	}
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}

// fieldsOf returns the fields of a struct type in order, computed once per document.
func (r *valueReader) fieldsOf(t reflect.Type) []field {
	if known, ok := r.fields[t]; ok {
		return known
	}
	found := visible(collect(t, nil, nil))
	if r.fields == nil {
		r.fields = map[reflect.Type][]field{}
	}
	r.fields[t] = found
	return found
}

// collect returns the fields of a struct type and of those it embeds. around are the
// types that embed it.
func collect(t reflect.Type, index []int, around []reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		tag := f.Tag.Get("json")
		if tag == "-" {
			continue
		}
		name, rest, _ := strings.Cut(tag, ",")
		embedded := f.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		isStruct := f.Anonymous && embedded.Kind() == reflect.Struct
		switch {
		case isStruct && name == "":
			if embedded != t && !slices.Contains(around, embedded) {
				fields = append(fields, collect(embedded, at, append(slices.Clone(around), t))...)
			}
		case f.IsExported() || isStruct:
			options := strings.Split(rest, ",")
			fields = append(fields, field{
				name: cmp.Or(name, f.Name), index: at, tagged: name != "",
				omitEmpty: slices.Contains(options, "omitempty"),
				omitZero:  slices.Contains(options, "omitzero"),
			})
		}
	}
	return fields
}

// visible returns, of fields with the same name, the least embedded one, tagged
// before untagged. It returns none if several remain.
func visible(fields []field) []field {
	rank := func(f field) int { // fewer is better
		n := 2 * len(f.index)
		if f.tagged {
			n--
		}
		return n
	}
	best := map[string]int{}
	count := map[string]int{}
	for _, f := range fields {
		switch r, ok := best[f.name]; {
		case !ok || rank(f) < r:
			best[f.name], count[f.name] = rank(f), 1
		case rank(f) == r:
			count[f.name]++
		}
	}
	return slices.DeleteFunc(fields, func(f field) bool {
		return rank(f) != best[f.name] || count[f.name] > 1
	})
}
