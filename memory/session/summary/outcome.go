package summary

import (
	"errors"
	"fmt"
)

// Errors of summaries, which Outcome.Err wraps.
var (
	// ErrEmpty is returned when a Summarizer produces no text.
	ErrEmpty = errors.New("session: summarizer wrote nothing")
	// ErrRefused is returned when a Summarizer refuses to write a summary.
	ErrRefused = errors.New("session: summarizer refused")
)

// Status is the result of a summarization.
type Status int

const (
	// None: nothing was due.
	None Status = iota
	// Done: the summary was written, and messages left.
	Done
	// Queued: a worker will write the summary.
	Queued
	// Leased: another worker of any process is writing one.
	Leased
	// Postponed: a summary failed less than Options.RetryAfter ago. The first write after
	// that tries again.
	Postponed
	// Outrun: the summary or the oldest messages were changed concurrently. Nothing was
	// written; the next write tries again.
	Outrun
	// NotQueued: too many sessions wait for a worker, or the Manager is closed.
	// The next write tries again.
	NotQueued
	// Failed: Outcome.Err is the cause. Nothing has changed; the first write after
	// Options.RetryAfter tries again.
	Failed
)

// String returns the name of a status.
func (s Status) String() string {
	names := [...]string{"none", "done", "queued", "leased", "postponed", "outrun", "not queued", "failed"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("summary.Status(%d)", int(s))
	}
	return names[s]
}

// Outcome is the detailed result of a summarization. The zero value means that nothing was
// due.
type Outcome struct {
	Status Status
	// Messages is the number of messages that left.
	Messages int
	// Tokens is the length of the summary, without the identifiers after it.
	Tokens int
	// Identifiers is the number of identifiers after the summary, Lost the number of those
	// that did not fit.
	Identifiers, Lost int
	// Err is set if Status is Failed.
	Err error
}
