package langchain

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
)

const (
	// maxRecorded is how many recorded calls a ledger keeps for other wrappers, which
	// look for them within a step or two.
	maxRecorded = 256
	// maxObserved is how many calls of one prompt are examined, the last ones. Older
	// ones would have left any working context.
	maxObserved = 512
	// maxSeen is the least number of keys that a ledger keeps: room for the three
	// keys of each call of a prompt, with some to spare.
	maxSeen = 4 * maxObserved
	// maxShown is how many of the blocks that prompts may still show a ledger keeps.
	maxShown = 8
)

// layer is a kind of wrapper that sees calls after they were made. Tool is not one:
// it makes them.
type layer int

const (
	agentLayer layer = iota
	modelLayer
	layers
)

// observed is a finished tool call as a wrapper sees it.
type observed struct {
	id, name, args, result string
	// latest is true for a result that the model has not answered to yet.
	latest bool
	// orphan is true for a result whose request is missing.
	orphan bool
}

// ledger keeps the wrappers of one conversation from recording a call twice. Its
// size is bounded, and it is safe for concurrent use.
//
// It answers two questions. First, has this wrapper seen the call before? Agents and
// models receive the whole history at every step, and steps and messages carry no
// reliable identity (ids may be missing, or start over in the next run), so a call is
// new if a history holds more equal calls than any history before. Second, has another
// wrapper recorded it? Each layer can claim each recorded call once.
type ledger struct {
	seed maphash.Seed

	mu       sync.Mutex
	recorded []recordedCall // oldest first
	seen     recentCounts
	runs     int
	shown    []string          // oldest first
	prompts  [][]anchor        // of PlaceAppend, the latest last
	focused  map[string]uint64 // the last message of each role in the focus
	input    string            // the chain's input, if the focus is from one
}

type recordedCall struct {
	name, args, result uint64
	claimed            [layers]bool
}

// stepOfRun is the key of equal calls within an agent's run.
type stepOfRun struct {
	inputs uint64
	run    int
	call   [4]string
}

func newLedger() *ledger {
	return &ledger{seed: maphash.MakeSeed()}
}

// add adds a call that a wrapped tool made and recorded.
func (l *ledger) add(call observed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addRecorded(l.digest(call))
}

// newInRun returns the calls of an agent's run so far that are not recorded; the caller
// records them. The inputs identify the run, and a run without calls is a new one.
// (Concurrent runs on the same inputs in one session may record a call twice.)
func (l *ledger) newInRun(inputs map[string]string, calls []observed) []observed {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := l.hashOf("run", inputs)
	if len(calls) == 0 {
		l.runs++
		l.seen.set(id, l.runs)
		return nil
	}
	run := l.seen.get(id)
	met := make(map[uint64]int)
	return l.unclaimed(agentLayer, lastOf(calls), func(c observed) bool {
		return l.more(maphash.Comparable(l.seed, stepOfRun{id, run, c.exact()}), met)
	})
}

// newInPrompt returns the calls in a prompt's messages that are not recorded; the
// caller records them. A call with an id that was answered before is not new, even if
// its result differs: applications shorten old results to save tokens.
func (l *ledger) newInPrompt(calls []observed) []observed {
	l.mu.Lock()
	defer l.mu.Unlock()
	met := make(map[uint64]int)
	return l.unclaimed(modelLayer, lastOf(calls), func(c observed) bool {
		if c.id == "" {
			return l.more(maphash.Comparable(l.seed, c.exact()), met)
		}
		id, request := [3]string{c.id}, [3]string{c.id, c.name, c.args}
		if c.orphan {
			request = id
		}
		known := l.seen.get(maphash.Comparable(l.seed, request)) > 0
		l.seen.set(maphash.Comparable(l.seed, id), 1)
		l.seen.set(maphash.Comparable(l.seed, request), 1)
		more := l.more(maphash.Comparable(l.seed, c.exact()), met)
		return more && (!known || c.latest && !c.orphan)
	})
}

// skip marks the calls of a prompt as recorded, except those that the model has not
// answered yet, which may be new.
func (l *ledger) skip(calls []observed) {
	l.newInPrompt(slices.DeleteFunc(calls, func(c observed) bool { return c.latest }))
}

// more counts a key in the current history and reports whether it occurs there more
// often than in any before.
func (l *ledger) more(key uint64, met map[uint64]int) bool {
	met[key]++
	before := l.seen.get(key)
	l.seen.set(key, max(before, met[key]))
	return met[key] > before
}

// unclaimed returns the calls that are new to a layer and that no other wrapper
// recorded, and adds them to the recorded ones.
func (l *ledger) unclaimed(by layer, calls []observed, isNew func(observed) bool) []observed {
	var out []observed
	for _, call := range calls {
		if !isNew(call) {
			continue
		}
		d := l.digest(call)
		if l.claim(by, d) {
			continue
		}
		d.claimed[by] = true
		l.addRecorded(d)
		out = append(out, call)
	}
	return out
}

// claim claims a recorded call for a layer that has not claimed it, and reports whether
// there is one. Between wrappers the form of the arguments or the text of the result
// may change, but not both.
func (l *ledger) claim(by layer, d recordedCall) bool {
	for i := range l.recorded {
		r := &l.recorded[i]
		if !r.claimed[by] && r.name == d.name && (r.result == d.result || r.args == d.args) {
			r.claimed[by] = true
			return true
		}
	}
	return false
}

func (l *ledger) addRecorded(d recordedCall) {
	if len(l.recorded) == maxRecorded {
		l.recorded = slices.Delete(l.recorded, 0, 1)
	}
	l.recorded = append(l.recorded, d)
}

func (l *ledger) digest(c observed) recordedCall {
	return recordedCall{
		// The executor ignores the case of tool names.
		name:   maphash.String(l.seed, strings.ToUpper(c.name)),
		args:   maphash.String(l.seed, c.args),
		result: maphash.String(l.seed, c.result),
	}
}

func (l *ledger) hashOf(kind string, inputs map[string]string) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	text, _ := json.Marshal(inputs) // a map of strings always marshals, its keys in order
	h.WriteString(kind)
	h.Write(text)
	return h.Sum64()
}

func (c observed) exact() [4]string { return [4]string{c.id, c.name, c.args, c.result} }

func lastOf(calls []observed) []observed { return calls[max(0, len(calls)-maxObserved):] }

// addShown adds a block that was given to a prompt.
func (l *ledger) addShown(block string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if block == "" || slices.Contains(l.shown, block) {
		return
	}
	if len(l.shown) == maxShown {
		l.shown = slices.Delete(l.shown, 0, 1)
	}
	l.shown = append(l.shown, block)
}

// blocks returns the blocks that a prompt may show, including the current one,
// longest first: one block may be a prefix of another.
func (l *ledger) blocks(current string) []string {
	l.mu.Lock()
	out := slices.Clone(l.shown)
	l.mu.Unlock()
	if current != "" && !slices.Contains(out, current) {
		out = append(out, current)
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// recentCounts maps keys to counts and drops the least recent keys: it keeps at least
// the last maxSeen keys and at most twice as many.
type recentCounts struct {
	young, old map[uint64]int
}

func (r *recentCounts) get(key uint64) int {
	if n, ok := r.young[key]; ok {
		return n
	}
	return r.old[key]
}

func (r *recentCounts) set(key uint64, n int) {
	if r.young == nil || len(r.young) >= maxSeen {
		r.old, r.young = r.young, make(map[uint64]int)
	}
	r.young[key] = n
}
