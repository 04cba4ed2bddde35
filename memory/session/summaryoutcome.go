package session

import (
	"errors"
	"fmt"
)

// Errors of summaries. They come wrapped, in SummaryOutcome.Err.
var (
	// ErrNoSummary says that a Summarizer wrote nothing.
	ErrNoSummary = errors.New("session: summarizer wrote nothing")
	// ErrRefused says that a Summarizer refused to write a summary.
	ErrRefused = errors.New("session: summarizer refused")
)

// SummaryStatus says what became of a summary.
type SummaryStatus int

const (
	// SummaryNone: there was nothing to summarise.
	SummaryNone SummaryStatus = iota
	// SummaryDone: it was written, and messages left.
	SummaryDone
	// SummaryQueued: a worker will write it.
	SummaryQueued
	// SummaryLeased: another is writing one, in this process or elsewhere.
	SummaryLeased
	// SummaryPostponed: one failed less than Summaries.RetryAfter ago. The first write
	// after that tries again.
	SummaryPostponed
	// SummaryOutrun: another changed the summary or the oldest messages meanwhile.
	// Nothing was changed; the next write tries again.
	SummaryOutrun
	// SummaryNotQueued: too many sessions wait for a worker, or the manager is closed.
	// The next write tries again.
	SummaryNotQueued
	// SummaryFailed: SummaryOutcome.Err says why. The session is as it was; the first
	// write after Summaries.RetryAfter tries again.
	SummaryFailed
)

// String returns the name of a status.
func (s SummaryStatus) String() string {
	names := [...]string{"none", "done", "queued", "leased", "postponed", "outrun", "not queued", "failed"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("SummaryStatus(%d)", int(s))
	}
	return names[s]
}

// SummaryOutcome is what became of a summary. The zero value says that there was
// nothing to summarise.
type SummaryOutcome struct {
	Status SummaryStatus
	// Messages is how many messages left.
	Messages int
	// Tokens is the length of the summary, without the identifiers behind it.
	Tokens int
	// Identifiers is how many identifiers stand behind the summary, Lost how many
	// had no room there any more.
	Identifiers, Lost int
	// Err is set if Status is SummaryFailed.
	Err error

	at Position // of the session afterwards, zero if nothing was written
}
