package promote

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/go-workingmemory/workingmemory/internal/jsonnumbers"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// run is a promotion in progress. Each of its steps is one write of the head, on condition that
// the lease is still its own and that the step was not done already: after a crash, or a write
// by another worker or a client, it is done again or not at all. Concurrent changes of the head
// are kept.
type run struct {
	j      *Job
	key    driver.Key
	always bool       // requested by a program: promote even if not due
	lease  time.Time  // the lease of this run
	head   *head.Head // as last read or written
	seen   time.Time  // when messages were last appended concurrently
	// leaving restricts the run to messages that leave for a summary. It has no lease.
	leaving bool

	// unextracted and unkept are the messages that were read and are still to be promoted.
	unextracted, unkept []driver.Message
	batch               int             // the number of messages to extract from next; 0 if not set yet
	refused             map[string]bool // by valueOf
	keeping             *head.Head      // the head whose messages were handed over but not committed

	outcome promotion.Outcome
	failed  error // the failure of a part, which is skipped from then on
}

var (
	errNotDue = errors.New("session: not due")
	// errOutrun is returned if another run did a step that needs no lease.
	errOutrun = errors.New("session: outrun")
	errMore   = errors.New("session: there is more to do")
)

// maxRounds is how often a run reads new messages before it makes way for other sessions.
const maxRounds = 10

// divide sets the messages to promote: those beyond the marks.
func (r *run) divide(wants driver.Wants, messages []driver.Message) {
	r.unextracted, r.unkept = nil, nil
	if wants.Extract {
		r.unextracted = head.From(messages, r.head.Promotion.Extracted)
	}
	if wants.Messages {
		r.unkept = head.From(messages, r.head.Promotion.Kept)
	}
}

// pending returns the first memories to promote, except those refused in this form.
func (r *run) pending(h *head.Head, limit int) []driver.Record {
	var pending []driver.Record
	for _, m := range h.Memories {
		if len(pending) == limit {
			break
		}
		if isPending(m) && (len(r.refused) == 0 || !r.refused[valueOf(&m)]) {
			pending = append(pending, m)
		}
	}
	return pending
}

// valueOf returns a memory as text, which is the same for equal memories.
func valueOf(m *driver.Record) string {
	data, err := json.Marshal(m, json.Deterministic(true), jsonnumbers.Out())
	if err != nil { // it cannot be written
		return m.ID
	}
	return string(data)
}
