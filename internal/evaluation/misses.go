package evaluation

import (
	"fmt"
	"strings"
)

// MissKind is the reason for a miss.
type MissKind string

// The kinds of misses.
const (
	MissNeverExtracted MissKind = "never extracted"
	MissEvicted        MissKind = "evicted"
	MissRemoved        MissKind = "removed by a delete"
	MissBudget         MissKind = "cut by the budget"
	MissPerType        MissKind = "over the per-type limit"
	MissAbsent         MissKind = "absent" // of methods that cannot explain
	// MissLabel is a reference under a header that does not fit.
	MissLabel MissKind = "label does not fit"
	// MissDescription is a reference whose label contains no fact of its record. It
	// counts against Described only.
	MissDescription MissKind = "not described"
	// MissDistinct is a reference whose label equals that of another entity under the
	// same header. It counts against Distinct only.
	MissDistinct MissKind = "not distinct"
)

// Miss is a reference that a method missed.
type Miss struct {
	Episode string   `json:"episode"`
	Step    int      `json:"step"`
	Tool    string   `json:"tool"`
	Key     string   `json:"argument"`
	Value   string   `json:"value"`
	Kind    MissKind `json:"kind"`
	// Reason is the full explanation.
	Reason string `json:"reason"`
}

// maxReasonItems is the number of words or facts in a reason.
const maxReasonItems = 8

// labelReason compares a reference's header with the words that fit.
func (v *blockView) labelReason(ref *Reference) string {
	return fmt.Sprintf("label %s does not fit: none of %s", listed(v.first(ref.Value).header.sorted()), listed(ref.Labels()))
}

// descriptionReason compares a label with the facts it could contain.
func (v *blockView) descriptionReason(ref *Reference) string {
	facts := make(wordSet)
	for fact := range ref.facts {
		facts[firstRunes(fact, factRunes)] = struct{}{}
	}
	return fmt.Sprintf("label %q contains none of %s", v.first(ref.Value).label, listed(facts.sorted()))
}

// distinctReason lists the ids whose labels equal the reference's.
func (v *blockView) distinctReason(ref *Reference) string {
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
