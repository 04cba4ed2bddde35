package middleware

import (
	"encoding/json"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

const (
	// maxMade is the number of recorded calls that are kept for histories, which
	// show them within a step or two.
	maxMade = maxPast
	// maxSeen is the least number of keys that a ledger keeps: room for the three keys of
	// each call that is examined in a history, and for the histories of several agents.
	maxSeen = 16 * maxPast
	// maxViews is the number of views that a ledger distinguishes.
	maxViews = 8
)

// ledger keeps a conversation's calls from being recorded twice. Its size is bounded, and it
// is safe for concurrent use.
//
// It answers two questions. First, is a call in a history new? Messages carry no reliable
// identity, so a call is new if the history holds more equal requests than any before.
// Second, was a new call recorded when it was made, or in another view? Each view can claim
// each recorded call once.
type ledger struct {
	seed maphash.Seed

	mu     sync.Mutex
	made   []madeCall // oldest first
	views  []string
	seen   recentSights
	placed [][]anchor // prompts of PlaceAppend, the latest last
}

// madeCall is a recorded call.
type madeCall struct {
	name             string
	id, args, result uint64 // digests; 0 without an id, and for a result that many calls have
	claimed          uint8  // a bit for each view
}

// sight is what earlier histories showed of equal requests, or of equal calls.
type sight struct {
	count int    // the largest number in a history
	last  uint64 // exact key of the last one, or 0 once the model has answered it
}

func newLedger() *ledger { return &ledger{seed: maphash.MakeSeed()} }

// addMade adds a call that was recorded when it was made.
func (l *ledger) addMade(call *ToolCall) {
	made := l.digest(call)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(made)
}

// newCall is a call of a history that is not known to be recorded.
type newCall struct {
	ToolCall
	given    any  // see pastCall
	answered bool // by the model
}

// newCalls returns the new calls of a history, which count as recorded from now on.
func (l *ledger) newCalls(h *History) (calls []newCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	view := l.view(h.View)
	met := l.countPast(h)
	for i, c := range h.calls {
		latest := h.dropped+i >= h.answered
		if c.call == nil {
			if s := l.seen.get(c.request); !latest && s.last != 0 && s.last == c.exact {
				l.seen.set(c.request, sight{count: s.count})
			}
			continue
		}
		met[c.request]++
		if i >= len(h.calls)-maxPast && l.isNew(h, i, latest, met) && !l.isKnownByID(h, c) {
			made := l.digest(c.call)
			if !l.claim(view, &made) {
				made.claimed = 1 << view
				l.add(made)
				calls = append(calls, newCall{*c.call, c.given, !latest})
			}
		}
	}
	for _, c := range h.calls {
		c.call, c.given = nil, nil
	}
	return calls
}

// countPast sets the keys of the calls of a history that are not recorded, and returns for each
// of them the number of equal calls that are.
func (l *ledger) countPast(h *History) (met map[uint64]int) {
	met = make(map[uint64]int)
	for _, c := range h.calls {
		if c.call != nil {
			c.request = l.requestKey(h, c)
			met[c.request] = 0
		}
	}
	for _, c := range h.calls {
		if c.call == nil {
			met[c.request]++
			met[c.exact]++
		}
	}
	return met
}

// isNew reports whether a call of a history is not known from any history before. The
// history has met[request] equal requests so far, this one included.
func (l *ledger) isNew(h *History, i int, latest bool, met map[uint64]int) bool {
	c := h.calls[i]
	before := l.seen.get(c.request)
	now := sight{count: max(before.count, met[c.request]), last: before.last}
	isNew := met[c.request] > before.count
	key := l.exactKey(c)
	met[key]++
	exact := l.seen.get(key)
	l.seen.set(key, sight{count: max(exact.count, met[key])})
	switch {
	case latest:
		now.last = key
		another := c.call.ID == "" || before.last == 0 || l.isFollowed(h.calls[:i], c.request, before.last)
		isNew = isNew || met[key] > exact.count && !c.orphan && another
	case met[c.request] == now.count:
		now.last = 0
	}
	l.seen.set(c.request, now)
	return isNew
}

// isKnownByID reports whether a new call is known with its request although it is an orphan, or
// as an orphan with the same result although it has its request: histories lose their oldest
// messages.
func (l *ledger) isKnownByID(h *History, c *pastCall) bool {
	if c.call.ID == "" {
		return false
	}
	withRequest := maphash.Comparable(l.seed, callOfID{h.View, h.Thread, c.call.ID, 0})
	orphan := maphash.Comparable(l.seed, callOfID{h.View, h.Thread, c.call.ID, l.digestOfResult(c.call) | 1})
	switch {
	case !c.orphan:
		l.seen.set(withRequest, sight{count: 1})
		if l.seen.get(orphan).count == 0 {
			return false
		}
		l.seen.set(orphan, sight{}) // for one call
		return true
	case l.seen.get(withRequest).count > 0:
		return true
	}
	l.seen.set(orphan, sight{count: 1})
	return false
}

// callOfID is the key of calls with an ID in a view: of those with requests, or of orphans with
// a result.
type callOfID struct {
	view, thread, id string
	result           uint64 // 0 for those with requests
}

// isFollowed reports whether the result that was the last of a request, and not answered
// by the model, is among earlier calls.
func (l *ledger) isFollowed(earlier []*pastCall, request, last uint64) bool {
	return last != 0 && slices.ContainsFunc(earlier, func(c *pastCall) bool {
		return c.request == request && l.exactKey(c) == last
	})
}

// claim claims a recorded call for a view, and reports whether there is one. It is of the same
// tool, has not a different id, and has the same arguments or, if its name is the same, the same
// result; the one that agrees most is claimed.
func (l *ledger) claim(view int, c *madeCall) bool {
	best, most := -1, 0
	for i := range l.made {
		m := &l.made[i]
		if m.claimed&(1<<view) != 0 || c.id != 0 && m.id != 0 && m.id != c.id || c.name != "" && !isSameTool(m.name, c.name) {
			continue
		}
		agreement := 0
		if m.args == c.args {
			agreement += 2
		}
		if m.result == c.result && c.result != 0 && (c.name == "" || strings.EqualFold(m.name, c.name)) {
			agreement++
		}
		if agreement > 0 && c.id != 0 && m.id == c.id {
			agreement += 4
		}
		if agreement > most {
			best, most = i, agreement
		}
	}
	if best < 0 {
		return false
	}
	l.made[best].claimed |= 1 << view
	return true
}

func (l *ledger) add(m madeCall) {
	if len(l.made) == maxMade {
		oldest := max(0, slices.IndexFunc(l.made, func(m madeCall) bool { return m.claimed != 0 }))
		l.made = slices.Delete(l.made, oldest, oldest+1)
	}
	l.made = append(l.made, m)
}

// isSameTool reports whether names are those of one tool. The executor of langchaingo ignores
// their case; clients of MCP servers put the name of the server in front.
func isSameTool(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	server, tool := a[:len(a)-len(b)], a[len(a)-len(b):]
	if b == "" || !strings.EqualFold(tool, b) {
		return a == b
	}
	return server == "" || strings.ContainsAny(server[len(server)-1:], "_-./:")
}

// view returns the number of a view.
func (l *ledger) view(name string) int {
	if n := slices.Index(l.views, name); n >= 0 {
		return n
	}
	if len(l.views) < maxViews {
		l.views = append(l.views, name)
	}
	return len(l.views) - 1
}

// digest returns the name and the digests of a finished call.
func (l *ledger) digest(c *ToolCall) madeCall {
	m := madeCall{name: bounded(c.Name), args: l.digestOf(canonical(c.Arguments))}
	if !isCommon(c) {
		m.result = l.digestOfResult(c)
	}
	if c.ID != "" {
		m.id = maphash.String(l.seed, c.ID)
	}
	return m
}

// minResult is the length of the shortest text that is taken for the result of one call: many
// calls return "ok" or an empty list.
const minResult = 16

// isCommon reports whether a call has a result that many calls have.
func isCommon(c *ToolCall) bool {
	switch v := c.Result.(type) {
	case nil:
		return c.Err == nil
	case string:
		return len(v) < minResult
	case []byte:
		return len(v) < minResult
	case json.RawMessage:
		return len(v) < minResult
	}
	return false
}

func (l *ledger) digestOfResult(c *ToolCall) uint64 {
	if c.Err != nil {
		return maphash.String(l.seed, c.Err.Error())
	}
	return l.digestOf(c.Result)
}

// maxCanonical is the size of the largest arguments that canonical changes.
const maxCanonical = 64 << 10

// canonical returns arguments that are JSON text as a value, whose digest is that of the values
// that frameworks decode. No arguments are an object without properties.
func canonical(arguments any) any {
	var text []byte
	switch v := arguments.(type) {
	case nil:
	case string:
		text = []byte(v)
	case []byte:
		text = v
	case json.RawMessage:
		text = v
	default:
		return arguments
	}
	if len(text) == 0 {
		return "{}"
	}
	var value any
	if len(text) > maxCanonical || text[0] != '{' || json.Unmarshal(text, &value) != nil {
		return arguments
	}
	return value
}

// requestKey returns the key of a request in a view. A result without its request is
// known by its id, or without one by its text.
func (l *ledger) requestKey(h *History, c *pastCall) uint64 {
	var d maphash.Hash
	d.SetSeed(l.seed)
	maphash.WriteComparable(&d, [...]string{h.View, h.Thread, c.call.ID})
	if !c.orphan {
		maphash.WriteComparable(&d, strings.ToLower(c.call.Name))
		maphash.WriteComparable(&d, l.digestOf(c.call.Arguments))
	} else if c.call.ID == "" {
		maphash.WriteComparable(&d, l.digestOf(c.call.Result))
	}
	return d.Sum64()
}

// exactKey returns the key of a call with its result.
func (l *ledger) exactKey(c *pastCall) uint64 {
	if c.exact == 0 && c.call != nil {
		c.exact = maphash.Comparable(l.seed, [...]uint64{c.request, l.digestOfResult(c.call)})
	}
	return c.exact
}

// digestOf returns the digest of arguments or of a result.
func (l *ledger) digestOf(value any) uint64 {
	switch v := value.(type) {
	case nil:
		return maphash.String(l.seed, "")
	case string:
		return maphash.String(l.seed, v)
	case []byte:
		return maphash.Bytes(l.seed, v)
	case json.RawMessage:
		return maphash.Bytes(l.seed, v)
	case queue.ContextItem:
		return maphash.String(l.seed, v.Content)
	}
	d := &headHash{left: maxEncoded}
	d.SetSeed(l.seed)
	err := callee.RecoverPanic(func() error {
		return jsonv2.MarshalWrite(d, value, jsonv2.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	})
	if err != nil && d.left > 0 {
		return 0 // of any value that has no text
	}
	return d.Sum64()
}

// maxEncoded is how many bytes of a value are encoded for its digest: 64 KiB.
const maxEncoded = 64 << 10

// headHash hashes the beginning of what is written to it.
type headHash struct {
	maphash.Hash
	left int
}

func (b *headHash) Write(text []byte) (int, error) {
	n, _ := b.Hash.Write(text[:min(len(text), b.left)]) // never fails
	if b.left -= n; b.left == 0 {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// recentSights drops the least recent keys: it keeps at least the last maxSeen keys and at
// most twice as many.
type recentSights struct {
	young, old map[uint64]sight
}

func (r *recentSights) get(key uint64) sight {
	if s, ok := r.young[key]; ok {
		return s
	}
	return r.old[key]
}

func (r *recentSights) set(key uint64, s sight) {
	if r.young == nil || len(r.young) >= maxSeen {
		r.old, r.young = r.young, make(map[uint64]sight)
	}
	r.young[key] = s
}
