package reading

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/record"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// endObject keeps the findings of an ending object, and passes fields that belong to the enclosing
// object on to it.
func (r *Reader) endObject(fr *frame) {
	r.dropSecrets(fr)
	r.close(fr)
	if fr.hoisted && !fr.Outermost {
		r.hoist(fr, false)
		return
	}
	switch v := fr.Judge(r.call, &r.scratch); v.Kind {
	case record.Description:
		r.hoist(fr, true)
	case record.Junk:
		r.drop(fr)
	case record.Value:
		r.replaceFields(fr, v)
	case record.Record:
		r.endRecord(fr, v.ID)
	case record.Names:
		for i := range v.Found {
			v.Found[i].Order, v.Found[i].Path = r.Next(), appendKey(r.path(-1), v.Found[i].Field.Key.Name)
			r.add(&v.Found[i].Sighting, fr, record.KeyInMap)
		}
		r.explainFields(fr, record.Identity{}, fr.Noun)
		r.drop(fr)
	default:
		s := finding.Sighting{Path: r.path(-1)}
		r.refer(fr, record.Identity{}, &s)
		r.explainFields(fr, record.Identity{}, "")
		r.bubble(fr)
	}
}

// endRecord adds a record, its references and its candidates.
func (r *Reader) endRecord(fr *frame, id record.Identity) {
	s := fr.Record(id, r.beyond > 0)
	s.Order, s.Path = fr.order, r.path(-1)
	label := s.Name
	if fr.Listed {
		label = record.Label(&s)
	}
	if why, _ := id.Why(); why == record.NameAsID && vocabulary.TreeNouns.Has(s.Type) {
		r.placeBelow(&s, fr)
	}
	r.set.Wrap(fr.found)
	r.add(&s, fr, record.OwnID)
	r.refer(fr, id, &s)
	r.explainFields(fr, id, s.Type)
	r.drop(fr)
	r.nameChild(fr, label)
}

// refer adds the entities that an object refers to, and its candidates.
func (r *Reader) refer(fr *frame, id record.Identity, s *finding.Sighting) {
	r.addFound(fr.References(id, s), s.Path, nil)
	if !r.set.CandidatesFull() || r.Explain != nil {
		r.addFound(fr.Candidates(s), s.Path, fr)
	}
}

// addFound adds the entities that Judge found in the fields of the object at a path.
func (r *Reader) addFound(found []record.Found, path []byte, in *frame) {
	for i := range found {
		r.pathBuf = append(append(path, '.'), found[i].Field.Key.Name...)
		found[i].Order, found[i].Path = r.Next(), r.pathBuf
		if why := r.add(&found[i].Sighting, in, record.Candidate); why != record.Candidate {
			found[i].Field.Became = why
		}
		found[i].Field.Type = found[i].Type
	}
}

// maxChildren is the number of records within a record whose names describe it.
const maxChildren = 3

// nameChild keeps the name of a record in a list, or under a key, as a fact about the enclosing
// record: an order is recognized by its items, and an item by its product.
func (r *Reader) nameChild(fr *frame, name []byte) {
	n := len(r.frames)
	if len(name) == 0 || len(name) > maxFactBytes || n < 2 {
		return
	}
	key, around := fr.Key, &r.frames[n-2]
	if around.array && n > 2 {
		key, around = around.Key, &r.frames[n-3]
	} else if r.written > 0 {
		return
	}
	if key == nil || around.array || around.children == maxChildren || len(r.fields)-around.fields >= record.MaxFields {
		return
	}
	around.children++
	r.fields = append(r.fields, record.Field{Key: key, Text: r.store(name), Kind: document.String, Nested: true, Child: true})
}

// hoist passes the fields of a part to the enclosing object as that object's own. A
// type stated by the object itself takes precedence, and a name if the part only
// describes the object.
func (r *Reader) hoist(fr *frame, describes bool) {
	for i := fr.fields; i < len(r.fields); i++ {
		if describes || r.fields[i].Key.Class == naming.ClassType {
			r.fields[i].Hoisted = true
		}
	}
}

// replaceFields replaces the fields of a frame by one field of the enclosing frame.
func (r *Reader) replaceFields(fr *frame, v record.Verdict) {
	fd := v.Field
	called := bytes.Clone(fd.Called) // which fd.Text may replace
	if v.KeyText != nil {
		fd.Key = r.keys.Key(v.KeyText)
	}
	r.drop(fr)
	if fd.Key.Class == naming.ClassSecret || fd.Key.Class == naming.ClassNoise || len(fd.Text) == 0 {
		return
	}
	fd.Text, fd.Called = r.store(fd.Text), r.store(called)
	r.fields = append(r.fields, fd)
	r.nameChild(fr, called)
}

// drop removes the fields of a frame.
func (r *Reader) drop(fr *frame) {
	r.fields, r.arena = r.fields[:fr.fields], r.arena[:fr.arena]
}

// bubble passes the facts of a part to the enclosing record, as many as fit. It moves
// them to the start of the part, so that memory stays bounded for any number of
// parts.
func (r *Reader) bubble(fr *frame) {
	outer, key := fr, fr.Key
	if around := r.enclosing(len(r.frames) - 1); around != nil {
		outer = around
	}
	if fr.Listed {
		key = fr.List
	}
	names := key != nil && key.Traits.Has(naming.TraitNames) || r.call.Arguments && fr.Property
	fields := r.fields[fr.fields:]
	r.drop(fr)
	for i := range fields {
		fd := fields[i]
		if len(r.fields)-outer.fields >= record.MaxFields || len(r.fields)-fr.fields >= record.MaxFields/4 {
			break
		}
		if fr.Listed && !names && fd.Key.Traits.Has(naming.TraitPerson) { // one of several people
			continue
		}
		if fd.Key.Class == naming.ClassPlain || fd.Key.Class == naming.ClassName || fd.Key.Class == naming.ClassTypedName {
			fd.Nested, fd.Text = fd.Nested || !names || fd.Key.Traits&(naming.TraitName|naming.TraitPerson) == 0, r.store(fd.Text)
			fd.Hoisted = !fd.Nested
			r.fields = append(r.fields, fd)
		}
	}
}
