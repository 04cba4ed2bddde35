package reading

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/extractor/internal/record"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// Judged is a value and what it was taken for. Its slices are valid only during the call of
// Reader.Explain.
type Judged struct {
	// Path is the path of the value in the result.
	Path []byte
	// Value is empty if it may be a secret.
	Value []byte
	Why   record.Reason
	// Type is the type of the entity, if the value is one, and From is where the type of a
	// record comes from.
	Type string
	From record.TypeReason
	// Rule is the name of the rule that read the value, if one did.
	Rule string
}

// explainScalar explains a scalar that is not kept as a field. Its key is that of the
// value or, in a list, of the list.
func (r *Reader) explainScalar(kind document.Kind, text []byte, typ string, why record.Reason) {
	if r.Explain == nil || why != record.Secret && !looksInteresting(kind, text, why) {
		return
	}
	path := r.path(-1)
	switch {
	case len(r.frames) > 0 && r.top().array:
		path = r.path(r.top().index - 1)
	case r.pending != nil:
		path = append(append(path, '.'), r.pending.Name...)
	}
	if why == record.Secret {
		text = nil
	}
	r.Explain(Judged{Path: path, Value: text, Why: why, Type: typ})
}

// explainFields explains the fields of an object that has been judged, and an identifier that is not
// among them. If the object is a record, typ is its type.
func (r *Reader) explainFields(fr *frame, id record.Identity, typ string) {
	if r.Explain == nil {
		return
	}
	path := bytes.Clone(r.path(-1))
	if why, key := id.Why(); key != "" {
		r.Explain(Judged{Path: path, Value: []byte(key), Why: why, Type: typ, From: fr.TypeFrom})
	}
	for i := range fr.Fields {
		fd := &fr.Fields[i]
		why := fd.Became
		if fd.Nested || !looksInteresting(fd.Kind, fd.Text, why) {
			continue
		}
		j := Judged{Path: append(append(path, '.'), fd.Key.Name...), Value: fd.Text, Why: why, Type: fd.Type}
		if why == record.KeyInMap {
			j.Value = []byte(fd.Key.Name)
		}
		if is := why.Is(); is == "record" || is == "alias" {
			j.Type, j.From = typ, fr.TypeFrom
		}
		r.Explain(j)
	}
}

// looksInteresting reports whether a value may be an identifier, or was taken for one.
func looksInteresting(kind document.Kind, text []byte, why record.Reason) bool {
	if is := why.Is(); is != "nothing" && is != "label" {
		return true
	}
	return kind != document.Bool && len(text) <= shape.MaxID && bytes.IndexByte(text, ' ') < 0 && shape.Of(text) > shape.NotID
}
