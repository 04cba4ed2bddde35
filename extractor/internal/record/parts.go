package record

import (
	"bytes"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

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

// isNameMap recognizes maps between names and identifiers. byName is set if the names are
// the keys.
func (o *Object) isNameMap() (byName, ok bool) {
	if o.HasParts || len(o.Fields) < 2 || o.Noun == "" {
		return false, false
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
	return byName, byID || byName
}

// IsDisplayName reports whether a key is written for people: it begins with a capital
// or contains a space.
func IsDisplayName(key string) bool {
	return strings.Contains(key, " ") || key != "" && (key[0] >= 'A' && key[0] <= 'Z' || key[0] >= 0x80)
}
