package memory_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
)

// model is a simple reference for a context: slices, newest first, for ids that are
// either numbers or long. All candidates are evicted entities.
type model struct {
	capacity, room int
	entities       []memory.Entity
	candidates     []memory.Entity
	gone           []memory.Entity
	forgets        bool                // what is removed is not remembered
	fresh          map[memory.Ref]bool // entities that the last change added
	evictions      []memory.Ref        // of the last change
}

func refTo(e memory.Entity) memory.Ref { return memory.Ref{Type: e.Type, ID: e.ID} }

func isShort(id string) bool { return len(id) < 8 }

// withID returns the positions of the entities that have the id.
func (m *model) withID(id string) []int {
	var at []int
	for i, e := range m.entities {
		if e.ID == id {
			at = append(at, i)
		}
	}
	return at
}

func (m *model) exact(typ, id string) int {
	return slices.IndexFunc(m.entities, func(e memory.Entity) bool {
		return e.ID == id && (e.Type == typ || !isShort(id))
	})
}

func (m *model) moveToFront(at int, e memory.Entity) {
	m.entities = slices.Insert(slices.Delete(m.entities, at, at+1), 0, e)
}

func (m *model) apply(ch memory.Change, now time.Time) {
	m.evictions, m.fresh = nil, map[memory.Ref]bool{}
	for _, r := range slices.Backward(ch.Use) {
		if at := m.named(r); at >= 0 {
			e := m.entities[at]
			e.Uses++
			e.Held = true
			e.Timestamp = now
			m.moveToFront(at, e)
		} else {
			m.promote(r, 1, now)
		}
	}
	for _, r := range ch.Changed {
		if at := m.named(r); at >= 0 {
			m.entities[at].Held, m.entities[at].Made = true, true
		}
	}
	for _, r := range slices.Backward(ch.Mention) {
		if at := m.named(r); at >= 0 {
			m.entities[at].Held = true
		} else {
			m.promote(r, 0, now)
		}
	}
	for _, e := range slices.Backward(ch.Add) {
		m.add(e, ch.Use, now)
	}
	for _, r := range ch.Remove {
		if at := candidate(m.gone, r); at >= 0 && m.forgets {
			m.gone = slices.Delete(m.gone, at, at+1)
		}
		if at := m.resolve(r, false); at >= 0 {
			m.bury(m.entities[at])
			m.entities = slices.Delete(m.entities, at, at+1)
		} else if at := m.namedCandidate(r); at >= 0 {
			m.bury(m.candidates[at])
			m.candidates = slices.Delete(m.candidates, at, at+1)
		}
	}
	for len(m.entities) > m.capacity {
		m.evict()
	}
	for len(m.candidates) > m.room {
		e := m.candidates[len(m.candidates)-1]
		m.evictions = append(m.evictions, memory.Ref{Type: e.Type, ID: e.ID})
		m.candidates = m.candidates[:len(m.candidates)-1]
	}
}

// named returns the position of the entity that a Ref names: one of another type only if no
// candidate has the type.
func (m *model) named(r memory.Ref) int {
	if at := m.resolve(r, false); at >= 0 {
		return at
	}
	if at := candidate(m.candidates, r); at >= 0 && m.candidates[at].Type == r.Type {
		return -1
	}
	return m.resolve(r, true)
}

// bury remembers a removed entity.
func (m *model) bury(e memory.Entity) {
	if m.forgets || m.fresh[refTo(e)] {
		return
	}
	e.Held, e.Made = false, false
	m.gone = slices.DeleteFunc(m.gone, func(o memory.Entity) bool { return o.ID == e.ID && (o.Type == e.Type || !isShort(e.ID)) })
	m.gone = slices.Insert(m.gone, 0, e)
	m.gone = m.gone[:min(len(m.gone), 32)]
}

// candidate returns the position of the candidate that an id names: a short one that of its type,
// or of an unknown type.
func candidate(candidates []memory.Entity, r memory.Ref) int {
	var same []int
	unknown := -1
	for i, e := range candidates {
		switch {
		case e.ID != r.ID:
			continue
		case e.Type == r.Type || !isShort(r.ID):
			return i
		case e.Type == memory.FallbackType:
			unknown = i
		}
		same = append(same, i)
	}
	if r.Type != "" && r.Type != memory.FallbackType {
		return unknown
	}
	if len(same) == 1 {
		return same[0]
	}
	return -1
}

func (m *model) namedCandidate(r memory.Ref) int {
	if (r.Type == "" || r.Type == memory.FallbackType) && len(m.withID(r.ID)) > 0 {
		return -1
	}
	return candidate(m.candidates, r)
}

