package summarize

import (
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// run is a summary on its way. It holds as long as the session has the
// context and the first message that it had when it was loaded: what others append
// and change in the head meanwhile does not matter, and is kept.
type run struct {
	j          *Job
	key        driver.Key
	always     bool   // by hand
	revision   uint64 // the last that is known to be of the session
	first      uint64
	context    string
	dropBefore uint64
	leaves     []driver.Message
	entities   *memory.WorkingContext
	limit      int // tokens of the summary
	window     int

	lease time.Time       // ours
	at    driver.Position // after our last write
}

// statusError ends a summary that is not to be written, or no longer.
type statusError summary.Status

func (e statusError) Error() string { return "session: summary is " + summary.Status(e).String() }

// isOf reports whether a session is still what the summary is of. One that was
// deleted and made again has another revision, a random one.
func (r *run) isOf(h *head.Head) bool {
	return h.Follows(r.revision) && h.At.First == r.first && h.Context == r.context
}

func failed(err error) summary.Outcome { return summary.Outcome{Status: summary.Failed, Err: err} }

func (r *run) ended(outcome summary.Outcome) Result { return Result{Outcome: outcome, At: r.at} }
