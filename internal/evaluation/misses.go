package evaluation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MissKind is the reason for a miss.
type MissKind string

// The kinds of misses.
const (
	MissNeverExtracted MissKind = "never extracted"
	// MissNoRoom is a reference that is in memory, but not in the block.
	MissNoRoom  MissKind = "no room in the block"
	MissEvicted MissKind = "evicted"
	MissRemoved MissKind = "removed by a delete"
	MissAbsent  MissKind = "absent" // of methods that cannot explain
	// MissType is a reference under a header that does not fit.
	MissType MissKind = "type does not fit"
	// MissSilent is a reference whose label contains no fact of its record. It counts
	// against Described only.
	MissSilent MissKind = "label says nothing"
	// MissTwin is a reference whose label equals that of another entity under the same
	// header. It counts against Distinct only.
	MissTwin MissKind = "label equals a neighbour's"
	// MissNamed is a record that the user names and that the block does not show with its
	// label. It counts against Named only.
	MissNamed MissKind = "named by the user"
	// MissShell is a shell reference that is no id of the block. It counts against Shell only.
	MissShell MissKind = "in a command"
)

// Miss is a reference that a method missed.
type Miss struct {
	Episode string `json:"episode"`
	Step    int    `json:"step"`
	Tool    string `json:"tool"`
	Key     string `json:"argument"`
	Value   string `json:"value"`
	// Reason is the full explanation.
	Reason string `json:"reason"`
	// Source is the index of the step whose result had the value first, or -1.
	Source int `json:"-"`
}

// Cause is a group of misses that one change would prevent.
type Cause struct {
	Kind MissKind `json:"kind"`
	// Detail divides a kind: the place and the shape of a value that was never
	// extracted or is absent, or the header and the argument that do not fit. It is empty for other
	// kinds.
	Detail string `json:"detail,omitempty"`
	Count  int    `json:"count"`
	// Examples are the first misses; see Comparison.Misses.
	Examples []Miss `json:"examples"`
}

// missCounts counts misses by kind and groups them by cause.
type missCounts struct {
	examples int // kept of each cause; without any, misses are not grouped
	kinds    map[MissKind]int
	causes   map[MissKind]map[string]*Cause // by detail
}

func newMissCounts(examples int) missCounts {
	return missCounts{examples: examples, kinds: map[MissKind]int{}, causes: map[MissKind]map[string]*Cause{}}
}

func (c *missCounts) add(kind MissKind, detail string, m Miss) {
	c.kinds[kind]++
	if c.examples == 0 {
		return
	}
	details := c.causes[kind]
	if details == nil {
		details = map[string]*Cause{}
		c.causes[kind] = details
	}
	cause := details[detail]
	if cause == nil {
		cause = &Cause{Kind: kind, Detail: detail}
		details[detail] = cause
	}
	if cause.Count++; len(cause.Examples) < c.examples {
		cause.Examples = append(cause.Examples, m)
	}
}

// sorted returns the causes: the most frequent kind first, and within a kind the most
// frequent detail.
func (c *missCounts) sorted() []Cause {
	var all []Cause
	for _, details := range c.causes {
		for _, cause := range details {
			all = append(all, *cause)
		}
	}
	slices.SortFunc(all, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(c.kinds[b.Kind], c.kinds[a.Kind]), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(b.Count, a.Count), cmp.Compare(a.Detail, b.Detail))
	})
	return all
}

// detailOf returns the detail of a miss's cause.
func (v *blockView) detailOf(kind MissKind, ref *Reference) string {
	switch kind {
	case MissNeverExtracted, MissAbsent:
		return ref.origin + ", shape " + shapeOf(ref.Value)
	case MissType:
		return fmt.Sprintf("%s for argument %q", listed(v.first(ref.Value).header.sorted()), ref.Key)
	}
	return ""
}

// maxReasonItems is the number of words or facts in a reason.
const maxReasonItems = 8

// typeReason compares a reference's header with the words that fit.
func (v *blockView) typeReason(ref *Reference) string {
	return fmt.Sprintf("header %s does not fit: none of %s", listed(v.first(ref.Value).header.sorted()), listed(ref.Labels()))
}

// silentReason compares a label with the facts it could contain.
func (v *blockView) silentReason(ref *Reference) string {
	facts := make(wordSet)
	for fact := range ref.facts {
		facts[firstRunes(fact, factRunes)] = struct{}{}
	}
	return fmt.Sprintf("label %q contains none of %s", v.first(ref.Value).label, listed(facts.sorted()))
}

// twinReason lists the ids whose labels equal the reference's.
func (v *blockView) twinReason(ref *Reference) string {
	own := v.first(ref.Value)
	words := v.words(own)
	var alike []string
	for _, other := range v.others(ref) {
		if words == "" || words == v.words(other) {
			alike = append(alike, other.id)
		}
	}
	return fmt.Sprintf("label %q does not distinguish it from %s", own.label, listed(alike))
}

func listed(words []string) string {
	if len(words) > maxReasonItems {
		words = append(words[:maxReasonItems:maxReasonItems], "…")
	}
	return strings.Join(words, " | ")
}
