package wire

import (
	"reflect"
	"strconv"
	"strings"
)

// shape is what a struct must be sent as. Beside the tags of encoding/json it knows the
// tag "wire", of one or more of
//
//	required     it must be there
//	required=T   it must be there in a request of type T
//	filled       it may be missing, but not be the empty text
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

// shapeOf reads the tags of a struct that stands in a body of type root.
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
