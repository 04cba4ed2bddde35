package summarize

import (
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// run is a summary in progress. It is valid as long as the context and the first message of
// the session are those that it was started with. Concurrent appends and other changes of the
// head do not matter, and are kept.
type run struct {
	j          *Job
	key        driver.Key
	always     bool   // by hand
	revision   uint64 // the last one known to be of the session
	first      uint64
	context    string
	dropBefore uint64
	leaves     []driver.Message
	entities   *memory.WorkingContext
	limit      int // of the summary, in tokens
	window     int

	lease time.Time       // ours
	at    driver.Position // after our last write
}

// statusError ends a run with a status.
type statusError summary.Status

func (e statusError) Error() string { return "session: summary is " + summary.Status(e).String() }

// isOf reports whether the summary is still valid for a session. A session that was deleted
// and created again has another, random revision.
func (r *run) isOf(h *head.Head) bool {
	return h.Follows(r.revision) && h.At.First == r.first && h.Context == r.context
}

func failed(err error) summary.Outcome { return summary.Outcome{Status: summary.Failed, Err: err} }

func (r *run) ended(outcome summary.Outcome) Result { return Result{Outcome: outcome, At: r.at} }
