package record

import (
	"bytes"
	"cmp"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Candidates returns the fields that a tool may take as identifiers, besides those that
// are the record's own or refer to other records. The links of a record with an identity
// lead to what the identity names. The result is valid until the next call of a method of
// the object.
func (o *Object) Candidates(record *finding.Sighting) []Found {
	label := record.Name
	if len(label) == 0 {
		label = record.Description
	}
	o.scratch.found = o.scratch.found[:0]
	for i := range o.Fields {
		fd := &o.Fields[i]
		switch {
		case fd.Nested, fd.isTaken():
		case len(record.ID) > 0 && (isLink(fd.Key) || fd.Key.Class == naming.ClassName && !fd.looksLikeID()):
		case IsCandidate(fd.Key, fd.Kind, fd.Text):
			fd.settle(Candidate)
			s := finding.Sighting{Type: o.CandidateType(o.call, fd.Key), Role: memory.RoleCandidate, ID: fd.Text, Description: label}
			o.scratch.found = append(o.scratch.found, Found{s, fd})
		}
	}
	return o.scratch.found
}

// CandidateType returns the type of a candidate under a key, or in a list of the object's
// kind if k is nil.
func (o *Object) CandidateType(call *Call, k *naming.Key) string {
	if k != nil && k.Noun != "" {
		return k.Noun
	}
	return cmp.Or(o.Noun, call.Topic())
}

// Topic returns the default type of the call's subject: the noun of the tool's name, or
// what remains of a name such as get_listing, whose noun is a container.
func (c *Call) Topic() string {
	if c.Tool.Noun == "" && len(c.Tool.Words) == 1 && vocabulary.EntityNouns.Has(c.Tool.Words[0]) {
		return c.Tool.Words[0]
	}
	return c.Tool.Noun
}

func isLink(k *naming.Key) bool {
	return k.Class == naming.ClassLink || k.Class == naming.ClassWeakID && k.Rank == naming.RankURL
}

// IsCandidate reports whether a scalar may be an identifier whatever its key is.
func IsCandidate(k *naming.Key, kind document.Kind, text []byte) bool {
	const shortest, longest = 3, 200
	if len(text) < shortest || len(text) > longest || kind == document.Bool || !shape.MayBeCandidate(text) {
		return false
	}
	if k != nil {
		switch {
		case k.Class == naming.ClassNoise, k.Class == naming.ClassType:
			return false
		case k.Class == naming.ClassPlain && vocabulary.NotReferenced.Has(naming.LastWord(k.Snake)) && kind == document.Number:
			return false
		}
	}
	if kind == document.Number {
		return len(text) >= 5 && shape.IsDigits(text)
	}
	if bytes.IndexByte(text, ' ') >= 0 || !IsLine(text) {
		return false
	}
	s := shape.Of(text)
	if s == shape.NotID {
		return false
	}
	if shape.HasDigit(text) {
		return s >= shape.LikelyID || !shape.IsDigits(text) && (k == nil || k.Class != naming.ClassPlain || !shape.IsShortWord(text))
	}
	return shape.IsPath(text) || shape.IsGenerated(text)
}