// promote makes a candidate an entity.
func (m *model) promote(r memory.Ref, uses int, now time.Time) {
	at := m.namedCandidate(r)
	if at < 0 {
		return
	}
	e := m.candidates[at]
	e.Uses += uses
	e.Held, e.Timestamp = true, now
	if e.Type == memory.FallbackType && r.Type != "" {
		e.Type = r.Type
	}
	m.candidates = slices.Delete(m.candidates, at, at+1)
	m.entities = slices.Insert(m.entities, 0, e)
}

// evict makes the oldest entity a candidate, but for the held ones, and for the made ones, as
// long as these are at most half of the capacity.
func (m *model) evict() {
	held, made := 0, 0
	for _, e := range m.entities {
		if e.Held {
			held++
		}
		if e.Made {
			made++
		}
	}
	at := len(m.entities) - 1
	for i, e := range slices.Backward(m.entities) {
		if (held > m.capacity/2 || !e.Held) && (made > m.capacity/2 || !e.Made) {
			at = i
			break
		}
	}
	e := m.entities[at]
	m.evictions = append(m.evictions, memory.Ref{Type: e.Type, ID: e.ID})
	m.entities = slices.Delete(m.entities, at, at+1)
	if e.Held, e.Made = false, false; m.room > 0 {
		m.candidates = slices.Insert(m.candidates, 0, e)
	}
}

func (m *model) resolve(r memory.Ref, lenient bool) int {
	same := m.withID(r.ID)
	if r.Type != "" || !isShort(r.ID) {
		if at := m.exact(r.Type, r.ID); at >= 0 {
			return at
		}
		if r.Type != memory.FallbackType && !lenient {
			return -1
		}
	}
	if len(same) == 1 {
		return same[0]
	}
	return -1
}

func (m *model) add(e memory.Entity, use []memory.Ref, now time.Time) {
	if e.ID == "" {
		return
	}
	if e.Type == "" {
		e.Type = memory.FallbackType
	}
	if e.Timestamp.IsZero() {
		e.Timestamp = now
	}
	e.Held = e.Held || e.Made
	at := m.exact(e.Type, e.ID)
	same := m.withID(e.ID)
	if at < 0 && e.Type == memory.FallbackType && len(same) == 1 {
		at = same[0]
	}
	if at < 0 {
		at = m.exact(memory.FallbackType, e.ID)
	}
	known := candidate(m.candidates, refTo(e))
	if at >= 0 {
		fresh := m.fresh[refTo(m.entities[at])]
		merged := m.merged(m.entities[at], e, m.isAsked(m.entities[at], use))
		m.moveToFront(at, merged)
		m.fresh[refTo(merged)] = fresh
		if known >= 0 && m.candidates[known].Type == e.Type {
			m.candidates = slices.Delete(m.candidates, known, known+1)
		}
		return
	}
	from := &m.candidates
	if known < 0 {
		from, known = &m.gone, candidate(m.gone, refTo(e))
	}
	var merged memory.Entity
	if known >= 0 {
		merged = m.merged((*from)[known], e, false)
	}
	evicted := from == &m.gone && slices.ContainsFunc(m.candidates, func(o memory.Entity) bool { return o.ID == e.ID && o.Type == merged.Type })
	if known >= 0 && (merged.Type == e.Type || m.exact(merged.Type, e.ID) < 0 && !evicted) {
		e = merged
		*from = slices.Delete(*from, known, known+1)
	} else if e.Name == memory.Placeholder(e.Type) || e.Name == memory.Placeholder("") {
		e.Name = ""
	}
	m.entities = slices.Insert(m.entities, 0, e)
	m.fresh[refTo(e)] = true
}

// isAsked reports whether a call had an id of the entity among its arguments.
func (m *model) isAsked(e memory.Entity, use []memory.Ref) bool {
	return slices.ContainsFunc(use, func(r memory.Ref) bool {
		loose := r.Type == "" || r.Type == memory.FallbackType || e.Type == memory.FallbackType
		return r.ID == e.ID && (loose || r.Type == e.Type || !isShort(e.ID))
	})
}

