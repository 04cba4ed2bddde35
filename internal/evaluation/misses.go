package evaluation

import (
	"fmt"
	"strings"
)

// MissKind says why a reference was missed.
type MissKind string

// The kinds of misses.
const (
	MissNeverExtracted MissKind = "never extracted"
	MissEvicted        MissKind = "evicted"
	MissRemoved        MissKind = "removed by a delete"
	MissBudget         MissKind = "cut by the budget"
	MissPerType        MissKind = "over the per-type limit"
	MissAbsent         MissKind = "absent" // of methods that cannot say why
	// MissLabel is a reference that is shown under a header that does not fit.
	MissLabel MissKind = "label does not fit"
	// MissDescription is a reference whose label says nothing that its record
	// says. It counts against Described alone.
	MissDescription MissKind = "not described"
)

// Miss is a reference that a method missed.
type Miss struct {
	Episode string   `json:"episode"`
	Step    int      `json:"step"`
	Tool    string   `json:"tool"`
	Key     string   `json:"argument"`
	Value   string   `json:"value"`
	Kind    MissKind `json:"kind"`
	// Reason says it in full.
	Reason string `json:"reason"`
}

// maxReasonItems is how many words or facts a reason lists.
const maxReasonItems = 8

// labelReason says what a header says and what it may say.
func labelReason(view blockView, ref *Reference) string {
	header := view[ref.Value][0].header
	return fmt.Sprintf("label %s does not fit: none of %s", listed(header.sorted()), listed(ref.Labels()))
}

// descriptionReason says what a label says and what it could say.
func descriptionReason(view blockView, ref *Reference) string {
	return fmt.Sprintf("label %q says none of %s", view[ref.Value][0].label, listed(ref.facts.sorted()))
}

func listed(words []string) string {
	if len(words) > maxReasonItems {
		words = append(words[:maxReasonItems:maxReasonItems], "…")
	}
	return strings.Join(words, " | ")
}
