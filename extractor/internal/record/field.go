package record

import (
	"bytes"
	"iter"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/secret"
)

// MaxFields is the number of fields kept for one object.
const MaxFields = 64

// Field is a scalar of an object, or of a part of it that is not a record itself.
type Field struct {
	Key *naming.Key
	// Text is the value.
	Text []byte
	Kind document.Kind
	// Nested is set for fields of an inner object: facts about the record, not its
	// identity.
	Nested bool
	// Hoisted is set for a type stated by a part of the record, and for a name in a
	// part that describes the record.
	Hoisted bool
	// Child is set for the name of a record in a list of this one.
	Child bool
	// Spaced is set if the key or the tool names things whose names have spaces.
	Spaced bool
	// Type is the type of the entity that the field refers to. It is set only for explanations.
	Type string
	// Called is the name, in the same value, of the entity that the field refers to: {"value": "24", "name":
	// "Ann Lee"}, or [24, "Ann Lee"].
	Called []byte
	// pass is the pass in which the text is added to a description.
	pass pass
	// own is set for a typed identifier found under "id".
	own bool
	// Became is what the field has been taken for so far.
	Became Reason
	// rated is set once rating caches the shape of the text.
	rated  bool
	rating shape.Shape
}

func (fd *Field) shape() shape.Shape {
	if !fd.rated {
		fd.rated, fd.rating = true, shape.Of(fd.Text)
	}
	return fd.rating
}

// looksLikeID reports whether a field's value is at least shape.LikelyID.
func (fd *Field) looksLikeID() bool { return fd.shape() >= shape.LikelyID }

// isID reports whether the value of an identifier's key can be one.
func (fd *Field) isID() bool {
	return IsPlausibleID(fd.Kind, fd.Text, fd.Spaced) && (!fd.Key.Traits.Has(naming.TraitClock) || shape.IsMessageTime(fd.Text))
}

// isTypedID reports whether the value of a typed identifier is one. Values of keys
// such as asset_tag must have an identifier's shape.
func (fd *Field) isTypedID() bool {
	return fd.isID() && (fd.Key.Rank < naming.RankTag || fd.looksLikeID())
}

// mayIdentify reports whether a typed identifier can identify a single thing.
func (fd *Field) mayIdentify() bool {
	return !fd.Key.Plural && fd.Key.Noun != naming.PageToken && fd.isTypedID()
}

// IsPlausibleID reports whether the value of an identifier's key can be one: a whole
// number, or a string that is not a sentence, with spaces only where spaced is set.
func IsPlausibleID(kind document.Kind, text []byte, spaced bool) bool {
	if len(text) > shape.MaxID {
		return false
	}
	switch kind {
	case document.Number:
		return shape.IsDigits(bytes.TrimPrefix(text, []byte("-"))) || shape.IsMessageTime(text)
	case document.String:
		return (HasLetter(text) || shape.HasDigit(text)) && IsIDText(text, spaced) && bytes.Count(text, []byte(" ")) < maxSpaces &&
			!shape.IsNoValue(text) && !shape.IsDataType(text)
	}
	return false
}

// own iterates over the fields of the object itself.
func (o *Object) own() iter.Seq[*Field] {
	return func(yield func(*Field) bool) {
		for i := range o.Fields {
			if fd := &o.Fields[i]; !fd.Nested && !yield(fd) {
				return
			}
		}
	}
}

// find returns the first field that satisfies a condition, of the object or of its parts, or nil.
func (o *Object) find(is func(*Field) bool) *Field {
	for i := range o.Fields {
		if fd := &o.Fields[i]; is(fd) {
			return fd
		}
	}
	return nil
}

// IsSecret reports whether a value under a key, or in its list, is or holds a secret. The key may
// be nil.
func IsSecret(k *naming.Key, text []byte) bool {
	if k != nil && k.IsID() {
		return finding.IsSecretID(k.Noun, text)
	}
	return secret.Within(text)
}

// clean returns a text as appendLine writes it, in scratch memory if necessary.
func (o *Object) clean(text []byte) []byte {
	if isCleanLine(text) {
		return text
	}
	start := len(o.scratch.text)
	o.scratch.text = appendLine(o.scratch.text, text)
	return o.scratch.text[start:]
}

// join joins texts.
func (s *Scratch) join(before []byte, mark string, after []byte) []byte {
	start := len(s.text)
	s.text = append(append(append(s.text, before...), mark...), after...)
	return s.text[start:]
}

// appendLine appends a text as one line, with white space folded and control
// characters removed.
func appendLine(b, text []byte) []byte {
	if isCleanLine(text) {
		return append(b, text...)
	}
	text = bytes.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	return append(b, bytes.Join(bytes.Fields(text), []byte(" "))...)
}

// isCleanLine reports whether cleaning would leave an ASCII text unchanged.
func isCleanLine(text []byte) bool {
	prev := byte(' ')
	for _, c := range text {
		if c < 0x20 || c >= 0x7f || c == ' ' && prev == ' ' {
			return false
		}
		prev = c
	}
	return prev != ' '
}

// IsIDText reports whether a text has only characters of identifiers: valid UTF-8 without
// control characters and white space, but for single spaces where spaced is set, or between
// groups of digits: 845 1120 7736.
func IsIDText(text []byte, spaced bool) bool {
	if bytes.IndexByte(text, ' ') >= 0 && (!spaced && len(bytes.Trim(text, "0123456789 ")) > 0 || bytes.Contains(text, []byte("  "))) {
		return false
	}
	return !bytes.ContainsFunc(text, func(c rune) bool {
		return c == utf8.RuneError || unicode.IsControl(c) || unicode.IsSpace(c) && c != ' '
	})
}

// Cut cuts a text at a rune boundary to at most n bytes, ending in "…".
func Cut(text []byte, n int) []byte {
	n -= len("…")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return append(bytes.Clone(text[:n]), "…"...)
}

// drawn matches marks in front of names in trees, tables and Markdown lists.
const drawn = " │├└─┬┼|`"

// MaxName is the length in bytes of the longest name.
const MaxName = 256

// NameText returns a text as a name: one line of limited length, without secrets and without the lines of trees
// and tables. It is empty if nothing else is left.
func NameText(text []byte) []byte {
	text = bytes.TrimLeft(text, drawn)
	if text = secret.Redact(text); string(text) == secret.Mark {
		return nil
	}
	if len(text) > MaxName {
		text = Cut(text, MaxName)
	}
	return appendLine(nil, text)
}
