package wire

import (
	"reflect"
	"strconv"
	"strings"
)

// shape describes the JSON of a struct. Besides the tag "json" it reads the tag "wire", a list
// of
//
//	required     the field is required
//	required=T   the field is required in a request of type T
//	filled       the field may be missing, but not the empty text
//	max=N        the list has at most N values
type shape struct {
	fields map[string]int // by name, index into the list
	list   []shapeField
}

type shapeField struct {
	name     string
	typ      reflect.Type
	required bool
	filled   bool
	max      int // 0: no limit
}

// shapeOf reads the tags of a struct within a body of type root.
func shapeOf(t, root reflect.Type) *shape {
	s := &shape{fields: map[string]int{}}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" || name == "" {
			continue
		}
		field := shapeField{name: name, typ: f.Type}
		for option := range strings.SplitSeq(f.Tag.Get("wire"), ",") {
			key, value, valued := strings.Cut(option, "=")
			switch key {
			case "required":
				field.required = field.required || !valued || value == root.Name()
			case "filled":
				field.filled = true
			case "max":
				field.max, _ = strconv.Atoi(value)
			}
		}
		s.fields[name] = len(s.list)
		s.list = append(s.list, field)
	}
	return s
}
