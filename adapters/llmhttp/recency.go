package llmhttp

import (
	"sync"

	"github.com/go-workingmemory/workingmemory/middleware"
)

const (
	// maxPassages is the size of the passages that are kept, in bytes: at most twice as much.
	maxPassages = 8 << 20
	// passageSize is what a passage takes besides its texts, in bytes.
	passageSize = 128
)

// passageKey is a passage in the conversations of a recorder.
type passageKey struct {
	recorder *middleware.Recorder
	digest   uint64
}

// recency holds how passages were shown last. It is safe for concurrent use.
type recency struct {
	mu         sync.Mutex
	young, old map[passageKey]shown
	size       int // of the young ones, in bytes
}

func (r *recency) get(key passageKey) (shown, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if as, ok := r.young[key]; ok {
		return as, true
	}
	as, ok := r.old[key]
	if ok {
		r.add(key, as)
	}
	return as, ok
}

func (r *recency) put(key passageKey, as shown) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(key, as)
}

func (r *recency) add(key passageKey, as shown) {
	if r.young == nil || r.size > maxPassages {
		r.old, r.young, r.size = r.young, make(map[passageKey]shown), 0
	}
	r.young[key] = as
	r.size += passageSize + as.size()
}
