package reading

import (
	"bytes"
	"slices"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/record"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// MaxNestedText is the depth to which documents inside strings are opened.
const MaxNestedText = 3

// holdsDocument reports whether a string is read as a document of its own.
func (r *Reader) holdsDocument(fr *frame, k *naming.Key, text []byte) bool {
	return LooksLikeJSON(text) || r.isMCPText(fr, k)
}

// openNested reads a document inside a string as the value of the string's key.
func (r *Reader) openNested(fr *frame, k *naming.Key, text []byte) bool {
	if r.nesting >= MaxNestedText || len(text) < 2 {
		return false
	}
	written := r.written
	if r.isTransport(fr, k) {
		text = r.Envelope.OpenText(text)
	} else {
		r.written++
	}
	r.open(text, func(vis document.Visitor, lim document.Limits) document.Result {
		return document.ReadText(text, vis, lim)
	})
	r.written = written
	return true
}

// open reads a document in a text. A text may hold several.
func (r *Reader) open(text []byte, read func(document.Visitor, document.Limits) document.Result) {
	base, pending, before := r.base, r.pending, r.set.Len()
	r.base, r.nesting = len(r.frames), r.nesting+1
	result := read(r, r.limits.Document)
	r.pending = pending
	r.readRest(result, before, text)
	r.base, r.nesting = base, r.nesting-1
}

// isTransport reports whether a string that holds a document was written by a
// program: it is an item of the whole result, or its field is one in which programs pass
// on results. Other fields, and fields of records, may hold the text of a stranger
// (docs/security.md).
func (r *Reader) isTransport(fr *frame, k *naming.Key) bool {
	for i := len(r.frames) - 1; k == nil && i >= r.base; i-- {
		k = r.frames[i].Key
	}
	return k == nil || r.isMCPText(fr, k) || r.isPassedOn(k) || vocabulary.TransportKeys.Has(k.Snake) && r.isBeside(fr, &vocabulary.ExitKeys) ||
		k.Snake == "body" && r.isBeside(fr, &vocabulary.AnswerKeys) && !r.inRecord()
}

// isPassedOn reports whether a field is one in which programs pass on whole results.
func (r *Reader) isPassedOn(k *naming.Key) bool {
	return vocabulary.TransportKeys.Has(k.Snake) && !r.inRecord()
}

// isBeside reports whether the open object already has one of some fields.
func (r *Reader) isBeside(fr *frame, keys *vocabulary.Set) bool {
	return slices.ContainsFunc(r.fields[fr.fields:], func(fd record.Field) bool { return keys.Has(fd.Key.Snake) })
}

// inRecord reports whether an open object of the document has had an identifier, except
// calls of JSON-RPC.
func (r *Reader) inRecord() bool {
	hasID := false
	for _, fd := range r.fields[r.frames[r.base].fields:] {
		if !fd.Nested && fd.Key.Traits.Has(naming.TraitEnvelope) {
			return false
		}
		hasID = hasID || !fd.Nested && fd.Key.Class == naming.ClassID
	}
	return hasID
}

// isMCPText reports whether a text is the content of a Model Context Protocol result,
// {"content":[{"type":"text","text":"…"}]}, or of a single item of one. The result may be the whole result
// or be passed on in one.
func (r *Reader) isMCPText(fr *frame, k *naming.Key) bool {
	if k == nil || k.Name != "text" {
		return false
	}
	n := len(r.frames)
	if fr.Key != nil && fr.Key.Name == "resource" { // an embedded resource
		n--
	}
	if at := n - 3; at == r.base || at > r.base && r.frames[at].Key != nil && r.isPassedOn(r.frames[at].Key) {
		if list := &r.frames[at+1]; list.array && list.Key != nil && list.Key.Name == "content" {
			return true
		}
	}
	depth := len(r.frames) - r.base
	return (depth == 1 || depth == 2 && r.frames[r.base].array) && !r.inRecord() && slices.ContainsFunc(r.fields[fr.fields:], func(fd record.Field) bool { return fd.Key.Name == "type" && string(fd.Text) == "text" })
}

// LooksLikeJSON reports whether a string is in braces or brackets and has a quote or
// a digit after the opening one. "[draft]" and "{name}" do not.
func LooksLikeJSON(s []byte) bool {
	first, last := s[0], s[len(s)-1]
	if !(first == '{' && last == '}' || first == '[' && last == ']') {
		return false
	}
	inner := bytes.TrimLeft(s[1:], " \t\r\n")
	return len(inner) > 0 && (inner[0] == '"' || inner[0] == '{' || inner[0] == '[' || first == '[' && inner[0] >= '0' && inner[0] <= '9')
}
