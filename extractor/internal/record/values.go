package record

import (
	"bytes"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// asValue returns the value that an object represents: {"id": {"$oid": "…"}}, {"title": {"rendered":
// "…"}}, {"name": {"first_name": "…", "last_name": "…"}}, {"Key": "Name", "Value": "web"}. The
// key is a text in the last case.
func (o *Object) asValue() (fd Field, key []byte, ok bool) {
	fields, k := o.Fields, o.Key
	if o.Outermost || len(fields) == 0 {
		return Field{}, nil, false
	}
	if o.Listed && o.List != nil && o.List.Class == naming.ClassName { // FHIR's [{"family": …, "given": […]}]
		k = o.List
	}
	value, other := &fields[0], &fields[len(fields)-1]
	if other.Key.Traits.Has(naming.TraitValue) || value.Key.Class == naming.ClassName {
		value, other = other, value
	}
	isOne, isTwo := len(fields) == 1, len(fields) == 2
	isName := k != nil && (k.Class == naming.ClassName || k.Class == naming.ClassTypedName)
	isValue := value.Key.Traits.Has(naming.TraitValue) || value.Key.IsID() || strings.HasPrefix(value.Key.Name, "$")
	isText := isOne && value.Kind == document.String && value.Key.Snake == "content" // {"title": [{"text": {"content": "Home"}}]}
	given, family := personParts(fields, true)
	fd = Field{Key: k, Text: value.Text, Kind: value.Kind}
	switch {
	case isName && given != nil && family != nil:
		return Field{Key: k, Text: fullName(given, family), Kind: document.String}, nil, true
	case isText && isName && k.Class == naming.ClassName:
		return fd, nil, true
	case o.HasParts:
	case isTwo && value.Key.Traits.Has(naming.TraitValue) && (k == nil || k.Class != naming.ClassTypedID) &&
		(strings.EqualFold(other.Key.Name, "key") || strings.EqualFold(other.Key.Name, "name")):
		return Field{Text: value.Text, Kind: document.String}, other.Text, true
	case o.Key == nil:
	case isOne && k.IsID() && isValue,
		isOne && k.Class == naming.ClassWeakID && value.Key.Snake == "href": // {"_links": {"self": {"href": "/orders/523"}}}
		return fd, nil, true
	case isTwo && k.IsID() && isValue && other.Key.Class == naming.ClassName: // {"value": "24", "name": "Ann Lee"}
		fd.Called = other.Text
		return fd, nil, true
	case isTwo && k.Class == naming.ClassID && value.Key.Class == naming.ClassType && other.Key.Class == naming.ClassTypedID:
		return Field{Key: other.Key, Text: other.Text, Kind: other.Kind, own: true}, nil, true // {"kind": "youtube#video", "videoId": …}
	case isName && o.find(func(fd *Field) bool { return fd.Key.IsID() }) == nil:
		return Field{Key: k, Text: joinName(fields), Kind: document.String}, nil, true
	}
	return Field{}, nil, false
}

// joinName returns a name given in parts, or in the first of several languages.
func joinName(fields []Field) []byte {
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
