package record

import (
	"bytes"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// isValueKey reports whether the only field of an object holds its value: {"$oid":
// …}, {"value": …}.
func isValueKey(k *naming.Key) bool {
	return strings.HasPrefix(k.Name, "$") || k.Name == "value" || k.IsID()
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
	if hasPersonParts(fields) {
		return fullName(partOf(fields, isGiven), partOf(fields, isFamily))
	}
	var parts [][]byte
	for i := range fields {
		if fields[i].Kind != document.String {
			continue
		}
		if k := fields[i].Key.Name; len(k) == 2 || len(k) == 5 && (k[2] == '-' || k[2] == '_') { // {"en": "Home", "de-CH": "Start"}
			return fields[i].Text
		}
		if len(parts) < 3 {
			parts = append(parts, fields[i].Text)
		}
	}
	return bytes.Join(parts, []byte(" "))
}

// hasPersonParts reports whether the fields of a name are a given and a family name, among
// others.
func hasPersonParts(fields []Field) bool {
	return partOf(fields, isGiven) != nil && partOf(fields, isFamily) != nil
}

// partOf returns the first text that satisfies a condition.
func partOf(fields []Field, is func(*Field) bool) []byte {
	for i := range fields {
		if fd := &fields[i]; fd.Kind == document.String && is(fd) {
			return fd.Text
		}
	}
	return nil
}

// fullName joins a given and a family name, one of which may be missing.
func fullName(given, family []byte) []byte {
	return bytes.TrimSpace(bytes.Join([][]byte{given, family}, []byte(" ")))
}

func isGiven(fd *Field) bool {
	return fd.Key.Given || fd.Key.Snake == "given" || fd.Key.Snake == "first"
}

func isFamily(fd *Field) bool {
	return fd.Key.Family || fd.Key.Snake == "family" || fd.Key.Snake == "last"
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
		byName = byName && IsDisplayName(fd.Key.Name) && shape.IsCoded(fd.Text)
		byID = byID && fd.Kind == document.String && (fd.Key.Class == naming.ClassMapKey || width <= 5 && isCode(fd.Key.Name, width)) && fd.shape() != shape.SurelyID
	}
	return byName, byID || byName
}

// isCode reports whether a key consists of exactly width capitals.
func isCode(key string, width int) bool { return len(key) == width && shape.IsUpperWord([]byte(key)) }

// IsDisplayName reports whether a key is written for people: it begins with a capital
// or contains a space.
func IsDisplayName(key string) bool {
	return strings.Contains(key, " ") || key != "" && (key[0] >= 'A' && key[0] <= 'Z' || key[0] >= 0x80)
}
