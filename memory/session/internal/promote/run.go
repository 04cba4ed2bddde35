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

// run is a promotion on its way. Each of its steps is one write of the head,
// on condition that the lease is still its own, and that what it did is still to be
// done: whatever comes in between, a crash, another worker, a client that writes, it is
// done again or not at all. All that others change in the head meanwhile is kept.
type run struct {
	j      *Job
	key    driver.Key
	always bool       // by hand: whether it is due or not
	lease  time.Time  // ours
	head   *head.Head // as it was last read or written
	seen   time.Time  // when others last appended meanwhile
	// leaving: it is about messages that leave for a summary, and nothing else. It has
	// no lease.
	leaving bool

	// unextracted and unkept are the messages that were read and are still to be dealt
	// with.
	unextracted, unkept []driver.Message
	batch               int             // of the messages to extract from next; 0: not known yet
	refused             map[string]bool // valueOf memories
	keeping             *head.Head      // whose messages are handed over, and not noted yet

	outcome promotion.Outcome
	failed  error // a part that failed, and is left out from then on
}

var (
	errNotDue = errors.New("session: not due")
	// errOutrun says that another, who needs no lease, did what a step did.
	errOutrun = errors.New("session: outrun")
	errMore   = errors.New("session: there is more to do")
)

// maxRounds is how often a worker reads what came meanwhile, before others have their
// turn.
const maxRounds = 10

// divide takes those messages on that are behind the marks.
func (r *run) divide(wants driver.Wants, messages []driver.Message) {
	r.unextracted, r.unkept = nil, nil
	if wants.Extract {
		r.unextracted = head.From(messages, r.head.Promotion.Extracted)
	}
	if wants.Messages {
		r.unkept = head.From(messages, r.head.Promotion.Kept)
	}
}

// pending returns the first memories that are to be promoted, without those that were
// refused as they are.
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

// valueOf is a memory as text: the same for those that are equal.
func valueOf(m *driver.Record) string {
	data, err := json.Marshal(m, json.Deterministic(true), jsonnumbers.Out())
	if err != nil { // none that can be written
		return m.ID
	}
	return string(data)
}
