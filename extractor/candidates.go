package extractor

import (
	"bytes"
	"cmp"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
)

// candidatesOf adds the fields of a closed object that a tool may take as identifiers,
// besides those that are its record's own or refer to other records. The links of a record
// with an identity lead to what the identity names.
func (f *finder) candidatesOf(fr *frame, fields []field, record *sighting) {
	label := record.name
	if len(label) == 0 {
		label = record.description
	}
	path := record.path
	for i := range fields {
		fd := &fields[i]
		if fd.nested || fd.taken || len(record.id) > 0 && (isLink(fd.key) || fd.key.Class == naming.ClassName && !f.looksLikeID(fd)) || !isCandidate(fd.key, fd.kind, f.value(fd)) {
			continue
		}
		if path == nil {
			path = f.path(-1)
		}
		if !f.addCandidate(fr, fd.key, &sighting{id: f.value(fd), description: label, path: f.fieldPath(path, fd)}) {
			return
		}
	}
}

// addCandidate adds a candidate with the type that its key or its surroundings give. It
// reports false at the limit of candidates.
func (f *finder) addCandidate(fr *frame, k *naming.Key, s *sighting) bool {
	if f.candidates >= f.x.limits.Candidates {
		return false
	}
	s.typ = fr.noun
	if k != nil && k.Noun != "" {
		s.typ = k.Noun
	}
	s.typ = cmp.Or(s.typ, f.topic())
	s.role, s.order = memory.RoleCandidate, f.next()
	f.candidates++
	f.addFinding(s).standsIn(fr)
	return true
}

func isLink(k *naming.Key) bool {
	return k.Class == naming.ClassLink || k.Class == naming.ClassWeakID && k.Rank == naming.RankURL
}

// isCandidate reports whether a scalar may be an identifier whatever its key is.
func isCandidate(k *naming.Key, kind document.Kind, text []byte) bool {
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
	if bytes.IndexByte(text, ' ') >= 0 || !isUTF8Line(text) {
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
