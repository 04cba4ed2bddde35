package mcpproxy

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// maxPending limits the unanswered requests that are tracked. Of more, the oldest passes
// untracked.
const maxPending = 1000

// request is a client's request that the server has not answered.
type request struct {
	id, method string
	running    *middleware.RunningCall // of a tool call; nil if it is not to be recorded
	asTask     bool                    // the call asks for a task, whose result comes later
	task       string                  // whose result is asked for
}

// pending holds the unanswered requests. A client should not use an id twice at once; if it does,
// answers are taken in the order of the requests. It is safe for concurrent use.
type pending struct {
	mu   sync.Mutex
	list []*request    // oldest first
	idle chan struct{} // receives a value when the list becomes empty
}

func newPending() *pending { return &pending{idle: make(chan struct{}, 1)} }

// add adds a request, and returns the one that is no longer tracked, or nil.
func (p *pending) add(r *request) (dropped *request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) == maxPending {
		dropped = p.list[0]
		p.list = slices.Delete(p.list, 0, 1)
	}
	p.list = append(p.list, r)
	return dropped
}

// take removes and returns the request with an id, or nil.
func (p *pending) take(id string) *request {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.list, func(r *request) bool { return r.id == id })
	if i < 0 {
		return nil
	}
	r := p.list[i]
	p.list = slices.Delete(p.list, i, i+1)
	if len(p.list) == 0 {
		select {
		case p.idle <- struct{}{}:
		default:
		}
	}
	return r
}

func (p *pending) takeAll() []*request {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.list
	p.list = nil
	return all
}

// wait waits until all requests are answered, or ctx, stop or the time ends.
func (p *pending) wait(ctx context.Context, stop <-chan struct{}, limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for p.len() > 0 {
		select {
		case <-p.idle:
		case <-stop:
			return
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		}
	}
}

func (p *pending) len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.list)
}
