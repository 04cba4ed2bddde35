package memory

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

// remove removes what the change names.
func (c *changing) remove() {
	for _, s := range c.draft.removals {
		ref := c.draft.record(s)
		if id := ref.identity(); string(ref.typ()) == "folder" && strings.HasSuffix(id.text(), "/") {
			c.removeBelow(id.text())
			continue
		}
		if p := c.gone.candidate(ref); p != nowhere && c.draft.forgets {
			c.gone.remove(p)
		}
		from, p := c.removable(ref)
		if p == nowhere {
			continue
		}
		c.changed = c.changed || !from.at(p).fresh()
		gone := record(slices.Clone(from.at(p))).facts()
		from.remove(p)
		if roles[gone.role] != RoleCandidate {
			c.dropParts(&gone)
			c.bury(&gone)
		}
		c.removed++
	}
}

// mayBeFile reports whether an entity may be below a folder: acme/web may be a repository.
func (f *facts) mayBeFile() bool {
	switch string(f.text[textType]) {
	case "file", "folder", "directory", "path", "document", FallbackType:
		return true
	}
	return strings.HasPrefix(f.idText(), "/")
}

// removeBelow removes what is below a folder.
func (c *changing) removeBelow(folder string) {
	for _, from := range [...]*entries{c.kept, c.loose} {
		if from == nil {
			continue
		}
		for _, p := range from.newest(nil, from.len()) { // newest first: the places of older ones stay valid
			if f := from.at(p).facts(); strings.HasPrefix(f.idText(), folder) && f.mayBeFile() {
				c.changed = c.changed || !f.fresh
				from.remove(p)
				c.removed++
			}
		}
	}
}

// maxGone is how many removed entities are remembered.
const maxGone = 32

// bury remembers a removed entity.
func (c *changing) bury(gone *facts) {
	if gone.fresh || c.draft.forgets {
		return
	}
	if c.gone == nil {
		c.gone = new(entries)
	}
	gone.held, gone.made = false, false
	hash := c.gone.hashOf(&gone.identity)
	if p, _, _ := c.gone.lookup(&gone.identity, hash); p != nowhere {
		c.gone.remove(p)
	}
	c.gone.pushFront(hash, c.draft.pack(gone))
	for c.gone.len() > maxGone || c.gone.size() > maxLooseBytes {
		c.gone.remove(c.gone.oldest())
	}
}

// removable returns the record that the Ref of a removal names, an entity or a candidate. One of
// either that has the type comes before others.
func (c *changing) removable(ref record) (from *entries, p place) {
	if p := c.kept.resolve(ref, strict); p != nowhere {
		return c.kept, p
	}
	candidate := c.loose.namedCandidate(ref, c.kept)
	if candidate != nowhere && c.loose.at(candidate).role() != RoleCandidate {
		return c.loose, candidate
	}
	if p := c.kept.removable(ref); p != nowhere {
		return c.kept, p
	}
	if candidate != nowhere || c.loose == nil || !isTyped(ref) {
		return c.loose, candidate
	}
	return c.loose, c.loose.removable(ref)
}

// minDistinctID is the length in bytes of the shortest id that is taken for the same thing
// under another type. Shorter ones are numbers that things of several types have.
const minDistinctID = 4

// removable returns the record that the Ref of a removal names. The rules are those of
// Change.Remove.
func (e *entries) removable(ref record) place {
	p := e.resolve(ref, strict)
	id := ref.identity()
	text := id.text()
	if p == nowhere && len(text) >= minDistinctID {
		if p = e.resolve(ref, lenient); p == nowhere {
			p = e.byAlias(text, nil)
		}
	}
	if p != nowhere || len(ref.typ()) == 0 {
		return p
	}
	for _, named := range e.newest(nil, e.len()) { // a deleted thing is rarely unknown
		f := e.at(named).facts()
		if string(f.text[textName]) != text || !english.SameNoun(f.text[textType], ref.typ()) {
			continue
		}
		if p != nowhere {
			return nowhere
		}
		p = named
	}
	return p
}

// dropParts removes what was kept of the record of an entity that is gone: the candidates in it,
// and paths that end in its id. References from it lose the label that it gave them.
func (c *changing) dropParts(gone *facts) {
	for _, from := range [...]*entries{c.kept, c.loose} {
		if from == nil {
			continue
		}
		for _, p := range from.newest(nil, from.len()) { // newest first: the places of older ones stay valid
			part := from.at(p).facts()
			switch {
			case part.isPathTo(gone), roles[part.role] == RoleCandidate && part.isPartOf(gone):
				from.remove(p)
			case part.dropFact(gone):
				from.replace(p, c.draft.pack(&part))
			case roles[part.role] == RoleReference && len(part.text[textName]) == 0 && part.isPartOf(gone):
				part.text[textDescription] = nil
				from.replace(p, c.draft.pack(&part))
			default:
				continue
			}
			c.changed = c.changed || !part.fresh
		}
	}
}

// isWithin reports whether an entity is from within the record of another one.
func (f *facts) isWithin(whole *facts) bool {
	rest, within := bytes.CutPrefix(f.text[textPath], whole.text[textPath])
	return within && len(rest) > 0 && (rest[0] == '.' || rest[0] == '[') && bytes.Equal(f.text[textTool], whole.text[textTool])
}

// isPartOf reports whether an entity is from within the record of another one, which labels it.
func (f *facts) isPartOf(whole *facts) bool {
	label := whole.text[textName]
	if len(label) == 0 {
		label = whole.text[textDescription]
	}
	given := bytes.TrimPrefix(f.text[textDescription], []byte("of "))
	return f.isWithin(whole) && len(given) > 0 && (bytes.HasPrefix(label, given) || len(label) > 0 && bytes.HasPrefix(given, label))
}

// minPathEnd is the length in bytes of the shortest id that a path to the same thing ends in.
const minPathEnd = 6

// isPathTo reports whether an entity is another one of the same source under its id with what is
// around it: customers/812/adGroups/166700112299. Names of files are no such ids.
func (f *facts) isPathTo(whole *facts) bool {
	id := whole.idText()
	around, ok := strings.CutSuffix(string(f.text[textID]), id)
	return ok && !f.packed && strings.HasSuffix(around, "/") && len(id) >= minPathEnd && strings.ContainsAny(id, "0123456789") &&
		!strings.ContainsAny(id, "./ ") && bytes.Equal(f.text[textSource], whole.text[textSource])
}

// dropFact removes the name of a part from the description of an entity, and reports whether it
// was there.
func (f *facts) dropFact(part *facts) bool {
	const separator = ", "
	name, text := part.text[textName], f.text[textDescription]
	if len(name) == 0 || !bytes.Contains(text, name) || !part.isWithin(f) {
		return false
	}
	kept := slices.DeleteFunc(bytes.Split(text, []byte(separator)), func(fact []byte) bool { return bytes.Equal(fact, name) })
	f.text[textDescription] = bytes.Join(kept, []byte(separator))
	return len(f.text[textDescription]) < len(text)
}
