package summary

import (
	"errors"
	"fmt"
)

// Errors of summaries. They come wrapped, in Outcome.Err.
var (
	// ErrEmpty is returned when a Summarizer produces no text.
	ErrEmpty = errors.New("session: summarizer wrote nothing")
	// ErrRefused is returned when a Summarizer refuses to write a summary.
	ErrRefused = errors.New("session: summarizer refused")
)

// Status is the result of a summarization.
type Status int

const (
	// None: there was nothing to summarise.
	None Status = iota
	// Done: it was written, and messages left.
	Done
	// Queued: a worker will write it.
	Queued
	// Leased: another is writing one, in this process or elsewhere.
	Leased
	// Postponed: one failed less than Options.RetryAfter ago. The first write
	// after that tries again.
	Postponed
	// Outrun: another changed the summary or the oldest messages meanwhile.
	// Nothing was changed; the next write tries again.
	Outrun
	// NotQueued: too many sessions wait for a worker, or the manager is closed.
	// The next write tries again.
	NotQueued
	// Failed: Outcome.Err says why. The session is as it was; the first
	// write after Options.RetryAfter tries again.
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

// Outcome is the result of a summarization in detail. The zero value is that of one
// with nothing to summarise.
type Outcome struct {
	Status Status
	// Messages is how many messages left.
	Messages int
	// Tokens is the length of the summary, without the identifiers behind it.
	Tokens int
	// Identifiers is how many identifiers stand behind the summary, Lost how many
	// had no room there any more.
	Identifiers, Lost int
	// Err is set if Status is Failed.
	Err error
}
