package middleware

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// DecisionKind is what happened to an entity.
type DecisionKind string

// What happens to entities in the context. A call has Used before Seen or
// Repeated, and these before what makes an entity leave.
const (
	// DecisionSeen is an entity that is new to the context.
	DecisionSeen DecisionKind = "seen"
	// DecisionRepeated is one that came again; what is new of it was merged.
	DecisionRepeated DecisionKind = "repeated"
	// DecisionUsed is one whose id a call took as an argument.
	DecisionUsed DecisionKind = "used"
	// DecisionMerged is one that turned out to be the same as By and goes on as
	// that: its type became known, or its id is now written another way.
	DecisionMerged DecisionKind = "merged"
	// DecisionRefused is one that the context did not take, for Reason.
	DecisionRefused DecisionKind = "refused"
	// DecisionRemoved is one that a call deleted.
	DecisionRemoved DecisionKind = "removed"
	// DecisionEvicted is one that fell off because others came; By is the
	// foremost of them.
	DecisionEvicted DecisionKind = "evicted"
	// DecisionDropped is one that the program took out of the context itself, or
	// pushed off.
	DecisionDropped DecisionKind = "dropped"
)

// What happens to entities in the block. What leaves the context leaves the
// block with it; that is not said again.
const (
	// DecisionShown is an entity that came into the block.
	DecisionShown DecisionKind = "shown"
	// DecisionHidden is one that fell out of the block, or did not come into
	// it, for Reason: one of the texts of prompt.Verdict.
	DecisionHidden DecisionKind = "hidden"
)

// Decision is something that happened to an entity.
type Decision struct {
	// Time is when it happened, in UTC.
	Time time.Time `json:"time"`
	// Call is the number of the recorded call that did it, from 1: of a log of
	// SessionsOptions.Decisions, among those that this log was told of. Of
	// DecisionShown and DecisionHidden it is the last call before the block was
	// rendered. 0 is the program itself, which changed the context between
	// calls or before the first.
	Call int `json:"call"`
	// CallID is the model's id of the call; empty where it has none.
	CallID string `json:"call_id,omitempty"`
	// Tool is the name of the tool that was called; empty where no call did it.
	Tool string `json:"tool,omitempty"`
	// Path is where in the call's result an entity stood, as in "$.pages[0]",
	// if it was Seen or Repeated there.
	Path string `json:"path,omitempty"`
	// Kind is what happened.
	Kind DecisionKind `json:"kind"`
	// Reason is why, where Kind does not say it all.
	Reason string `json:"reason,omitempty"`
	// Type is the type of the entity at that time.
	Type string `json:"type"`
	// ID is the id of the entity.
	ID string `json:"id"`
	// ByType and ByID name the entity that it was Evicted by or Merged with.
	ByType string `json:"by_type,omitempty"`
	ByID   string `json:"by_id,omitempty"`
}

// String is the decision as a line for readers. What cannot be printed in it is
// quoted; it is no format to be parsed.
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

// What is what happened, without the call and the entity: "seen at $.pages[0]",
// "hidden: over the limit per type".
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

// printable is s, in quotes if something in it cannot be printed.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}
