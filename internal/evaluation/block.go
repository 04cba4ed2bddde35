package evaluation

import (
	"maps"
	"regexp"
	"strings"
	"unicode"
)

// quotedEntity is an entity of a block: "label" (id, id).
var quotedEntity = regexp.MustCompile(`"((?:[^"\\]|\\.)*)" \(([^()]*)\)`)

// shown is an id that a block shows.
type shown struct {
	id     string
	entity int     // number of its entity in the block
	header wordSet // over its group
	label  string  // as quoted
}

// blockView is a block as the score reads it: the ids that it shows, and where
// each of them is among these.
type blockView struct {
	shown []shown
	byID  map[string][]int
}

// viewBlock reads a block. It is more lenient than prompt.Parse, because it
// has to read the blocks of other methods too.
func viewBlock(block string) blockView {
	view := blockView{byID: map[string][]int{}}
	var header wordSet
	var entities int
	for line := range strings.SplitSeq(block, "\n") {
		indented := strings.TrimLeftFunc(line, unicode.IsSpace)
		switch {
		case len(indented) < len(line) && strings.HasPrefix(indented, "- "):
			for _, m := range quotedEntity.FindAllStringSubmatch(line, -1) {
				entities++
				for id := range strings.SplitSeq(m[2], ", ") {
					view.byID[id] = append(view.byID[id], len(view.shown))
					view.shown = append(view.shown, shown{id, entities, header, m[1]})
				}
			}
		case strings.HasSuffix(strings.TrimSpace(line), ":"):
			header = wordsOf(line)
		}
	}
	return view
}

// first is what a block shows of an id first.
func (v *blockView) first(id string) *shown { return &v.shown[v.byID[id][0]] }

// outcome is how a block shows a reference.
type outcome struct {
	found, typed, described bool
	// several: other entities are under the same header whose records say
	// something else; distinct: no label of theirs reads like its own.
	several, distinct bool
}

// outcomeOf finds a reference in a block.
func (v *blockView) outcomeOf(ref *Reference) outcome {
	var out outcome
	for _, i := range v.byID[ref.Value] {
		s := &v.shown[i]
		out.found = true
		out.typed = out.typed || s.header.meets(ref.labels)
		out.described = out.described || s.says(ref.facts)
	}
	if out.found && ref.Known() {
		others := v.others(ref)
		own := v.words(v.first(ref.Value))
		out.several = len(others) > 0
		out.distinct = out.several && own != ""
		for _, other := range others {
			out.distinct = out.distinct && v.words(other) != own
		}
	}
	return out
}

// others are the ids under a reference's header whose records say something else.
func (v *blockView) others(ref *Reference) []*shown {
	var others []*shown
	own := v.first(ref.Value)
	for i := range v.shown {
		s := &v.shown[i]
		if s.entity != own.entity && maps.Equal(s.header, own.header) && !maps.Equal(ref.seen.factsOf(s.id), ref.facts) {
			others = append(others, s)
		}
	}
	return others
}

// words are what a label says besides identifiers; "" if it has no name.
func (v *blockView) words(s *shown) string {
	label := s.label
	for i := range v.shown {
		label = strings.ReplaceAll(label, v.shown[i].id, "")
	}
	if label = strings.Trim(label, " ,.…-"); strings.HasPrefix(label, "Unnamed") {
		return ""
	}
	return label
}

// says reports whether the label says something that the record says.
func (s *shown) says(facts wordSet) bool {
	label := strings.ToLower(strings.ReplaceAll(s.label, `\`, ""))
	if label == "" {
		return false
	}
	for fact := range facts {
		if strings.Contains(label, firstRunes(fact, factRunes)) {
			return true
		}
	}
	return false
}
