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
	o.scratch.found = o.scratch.found[:0]
	for i := range o.Fields {
		fd := &o.Fields[i]
		if fd.Nested || fd.isTaken() {
			continue
		}
		why := Candidacy(fd.Key, fd.Kind, fd.Text)
		if why == Candidate && len(record.ID) > 0 && (isLink(fd.Key) || fd.Key.Class == naming.ClassName && !fd.looksLikeID()) {
			why = LinkOfRecord
		}
		if why == Candidate || fd.became == Undecided {
			fd.settle(why)
		}
		if why == Candidate {
			o.describeLate(record)
			label := record.Name
			if len(label) == 0 {
				label = record.Description
			}
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

// Candidacy returns Candidate for a scalar that may be an identifier whatever its key is,
// else why it is none.
func Candidacy(k *naming.Key, kind document.Kind, text []byte) Reason {
	const shortest, longest = 3, 200
	switch {
	case len(text) < shortest || len(text) > longest:
		return BadLength
	case kind == document.Bool || shape.IsMediaType(text):
		return NoIdentifier
	case !shape.MayBeCandidate(text) && (k == nil || k.Class != naming.ClassPlain || !vocabulary.NamedNouns.Has(naming.LastWord(k.Noun))):
		return NoIdentifier
	case k != nil && k.Class == naming.ClassNoise:
		return Noise
	case k != nil && k.Class == naming.ClassType:
		return StatedType
	case kind == document.Number:
		counts := k != nil && k.Class == naming.ClassPlain && vocabulary.NotReferenced.Has(naming.LastWord(k.Snake))
		if counts || len(text) < 5 || !shape.IsDigits(text) {
			return Figure
		}
		return Candidate
	case bytes.IndexByte(text, ' ') >= 0 || !IsLine(text):
		return Words
	}
	s := shape.Of(text)
	switch {
	case s == shape.NotID:
		return NoIdentifier
	case k != nil && k.Class == naming.ClassPlain && vocabulary.NamedNouns.Has(naming.LastWord(k.Noun)):
	case !shape.HasDigit(text):
		if !shape.IsPath(text) && !shape.IsGenerated(text) {
			return NoIdentifier
		}
	case s < shape.LikelyID && shape.IsDigits(text):
		return Figure
	case s < shape.LikelyID && k != nil && k.Class == naming.ClassPlain && shape.IsShortWord(text):
		return ShortWord
	}
	return Candidate
}
