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
	end  int          // 0 if nothing is known
	hash maphash.Hash // of the beginning
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
	if c := p.longest(p.of(rec, api), body); p.remove(c) {
		r := c.request
		for _, field := range []*span{&r.system, &r.cached} {
			if field.start > r.prefix.end {
				*field = span{}
			}
		}
		return r
	}
	r := &request{recorder: rec, api: api, seed: p.seed}
	r.prefix.hash.SetSeed(p.seed)
	r.history = &middleware.History{View: "llmhttp " + api.name()}
	if _, ok := api.(systemAPI); ok {
		r.outline = []prompt.Message{{Role: "system"}}
	}
	return r
}

// candidate is a known request. Its prefix is a copy: another goroutine may take the request.
type candidate struct {
	*request
	prefix prefix
}

// of returns the known requests of a recorder to an API.
func (p *prefixes) of(rec *middleware.Recorder, api api) (all []candidate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.known {
		if r.recorder == rec && r.api == api {
			all = append(all, candidate{r, r.prefix})
		}
	}
	return all
}

// longest returns the candidate with the longest prefix of a body, or an empty one. It reads the
// body without the lock.
func (p *prefixes) longest(all []candidate, body []byte) (best candidate) {
	for _, c := range all {
		if c.prefix.end > best.prefix.end && len(body) >= c.prefix.end && maphash.Bytes(p.seed, body[:c.prefix.end]) == c.prefix.hash.Sum64() {
			best = c
		}
	}
	return best
}

// remove removes a request from the known ones, and reports whether it was there as it was found.
func (p *prefixes) remove(c candidate) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.known, c.request)
	if i < 0 || p.known[i].prefix.end != c.prefix.end || p.known[i].prefix.hash.Sum64() != c.prefix.hash.Sum64() {
		return false
	}
	p.known = slices.Delete(p.known, i, i+1)
	return true
}

// put keeps the stable beginning of a request that was read.
func (p *prefixes) put(r *request, body []byte) {
	n := r.stable.length
	if n == 0 || n > maxMessages || !r.keepShown(n) {
		return
	}
	r.outline = r.outline[:len(r.outline)-len(r.messages)+n]
	r.messages, r.dialog, r.stable = r.messages[:n], r.stable, dialog{}
	end := r.messages[n-1].end
	_, _ = r.prefix.hash.Write(body[r.prefix.end:end]) // never fails
	r.prefix.end = end
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

// maxShown is the size of what shows the passages of the longest conversation whose beginning is
// kept, in bytes: 1 MiB.
const maxShown = 1 << 20

// keepShown keeps what shows the passages of the first n messages, and reports whether it is small
// enough.
func (r *request) keepShown(n int) bool {
	end, size := r.messages[n-1].end, 0
	r.shown = slices.DeleteFunc(r.shown, func(e splice) bool { return e.start >= end })
	r.rewritten = min(r.rewritten, n)
	for _, e := range r.shown {
		size += len(e.text)
	}
	return size <= maxShown
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
