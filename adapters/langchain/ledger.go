package langchain

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
)

const (
	// maxRecorded is how many recorded calls a ledger keeps for other wrappers to
	// find. They look within a step or two of the recording.
	maxRecorded = 256
	// maxObserved is how many calls of one prompt, the last ones, are looked at.
	// Older ones would have left any working context.
	maxObserved = 512
	// maxSeen is how many keys a ledger remembers at least: room for the three
	// keys of each call of a prompt, and some more.
	maxSeen = 4 * maxObserved
	// maxShown is how many blocks a ledger remembers that prompts may still show.
	maxShown = 8
)

// layer is a kind of wrapper that learns of calls after they were made. Tool is
// none: it makes them.
type layer int

const (
	agentLayer layer = iota
	modelLayer
	layers
)

// observed is a finished tool call as a wrapper met it.
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
// There are two questions. Has this wrapper met the call before, since agents
// and models are given the whole history again at every step? Steps and
// messages carry no reliable identity (ids may be missing, or start over in the
// next run), so a call counts as new when a history holds more calls just like
// it than any history before did. And has another wrapper recorded it? Each
// recorded call can be claimed once by each layer.
type ledger struct {
	seed maphash.Seed

	mu       sync.Mutex
	recorded []recordedCall // oldest first
	seen     recentCounts
	runs     int
	shown    []string          // oldest first
	prompts  [][]anchor        // of PlaceAppend, what was sent last comes last
	heard    map[string]uint64 // what each role said last
	input    string            // what the user said, if a chain's input was heard last
}

type recordedCall struct {
	name, args, result uint64
	claimed            [layers]bool
}

// stepOfRun identifies calls just like one another within an agent's run.
type stepOfRun struct {
	inputs uint64
	run    int
	call   [4]string
}

func newLedger() *ledger {
	return &ledger{seed: maphash.MakeSeed()}
}

// add notes a call that a wrapped tool made and recorded.
func (l *ledger) add(call observed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addRecorded(l.digest(call))
}

// newInRun returns those calls of an agent's run so far that nobody has
// recorded; the caller records them. The run is known by its inputs, and one
// without calls is a new one. (Two runs at once on the same inputs in the same
// session may see a call recorded once more.)
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

// newInPrompt returns those calls of a prompt's messages that nobody has
// recorded; the caller records them. A call that has an id and was answered
// before is known by it, whatever became of its result: applications shorten
// old results to save tokens.
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

// skip notes the calls of a prompt as recorded, but for those that the model has not
// answered to yet: nobody may have seen them.
func (l *ledger) skip(calls []observed) {
	l.newInPrompt(slices.DeleteFunc(calls, func(c observed) bool { return c.latest }))
}

// more counts a key in the history at hand and reports whether it occurs there
// more often than in any before.
func (l *ledger) more(key uint64, met map[uint64]int) bool {
	met[key]++
	before := l.seen.get(key)
	l.seen.set(key, max(before, met[key]))
	return met[key] > before
}

// unclaimed returns the calls that are new to a layer and that no other
// wrapper recorded, and notes them as recorded.
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

// claim finds a recorded call that the layer has not claimed yet. Between
// wrappers the arguments may have changed their form, or the result its text,
// but not both.
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
		// The executor finds tools whatever the case of their names.
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

// show remembers a block that was given to a prompt.
func (l *ledger) show(block string) {
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

// blocks returns the blocks that a prompt may show, the current one included,
// longest first: one block may be the beginning of another.
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

// recentCounts maps keys to counts and forgets the keys that were not used for
// long: it keeps the last maxSeen of them at least, and twice as many at most.
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
