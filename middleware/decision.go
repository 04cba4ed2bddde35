package middleware

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// DecisionKind is the kind of a Decision.
type DecisionKind string

// Decisions on entities in the context. Within a call, Used precedes Seen and
// Repeated, which precede the decisions on entities that leave.
const (
	// DecisionSeen means that an entity is new to the context.
	DecisionSeen DecisionKind = "seen"
	// DecisionCandidate means that a value is new to the context as a candidate, which
	// tools may take as an identifier though no record says so.
	DecisionCandidate DecisionKind = "seen as a candidate"
	// DecisionPromoted means that a candidate became an entity: a record had it, a call
	// had it as an argument, or a message mentioned it.
	DecisionPromoted DecisionKind = "promoted"
	// DecisionRepeated means that an entity was found again and merged.
	DecisionRepeated DecisionKind = "repeated"
	// DecisionUsed means that the id of an entity was an argument of a call.
	DecisionUsed DecisionKind = "used"
	// DecisionMerged means that an entity was merged with By, because its type became
	// known or its id is now spelled differently.
	DecisionMerged DecisionKind = "merged"
	// DecisionOverruled means that a result gave an entity another name or type without the
	// authority to, so that the known one stays: see memory.WorkingContext.AddMany.
	DecisionOverruled DecisionKind = "kept its name and type"
	// DecisionRefused means that the context refused an entity, for Reason.
	DecisionRefused DecisionKind = "refused"
	// DecisionRemoved means that a call deleted an entity.
	DecisionRemoved DecisionKind = "removed"
	// DecisionEvicted means that new entities, beginning with By, evicted an entity, which
	// became a candidate if there is room for candidates, or evicted a candidate.
	DecisionEvicted DecisionKind = "evicted"
	// DecisionDropped means that the program removed or evicted an entity itself,
	// outside of calls.
	DecisionDropped DecisionKind = "dropped"
)

// Decisions on entities in the block. An entity that leaves the context also leaves
// the block, without a further decision.
const (
	// DecisionShown means that the block now shows an entity.
	DecisionShown DecisionKind = "shown"
	// DecisionHidden means that the block does not show an entity, or no longer, for
	// Reason: one of the texts of prompt.Verdict.
	DecisionHidden DecisionKind = "hidden"
)

// Decision is an event in the life of an entity.
type Decision struct {
	// Time is the time of the decision, in UTC.
	Time time.Time `json:"time"`
	// Call is the number of the recorded call that caused the decision, from 1. In a
	// log of SessionsOptions.Decisions it counts the calls of that log. For
	// DecisionShown and DecisionHidden it is the last call before the block was
	// rendered. It is 0 if the program changed the context itself.
	Call int `json:"call"`
	// CallID is the model's id of the call. It may be empty.
	CallID string `json:"call_id,omitempty"`
	// Tool is the name of the called tool. It is empty if no call caused the decision.
	Tool string `json:"tool,omitempty"`
	// Path is the position of a seen or repeated entity in the call's result, such as
	// "$.pages[0]".
	Path string `json:"path,omitempty"`
	// Kind is the kind of the decision.
	Kind DecisionKind `json:"kind"`
	// Reason explains the decision further, for some kinds.
	Reason string `json:"reason,omitempty"`
	// Type is the type of the entity at that time.
	Type string `json:"type"`
	// ID is the id of the entity.
	ID string `json:"id"`
	// ByType and ByID name the entity that evicted this one, or that it was merged with.
	ByType string `json:"by_type,omitempty"`
	ByID   string `json:"by_id,omitempty"`
}

// String returns the decision as a line of text. Unprintable parts are quoted. The
// format is not meant to be parsed.
func (d Decision) String() string {
	var b strings.Builder
	switch {
	case d.Kind == DecisionShown || d.Kind == DecisionHidden:
		b.WriteString("block after call " + strconv.Itoa(d.Call))
	case d.Call == 0:
		b.WriteString("outside of calls")
	default:
		b.WriteString("call " + strconv.Itoa(d.Call) + " (" + printable(d.Tool) + ")")
	}
	b.WriteString(": " + printable(d.Type) + " " + printable(d.ID) + " " + d.What())
	return b.String()
}

// What returns the decision without the call and the entity, such as "seen at $.pages[0]"
// or "hidden: over the limit of lines or per type".
func (d Decision) What() string {
	switch by := printable(d.ByType) + " " + printable(d.ByID); {
	case d.Path != "":
		return string(d.Kind) + " at " + printable(d.Path)
	case d.Kind == DecisionEvicted:
		return "evicted by " + by
	case d.Kind == DecisionMerged:
		return "merged with " + by
	case d.Reason != "":
		return string(d.Kind) + ": " + d.Reason
	}
	return string(d.Kind)
}

// printable returns s, quoted if it has unprintable characters.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}