func (m *model) merged(old, in memory.Entity, asked bool) memory.Entity {
	out := old
	mention := old.Role == memory.RoleRecord && in.Role != memory.RoleRecord
	if in.Type != memory.FallbackType && (!mention || old.Type == memory.FallbackType) {
		out.Type = in.Type
	}
	text := func(old, in string) string {
		empty := []string{"", memory.Placeholder(""), memory.Placeholder(out.Type), memory.Placeholder("page"), memory.Placeholder("order")}
		// No generated name is the placeholder of a third type.
		oldEmpty, inEmpty := slices.Contains(empty, old), slices.Contains(empty, in)
		switch {
		case inEmpty && oldEmpty:
			return ""
		case inEmpty || mention && !oldEmpty:
			return old
		default:
			return in
		}
	}
	out.Name = text(old.Name, in.Name)
	out.Slug = text(old.Slug, in.Slug)
	out.Description = text(old.Description, in.Description)
	if !mention {
		out.Role = in.Role
	}
	out.Timestamp = in.Timestamp
	out.Uses = max(old.Uses, in.Uses)
	if len(out.Description) < len(old.Description)/2 {
		out.Description = old.Description
	}
	if asked && in.Tool != "" && in.Description != "" && in.Role == memory.RoleRecord {
		out.Description = in.Description
		for fact := range strings.SplitSeq(old.Description, ", ") {
			if fact != in.Description && fact != "" && len(out.Description)+len(", ")+len(fact) <= memory.MaxTextBytes {
				out.Description += ", " + fact
			}
		}
	}
	out.Repeats = max(old.Repeats, in.Repeats) + 1
	out.Held, out.Made = old.Held || in.Held, old.Made || in.Made
	return out
}

// drawChange draws changes of few ids and types.
func drawChange(t *rapid.T, maxBatch int) memory.Change {
	types := rapid.SampledFrom([]string{"page", "order", memory.FallbackType, ""})
	ids := rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 12), func(n int) string { return fmt.Sprint(n) }),
		rapid.Map(rapid.IntRange(0, 30), func(n int) string { return fmt.Sprintf("strong-id-%d", n) }),
		rapid.Map(rapid.IntRange(0, 30), func(n int) string { return fmt.Sprintf("550e8400-e29b-41d4-a716-4466554400%02d", n) }),
	)
	refs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) memory.Ref {
		return memory.Ref{Type: types.Draw(t, "type"), ID: ids.Draw(t, "id")}
	}), 0, 4)
	short := rapid.SampledFrom([]string{"", "", "a", "b"})
	text := rapid.SampledFrom([]string{"", "", "a", "b", strings.Repeat("x", memory.MaxTextBytes)})
	entities := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) memory.Entity {
		e := memory.Entity{
			Type: types.Draw(t, "type"), ID: ids.Draw(t, "id"),
			Slug: text.Draw(t, "slug"), Description: text.Draw(t, "description"),
			Tool: short.Draw(t, "tool"), Path: short.Draw(t, "path"), // so that 64 KiB hold all candidates
			Uses: rapid.IntRange(0, 3).Draw(t, "uses"), Repeats: rapid.IntRange(0, 2).Draw(t, "repeats"),
			Role: rapid.SampledFrom([]memory.Role{"", memory.RoleReference}).Draw(t, "role"),
			Held: rapid.IntRange(0, 3).Draw(t, "held") == 0, Made: rapid.IntRange(0, 5).Draw(t, "made") == 0,
		}
		// The placeholder of another type would be a name.
		e.Name = rapid.SampledFrom([]string{"", "a", "b", memory.Placeholder(e.Type), memory.Placeholder("")}).Draw(t, "name")
		if s := rapid.IntRange(0, 3).Draw(t, "second"); s > 0 {
			e.Timestamp = start.Add(time.Duration(s) * time.Second)
		}
		if rapid.IntRange(0, 30).Draw(t, "rejected") == 0 {
			e.ID = ""
		}
		return e
	}), 0, maxBatch)
	return memory.Change{
		Use: refs.Draw(t, "use"), Changed: refs.Draw(t, "changed"), Mention: refs.Draw(t, "mention"),
		Add: entities.Draw(t, "add"), Remove: refs.Draw(t, "remove"),
	}
}

func TestContextModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := start
		capacity := rapid.IntRange(1, 80).Draw(t, "capacity")
		var evicted []memory.Ref
		opts := &memory.ContextOptions{
			Capacity:   capacity,
			Candidates: rapid.SampledFrom([]int{0, -1, 1, 5, 30, 60}).Draw(t, "candidates"),
			Now:        func() time.Time { return now },
			OnEvict: func(e memory.Eviction) {
				evicted = append(evicted, memory.Ref{Type: e.Entity.Type, ID: e.Entity.ID})
			},
		}
		c := memory.NewWorkingContext(opts)
		m := &model{capacity: capacity, room: c.CandidateCapacity()}

		apply := func(t *rapid.T, ch memory.Change) {
			before, loose, version := all(c), candidates(c), c.Version()
			evicted = nil
			err := c.Apply(ch)
			m.apply(ch, now)

			require.Equal(t, slices.ContainsFunc(ch.Add, func(e memory.Entity) bool { return e.ID == "" }), err != nil)
			want := version
			if !same(before, all(c)) || !same(loose, candidates(c)) {
				want++
			}
			require.Equal(t, want, c.Version())
			require.Equal(t, m.evictions, evicted)
		}
		t.Repeat(map[string]func(*rapid.T){
			"apply":      func(t *rapid.T) { apply(t, drawChange(t, 6)) },
			"apply much": func(t *rapid.T) { apply(t, drawChange(t, 60)) },
			"add": func(t *rapid.T) {
				for _, e := range drawChange(t, 1).Add {
					_ = c.Add(e)
					m.apply(memory.Change{Add: []memory.Entity{e}}, now)
				}
			},
			"remove": func(t *rapid.T) {
				for _, r := range drawChange(t, 0).Remove {
					length := len(m.entities) + len(m.candidates)
					m.forgets = true
					m.apply(memory.Change{Remove: []memory.Ref{r}}, now)
					m.forgets = false
					require.Equal(t, len(m.entities)+len(m.candidates) < length, c.Remove(r))
				}
			},
			"time": func(*rapid.T) { now = now.Add(time.Second) },
			"clear": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "really") == 0 {
					version := c.Version()
					if len(m.entities)+len(m.candidates)+len(m.gone) > 0 {
						version++
					}
					c.Clear()
					m.entities, m.candidates, m.gone = nil, nil, nil
					require.Equal(t, version, c.Version())
				}
			},
			"branch": func(t *rapid.T) {
				parent, ch := c, drawChange(t, 6)
				c = c.Branch()
				_ = parent.Apply(ch) // must not affect the branch
				parent.Clear()
			},
			"round trip": func(t *rapid.T) {
				data, err := json.Marshal(c)
				require.NoError(t, err)
				c = memory.NewWorkingContext(opts)
				require.NoError(t, json.Unmarshal(data, c))
			},
			"": func(t *rapid.T) { requireModel(t, m, c) },
		})
	})
}

func requireModel(t *rapid.T, m *model, c *memory.WorkingContext) {
	got := withoutOrigins(all(c))
	require.True(t, same(m.entities, got), "want %v\n got %v", m.entities, got)
	require.Equal(t, len(m.entities), c.Len())
	require.LessOrEqual(t, c.Len(), c.Capacity())
	n := rapid.IntRange(-1, 81).Draw(t, "n")
	require.True(t, same(m.entities[:min(max(n, 0), len(m.entities))], withoutOrigins(c.Recent(n))))
	for _, e := range m.entities {
		found, ok := c.Get(memory.Ref{Type: e.Type, ID: e.ID})
		require.True(t, ok)
		require.Equal(t, e, withoutOrigins([]memory.Entity{found})[0])
	}
	loose := withoutOrigins(candidates(c))
	require.True(t, same(m.candidates, loose), "want %v\n got %v", m.candidates, loose)
	for _, e := range m.candidates {
		r := memory.Ref{Type: e.Type, ID: e.ID}
		require.False(t, slices.ContainsFunc(m.entities, func(other memory.Entity) bool {
			return other.ID == e.ID && (other.Type == e.Type || !isShort(e.ID))
		}), "%v is an entity", r)
		want := e
		if at := m.resolve(r, false); at >= 0 { // the only entity with an id of unknown type
			want = m.entities[at]
		}
		found, ok := c.Get(r)
		if e.Type == memory.FallbackType && len(m.withID(e.ID)) > 1 {
			require.False(t, ok, "the id of several entities names none")
			continue
		}
		require.True(t, ok)
		require.Equal(t, want, withoutOrigins([]memory.Entity{found})[0])
	}
}

func candidates(c *memory.WorkingContext) []memory.Entity { return c.Candidates(c.CandidateCapacity()) }

// withoutOrigins removes what the model does not have: see TestAuthority.
func withoutOrigins(es []memory.Entity) []memory.Entity {
	for i := range es {
		es[i].TypedBy, es[i].NamedBy = nil, nil
	}
	return es
}

// same reports whether two lists hold equal entities.
func same(a, b []memory.Entity) bool {
	return slices.EqualFunc(a, b, func(a, b memory.Entity) bool { return reflect.DeepEqual(a, b) })
}
