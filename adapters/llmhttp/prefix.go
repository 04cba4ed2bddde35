package llmhttp

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// maxBranches is the number of conversations of one recorder whose beginning is known: those of
// an agent, and of others that share its memory.
const maxBranches = 4

// prefix is the beginning of a body, up to the end of a message.
type prefix struct {
	end    int // 0 if nothing is known
	digest uint64
}

// prefixes holds the beginnings of the requests that were made last. It is safe for concurrent
// use.
type prefixes struct {
	seed  maphash.Seed
	limit int

	mu    sync.Mutex
	known []*request // the least recently used first
}

func newPrefixes(limit int) *prefixes {
	return &prefixes{seed: maphash.MakeSeed(), limit: limit}
}

// take returns the request that a body begins with, removed from the known ones, or an empty
// request.
func (p *prefixes) take(rec *middleware.Recorder, api api, body []byte) *request {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := -1
	for i, r := range p.known {
		if r.recorder == rec && r.api == api && (best < 0 || r.prefix.end > p.known[best].prefix.end) && p.begins(body, r.prefix) {
			best = i
		}
	}
	if best >= 0 {
		r := p.known[best]
		p.known = slices.Delete(p.known, best, best+1)
		for _, field := range []*span{&r.system, &r.cached} {
			if field.start > r.prefix.end {
				*field = span{}
			}
		}
		return r
	}
	r := &request{recorder: rec, api: api, seed: p.seed}
	r.history = &middleware.History{View: "llmhttp " + api.name()}
	if _, ok := api.(systemAPI); ok {
		r.outline = []prompt.Message{{Role: "system"}}
	}
	return r
}

func (p *prefixes) begins(body []byte, with prefix) bool {
	return len(body) >= with.end && maphash.Bytes(p.seed, body[:with.end]) == with.digest
}

// put keeps the stable beginning of a request that was read.
func (p *prefixes) put(r *request, body []byte) {
	n := r.stable.length
	if n == 0 || n > maxMessages {
		return
	}
	r.outline = r.outline[:len(r.outline)-len(r.messages)+n]
	r.messages, r.dialog, r.stable = r.messages[:n], r.stable, dialog{}
	r.prefix.end = r.messages[n-1].end
	r.prefix.digest = maphash.Bytes(p.seed, body[:r.prefix.end])
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = append(p.known, r)
	if own := p.branches(r.recorder); len(own) > maxBranches {
		p.known = slices.Delete(p.known, own[0], own[0]+1)
	}
	if len(p.known) > p.limit {
		p.known = slices.Delete(p.known, 0, 1)
	}
}

// maxMessages is the length of the longest conversation whose beginning is kept.
const maxMessages = 1 << 14

// branches returns the indexes of the known requests of a recorder.
func (p *prefixes) branches(rec *middleware.Recorder) (indexes []int) {
	for i, r := range p.known {
		if r.recorder == rec {
			indexes = append(indexes, i)
		}
	}
	return indexes
}
