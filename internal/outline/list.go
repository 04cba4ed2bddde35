package outline

import (
	"cmp"
	"slices"
	"strings"
)

// list collects the lines of a structure of which there may be too many to show.
type list struct {
	noun  string
	shown []string
	n     int
}

// add adds a line, which is only made if it is shown.
func (l *list) add(line func() string) {
	if l.n++; len(l.shown) < MaxLines {
		l.shown = append(l.shown, line())
	}
}

// under returns lines with the list below them.
func (l *list) under(lines ...string) string {
	room := MaxLines - len(lines)
	if l.n > room {
		lines = append(lines, l.shown[:room-1]...)
		return limit(append(lines, "… "+count(l.n-room+1, "more "+l.noun)))
	}
	return limit(append(lines, l.shown...))
}

// tally counts by name, for a bounded number of names.
type tally struct {
	names  []string
	counts map[string]int
	others int
}

// maxTally is the number of different names that are counted.
const maxTally = 256

func (t *tally) add(name []byte) {
	if n, ok := t.counts[string(name)]; ok {
		t.counts[string(name)] = n + 1
		return
	}
	if len(t.names) == maxTally {
		t.others++
		return
	}
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.names = append(t.names, string(name))
	t.counts[string(name)] = 1
}

// top returns the most frequent names with their counts, at most n.
func (t *tally) top(n int, show func(string) string) string {
	names := slices.Clone(t.names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(t.counts[b], t.counts[a]) })
	others := t.others
	for _, name := range names[min(n, len(names)):] {
		others += t.counts[name]
	}
	var parts []string
	for _, name := range names[:min(n, len(names))] {
		parts = append(parts, show(name)+" "+number(t.counts[name]))
	}
	if others > 0 {
		parts = append(parts, "others "+number(others))
	}
	return strings.Join(parts, ", ")
}
