package record

import (
	"bytes"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// valueOfID returns the field that replaces an object under the key of an identifier: {"value":
// "24", "name": "Ann Lee"}, or an identifier beside its type, {"kind": "youtube#video", "videoId": …}.
func (o *Object) valueOfID() (fd Field, ok bool) {
	value, name := &o.Fields[0], &o.Fields[len(o.Fields)-1]
	if value.Key.Class == naming.ClassName {
		value, name = name, value
	}
	fd = Field{Key: o.Key, Text: value.Text, Kind: value.Kind}
	switch isValue := strings.HasPrefix(value.Key.Name, "$") || value.Key.Name == "value" || value.Key.IsID(); {
	case len(o.Fields) > 2:
	case isValue && value == name: // {"$oid": …}
		return fd, true
	case isValue && name.Key.Class == naming.ClassName:
		fd.Called = name.Text
		return fd, true
	case o.Key.Class == naming.ClassID && value.Key.Class == naming.ClassType && name.Key.Class == naming.ClassTypedID:
		return Field{Key: name.Key, Text: name.Text, Kind: name.Kind, own: true}, true
	}
	return Field{}, false
}

// asValue returns the value that an object represents: {"id": {"$oid": "…"}}, {"title": {"rendered":
// "…"}}, {"name": {"first_name": "…", "last_name": "…"}}, {"Key": "Name", "Value": "web"}. The
// key is a text in the last case.
func (o *Object) asValue() (fd Field, key []byte, ok bool) {
	fields, name := o.Fields, o.Key
	if o.Listed && o.List != nil && o.List.Class == naming.ClassName { // FHIR's [{"family": …, "given": […]}]
		name = o.List
	}
	given, family := personParts(fields, true)
	isText := len(fields) == 1 && fields[0].Kind == document.String && fields[0].Key.Snake == "content" // {"title": [{"text": {"content": "Home"}}]}
	isName := name != nil && name.Class == naming.ClassName && (given != nil && family != nil || isText)
	if o.Outermost || len(fields) == 0 || o.HasParts && !isName {
		return Field{}, nil, false
	}
	key, value, isPair := keyValuePair(fields)
	switch {
	case isName:
		return Field{Key: name, Text: joinName(fields), Kind: document.String}, nil, true
	case isPair && (o.Key == nil || o.Key.Class != naming.ClassTypedID):
		return Field{Text: value, Kind: document.String}, key, true
	case o.Key == nil:
	case o.Key.IsID():
		fd, ok = o.valueOfID()
	case o.Key.Class == naming.ClassWeakID && len(fields) == 1 && fields[0].Key.Snake == "href": // {"_links": {"self": {"href": "/orders/523"}}}
		return Field{Key: o.Key, Text: fields[0].Text, Kind: fields[0].Kind}, nil, true
	case (o.Key.Class == naming.ClassName || o.Key.Class == naming.ClassTypedName) && o.find(func(fd *Field) bool { return fd.Key.IsID() }) == nil:
		return Field{Key: o.Key, Text: joinName(fields), Kind: document.String}, nil, true
	}
	return fd, nil, ok
}

// keyValuePair recognizes {"Key": "Name", "Value": "web-1"}.
func keyValuePair(fields []Field) (key, value []byte, ok bool) {
	if len(fields) != 2 {
		return nil, nil, false
	}
	a, b := &fields[0], &fields[1]
	if a.Key.Traits.Has(naming.TraitValue) {
		a, b = b, a
	}
	if !b.Key.Traits.Has(naming.TraitValue) || !strings.EqualFold(a.Key.Name, "key") && !strings.EqualFold(a.Key.Name, "name") {
		return nil, nil, false
	}
	return a.Text, b.Text, true
}

// joinName returns a name given in parts: given and family name, or the first of
// several languages.
func joinName(fields []Field) []byte {
	if given, family := personParts(fields, true); given != nil && family != nil {
		return fullName(given, family)
	}
	var parts [][]byte
	for i := range fields {
		if fields[i].Kind != document.String {
			continue
		}
		if k := fields[i].Key.Snake; len(k) == 2 || len(k) == 5 && k[2] == '_' { // {"en": "Home", "de-CH": "Start"}
			return fields[i].Text
		}
		parts = append(parts, fields[i].Text)
	}
	return bytes.Join(parts[:min(len(parts), 3)], []byte(" "))
}

// personParts returns the first given and family name among the fields of an object, with those of its
// parts if nested is set.
func personParts(fields []Field, nested bool) (given, family []byte) {
	for i := range fields {
		fd := &fields[i]
		switch k := fd.Key; {
		case fd.Kind != document.String || fd.Nested && !nested:
		case given == nil && (k.Given || k.Snake == "given" || k.Snake == "first"):
			given = fd.Text
		case family == nil && (k.Family || k.Snake == "family" || k.Snake == "last"):
			family = fd.Text
		}
	}
	return given, family
}

// fullName joins a given and a family name, one of which may be missing.
func fullName(given, family []byte) []byte {
	return bytes.TrimSpace(bytes.Join([][]byte{given, family}, []byte(" ")))
}

// IsDisplayName reports whether a key is written for people: it begins with a capital
// or contains a space.
func IsDisplayName(key string) bool {
	return strings.Contains(key, " ") || key != "" && (key[0] >= 'A' && key[0] <= 'Z' || key[0] >= 0x80)
}

// nameMap returns the entities of a map between names and identifiers: {"Desk Lamp":
// "6817146515", …}, {"SFO": "San Francisco", …}. It returns nil for other objects.
func (o *Object) nameMap() []Found {
	if o.HasParts || len(o.Fields) < 2 || o.Noun == "" {
		return nil
	}
	byID, byName := true, true
	width := len(o.Fields[0].Key.Name)
	for i := range o.Fields {
		fd := &o.Fields[i]
		name := fd.Key.Name
		isCode := width <= 5 && len(name) == width && shape.IsUpperWord([]byte(name))
		byName = byName && IsDisplayName(name) && shape.IsCoded(fd.Text)
		byID = byID && fd.Kind == document.String && (fd.Key.Class == naming.ClassMapKey || isCode) && fd.shape() != shape.SurelyID
	}
	if !byID && !byName {
		return nil
	}
	for i := range o.Fields {
		fd := &o.Fields[i]
		s := finding.Sighting{Type: o.Noun, ID: []byte(fd.Key.Name), Name: o.clean(fd.Text)}
		fd.Became = KeyInMap
		if byName {
			s.ID, s.Name, fd.Became = fd.Text, o.clean([]byte(fd.Key.Name)), NamedInMap
		}
		o.scratch.found = append(o.scratch.found, Found{s, fd})
	}
	return o.scratch.found
}
