package evaluation

import (
	"regexp"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/evaluation/pydata"
)

// quotedEntity is an entity of a block: "label" (id).
var quotedEntity = regexp.MustCompile(`"((?:[^"\\]|\\.)*)" \(([^()]*)\)`)

// shown is an entity that a block shows.
type shown struct {
	header wordSet // of the group it stands in
	label  string  // folded, without backslashes
}

// blockView is a block as the score reads it: what it shows of each id.
type blockView map[string][]shown

// viewBlock reads a block. It is more lenient than prompt.Parse, because it
// has to read the blocks of other methods too.
func viewBlock(block string) blockView {
	view := make(blockView)
	var header wordSet
	for line := range strings.SplitSeq(block, "\n") {
		text := strings.TrimFunc(line, pydata.IsSpace)
		indented := strings.TrimLeftFunc(line, pydata.IsSpace)
		switch {
		case len(indented) < len(line) && strings.HasPrefix(indented, "- "):
			for _, m := range quotedEntity.FindAllStringSubmatch(line, -1) {
				label := pydata.Fold(strings.ReplaceAll(m[1], `\`, ""))
				view[m[2]] = append(view[m[2]], shown{header, label})
			}
		case strings.HasSuffix(text, ":"):
			header = wordsOf(text)
		}
	}
	return view
}

// outcome is what became of a reference.
type outcome struct {
	found, typed, described bool
}

// look finds a reference in a block.
func (view blockView) look(ref *Reference) outcome {
	entries := view[ref.Value]
	out := outcome{found: len(entries) > 0}
	for _, e := range entries {
		out.typed = out.typed || e.header.meets(ref.labels)
		out.described = out.described || e.says(ref.facts)
	}
	return out
}

// says reports whether the label says something that the record says.
func (s *shown) says(facts wordSet) bool {
	if s.label == "" {
		return false
	}
	for fact := range facts {
		if strings.Contains(s.label, fact) {
			return true
		}
	}
	return false
}
