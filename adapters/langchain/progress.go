package langchain

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

const (
	// maxShown is the number of blocks that a progress keeps.
	maxShown = 8
	// maxRuns is the number of runs that a progress keeps, more than run at once in one
	// conversation.
	maxRuns = 64
)

// progress is what the wrappers of a conversation know of its prompts, chains and agents
// while these make progress. Its size is bounded, and it is safe for concurrent use.
type progress struct {
	mu    sync.Mutex
	shown []string // blocks that prompts may still show, oldest first
	input string   // of a chain, if the focus has it as the user's last message
	runs  []run    // of agents, the latest last
}

// run is an agent's run.
type run struct {
	inputs [sha256.Size]byte // digest
	thread string            // middleware.History.Thread of its steps
}

// thread returns the thread of an agent's run. The inputs identify the run, and a run without
// steps is a new one. (Concurrent runs on the same inputs in one conversation may record a
// call twice if the tools are not wrapped.)
func (p *progress) thread(inputs map[string]string, begins bool) string {
	text, _ := json.Marshal(inputs) // a map of strings always marshals, its keys in order
	digest := sha256.Sum256(text)
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.runs, func(r run) bool { return r.inputs == digest })
	switch {
	case i >= 0 && !begins:
		return p.runs[i].thread
	case i >= 0:
		p.runs = slices.Delete(p.runs, i, i+1)
	case len(p.runs) == maxRuns:
		p.runs = slices.Delete(p.runs, 0, 1)
	}
	// Other WorkingMemory values may have runs in the same recorder.
	r := run{digest, rand.Text()}
	p.runs = append(p.runs, r)
	return r.thread
}

// addShown adds a block that was given to a prompt.
func (p *progress) addShown(block string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if block == "" || slices.Contains(p.shown, block) {
		return
	}
	if len(p.shown) == maxShown {
		p.shown = slices.Delete(p.shown, 0, 1)
	}
	p.shown = append(p.shown, block)
}

// blocks returns the blocks that a prompt may show, including the current one, longest
// first: one block may be a prefix of another.
func (p *progress) blocks(current string) []string {
	p.mu.Lock()
	out := slices.Clone(p.shown)
	p.mu.Unlock()
	if current != "" && !slices.Contains(out, current) {
		out = append(out, current)
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// setInput sets the input from which a chain makes a prompt.
func (p *progress) setInput(input string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.input = input
}

// isInput reports whether the user's last message is one that a chain made from its input. If
// it is another one, the input no longer counts.
func (p *progress) isInput(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !strings.Contains(text, p.input) {
		p.input = ""
	}
	return p.input != ""
}
