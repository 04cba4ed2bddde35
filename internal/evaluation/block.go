package evaluation

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// quotedEntity matches an entity of a block: "label" (id, id).
var quotedEntity = regexp.MustCompile(`"((?:[^"\\]|\\.)*)" \(([^()]*)\)`)

// shown is an id in a block.
type shown struct {
	id     string
	entity int     // index of its entity in the block
	header wordSet // of its group
	label  string  // as quoted
}

// blockView is a parsed block: its ids and an index of them.
type blockView struct {
	shown   []shown
	byID    map[string][]int
	handles []string // in the block, the longest first
}

// viewBlock parses a block. It is more lenient than prompt.Parse, because it also
// reads the blocks of other methods. handles maps the handles in the block to their ids.
func viewBlock(block string, handles map[string]string) blockView {
	view := blockView{byID: map[string][]int{}, handles: slices.SortedFunc(maps.Keys(handles), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})}
	var header wordSet
	var entities int
	for line := range strings.SplitSeq(block, "\n") {
		indented := strings.TrimLeftFunc(line, unicode.IsSpace)
		switch {
		case len(indented) < len(line) && strings.HasPrefix(indented, "- "):
			for _, m := range quotedEntity.FindAllStringSubmatch(line, -1) {
				entities++
				for id := range strings.SplitSeq(m[2], ", ") {
					id = cmp.Or(handles[id], id)
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

// first returns the first occurrence of an id.
func (v *blockView) first(id string) *shown { return &v.shown[v.byID[id][0]] }

// outcome describes how a block shows a reference.
type outcome struct {
	found, typed, described bool
	// several is set if entities with other facts are under the same header, distinct
	// if the labels of all of them differ from the reference's.
	several, distinct bool
}

// outcomeOf returns how the block shows a reference.
func (v *blockView) outcomeOf(ref *Reference) outcome {
	if ref.shell != "" {
		shows := v.showsShell(ref)
		return outcome{found: shows, typed: shows}
	}
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

// others returns the ids under a reference's header whose records have other facts.
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

// words returns the words of a label without identifiers, or "" if it has no name.
func (v *blockView) words(s *shown) string {
	label := s.label
	for i := range v.shown {
		label = strings.ReplaceAll(label, v.shown[i].id, "")
	}
	for _, handle := range v.handles {
		label = strings.ReplaceAll(label, handle, "")
	}
	if label = strings.Trim(label, " ,.…-"); strings.HasPrefix(label, "Unnamed") {
		return ""
	}
	return label
}

// says reports whether the label contains a fact of the record.
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
