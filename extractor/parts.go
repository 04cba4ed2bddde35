package extractor

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// asField converts an object that represents one value into a field of the enclosing
// object: {"id": {"$oid": "…"}}, {"title": {"rendered": "…"}}, {"name":
// {"first_name": "…", "last_name": "…"}}, {"Key": "Name", "Value": "web"}.
func (f *finder) asField(fr *frame) bool {
	fields := f.fields[fr.fields:]
	if len(f.frames)-1 <= f.base || len(fields) == 0 || fr.objects {
		return false
	}
	if key, value, ok := f.keyValuePair(fields); ok {
		f.replaceFields(fr, f.keys.Key(key), value, document.String)
		return true
	}
	k := fr.key
	if k == nil {
		return false
	}
	switch k.Class {
	case naming.ClassID, naming.ClassTypedID:
		if len(fields) == 1 && isValueKey(fields[0].key) {
			f.replaceFields(fr, k, f.value(&fields[0]), fields[0].kind)
			return true
		}
		return k.Class == naming.ClassID && k.Rank == 0 && f.asTypedID(fr, fields)
	case naming.ClassName, naming.ClassTypedName:
		if slices.ContainsFunc(fields, func(fd field) bool { return fd.key.Class == naming.ClassID || fd.key.Class == naming.ClassTypedID }) {
			return false
		}
		f.replaceFields(fr, k, f.joinName(fields), document.String)
		return true
	}
	return false
}

// asTypedID recognizes an identifier beside its type: {"id": {"kind":
// "youtube#video", "videoId": …}}.
func (f *finder) asTypedID(fr *frame, fields []field) bool {
	if len(fields) != 2 || fields[0].key.Class != naming.ClassType || fields[1].key.Class != naming.ClassTypedID {
		return false
	}
	f.replaceFields(fr, fields[1].key, f.value(&fields[1]), fields[1].kind)
	if n := len(f.fields); n > fr.fields {
		f.fields[n-1].own = true
	}
	return true
}

// isDescription reports whether a part with another entity's identifier only
// describes the record around it: {"id": …, "snippet": {"title": …, "channelId": …}}.
func (f *finder) isDescription(fr *frame, id identity) bool {
	if fr.key == nil || !fr.key.Traits.Has(naming.TraitDescribes) || id.field == nil || id.field.key.Class != naming.ClassTypedID || naming.IsWithin(id.field.key.Noun, fr.noun) {
		return false
	}
	n := len(f.frames)
	if n-2 < f.base || f.frames[n-2].array {
		return false
	}
	around := &f.frames[n-2]
	return fr.fields-around.fields < maxFields && f.isIdentified(around, fr.fields)
}

// isIdentified reports whether the fields before end identify a record.
func (f *finder) isIdentified(fr *frame, end int) bool {
	for i := fr.fields; i < end; i++ {
		if fd := &f.fields[i]; !fd.nested && f.identityRank(fr, fd) < noIdentity {
			return true
		}
	}
	return false
}

// hoistDescription moves the fields of a part to the record it describes. A name of
// the record's own takes precedence.
func (f *finder) hoistDescription(fr *frame) {
	for i := fr.fields; i < len(f.fields); i++ {
		f.fields[i].hoisted = true
	}
}

// isValueKey reports whether the only field of an object holds its value: {"$oid":
// …}, {"value": …}.
func isValueKey(k *naming.Key) bool {
	return strings.HasPrefix(k.Name, "$") || k.Name == "value" || k.Class == naming.ClassID || k.Class == naming.ClassTypedID
}

// keyValuePair recognizes {"Key": "Name", "Value": "web-1"}.
func (f *finder) keyValuePair(fields []field) (key, value []byte, ok bool) {
	if len(fields) != 2 {
		return nil, nil, false
	}
	a, b := &fields[0], &fields[1]
	if a.key.Traits.Has(naming.TraitValue) {
		a, b = b, a
	}
	if !b.key.Traits.Has(naming.TraitValue) || !strings.EqualFold(a.key.Name, "key") && !strings.EqualFold(a.key.Name, "name") {
		return nil, nil, false
	}
	return f.value(a), f.value(b), true
}

// joinName returns a name given in parts: given and family name, or the first of
// several languages.
func (f *finder) joinName(fields []field) []byte {
	var parts [][]byte
	for i := range fields {
		if fields[i].kind != document.String {
			continue
		}
		if len(fields[i].key.Name) == 2 { // {"en": "Home", "de": "Start"}
			return f.value(&fields[i])
		}
		if len(parts) < 3 {
			parts = append(parts, f.value(&fields[i]))
		}
	}
	return bytes.Join(parts, []byte(" "))
}

func (f *finder) replaceFields(fr *frame, k *naming.Key, value []byte, kind document.Kind) {
	value = bytes.Clone(value)
	f.drop(fr)
	if k.Class == naming.ClassSecret || k.Class == naming.ClassNoise || len(value) == 0 {
		return
	}
	f.fields = append(f.fields, field{key: k, text: f.store(value), kind: kind})
}

// asNameMap recognizes maps between names and identifiers: {"Desk Lamp":
// "6817146515", …}, {"SFO": "San Francisco", …}.
func (f *finder) asNameMap(fr *frame, fields []field) bool {
	if fr.objects || len(fields) < 2 || fr.noun == "" {
		return false
	}
	byID, byName := true, isDisplayName(fields[0].key.Name)
	width := len(fields[0].key.Name)
	var prefix []byte
	if byName {
		prefix = codePrefix(f.value(&fields[0]))
	}
	for i := range fields {
		fd := &fields[i]
		if fd.nested {
			return false
		}
		byName = byName && isDisplayName(fd.key.Name) && (isListedID(fd.kind, f.value(fd)) || isPrefixed(f.value(fd), prefix))
		byID = byID && fd.kind == document.String && (fd.key.Class == naming.ClassMapKey || width <= 5 && isCode(fd.key.Name, width)) && f.shape(fd) != shape.SurelyID
		if !byID && !byName {
			return false
		}
	}
	for i := range fields {
		fd := &fields[i]
		path := append(strconv.AppendQuote(append(f.path(-1), '['), fd.key.Name), ']')
		s := sighting{typ: fr.noun, order: f.next(), id: []byte(fd.key.Name), name: f.clean(f.value(fd)), path: path}
		if byName {
			s.id, s.name = f.value(fd), f.clean([]byte(fd.key.Name))
		}
		if c := f.add(&s); c != nil {
			c.standsIn(fr)
		}
	}
	return true
}

// codePrefix returns the prefix of a code of two parts, WH- of WH-8J85, or nil for
// other texts.
func codePrefix(code []byte) []byte {
	return code[:bytes.IndexAny(code, "-_")+1]
}

// isPrefixed reports whether a text is a code with the given prefix.
func isPrefixed(code, prefix []byte) bool {
	rest, ok := bytes.CutPrefix(code, prefix)
	return ok && len(prefix) > 1 && len(rest) > 1 && shape.MayLookLikeID(rest) && shape.Of(code) >= shape.MaybeID
}

// isCode reports whether a key consists of exactly width capitals.
func isCode(key string, width int) bool { return len(key) == width && shape.IsUpperWord([]byte(key)) }

// isDisplayName reports whether a key is written for people: it begins with a capital
// or contains a space.
func isDisplayName(key string) bool {
	return strings.Contains(key, " ") || key != "" && (key[0] >= 'A' && key[0] <= 'Z' || key[0] >= 0x80)
}
