package middleware_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// scripted is an extractor that returns the result of a call as the extraction.
var scripted = extractor.Func(func(_ context.Context, in extractor.Input) (extractor.Extraction, error) {
	found, _ := in.Result.(extractor.Extraction)
	return found, nil
})

// logged returns a recorder with the scripted extractor and its log.
func logged(t require.TestingT, wc *memory.WorkingContext, block prompt.Options) (*middleware.Recorder, *middleware.DecisionLog) {
	log := middleware.NewDecisionLog(nil)
	return newRecorder(t, &middleware.Options{Context: wc, Extractor: scripted, Block: block, Decisions: log}), log
}

func capacity(n int) *memory.WorkingContext {
	return memory.NewWorkingContext(&memory.ContextOptions{Capacity: n})
}

// story returns the decisions on an id as lines.
func story(log *middleware.DecisionLog, id string) []string {
	var lines []string
	for _, d := range log.Why(id) {
		lines = append(lines, d.String())
	}
	return lines
}

func found(es ...memory.Entity) extractor.Extraction { return extractor.Extraction{Entities: es} }

func TestWhy(t *testing.T) {
	t.Parallel()
	page := memory.Entity{Type: "page", ID: "page-0001", Path: "$.pages[0]"}
	order := memory.Entity{Type: "order", ID: "order-0001", Path: "$"}
	unknown := memory.Entity{ID: "page-0001", Path: "$.id"}
	ref := memory.Ref{Type: "page", ID: "page-0001"}
	type call = middleware.ToolCall
	named := func(tool string, authority memory.Authority, name string) memory.Entity {
		e := page
		e.Tool, e.Authority, e.Name = tool, authority, name
		return e
	}
	tests := []struct {
		name     string
		capacity int
		calls    []call
		want     []string
	}{
		{"never seen", 2, []call{{Name: "get", Result: found(order)}}, nil},
		{"an argument that was never seen", 2, []call{{Name: "get", Result: extractor.Extraction{Used: []memory.Ref{ref}}}}, nil},
		{"used and repeated", 2, []call{{Name: "get", Result: found(page)},
			{Name: "put", Result: extractor.Extraction{Used: []memory.Ref{ref}, Entities: []memory.Entity{{Type: "page", ID: "page-0001", Path: "$"}}}}},
			[]string{"call 1 (get): page page-0001 seen at $.pages[0]", "block after call 1: page page-0001 shown",
				"call 2 (put): page page-0001 used", "call 2 (put): page page-0001 repeated at $"}},
		{"another name by a tool about something else", 2, []call{{Name: "get_page", Result: found(named("get_page", memory.AuthorityOwn, "Home"))},
			{Name: "read_email", Result: found(named("read_email", memory.AuthorityNone, "Trash"))}, {Name: "read_email", Result: found(named("read_email", memory.AuthorityNone, "Home"))}},
			[]string{"call 1 (get_page): page page-0001 seen at $.pages[0]", "block after call 1: page page-0001 shown",
				"call 2 (read_email): page page-0001 repeated at $.pages[0]", "call 2 (read_email): page page-0001 kept its name and type at $.pages[0]",
				"call 3 (read_email): page page-0001 repeated at $.pages[0]"}},
		{"removed", 2, []call{{Name: "get", Result: found(page)}, {Name: "delete", Result: extractor.Extraction{Removed: []memory.Ref{ref}}}},
			[]string{"call 1 (get): page page-0001 seen at $.pages[0]", "block after call 1: page page-0001 shown",
				"call 2 (delete): page page-0001 removed"}},
		{"evicted, and seen again", 1, []call{{Name: "get", Result: found(page)}, {Name: "list", Result: found(order)}, {Name: "get", Result: found(page)}},
			[]string{"call 1 (get): page page-0001 seen at $.pages[0]", "block after call 1: page page-0001 shown",
				"call 2 (list): page page-0001 evicted by order order-0001",
				"call 3 (get): page page-0001 promoted", "call 3 (get): page page-0001 repeated at $.pages[0]"}},
		{"removed by the call that brought it", 1, []call{{Name: "delete", Result: extractor.Extraction{Entities: []memory.Entity{page}, Removed: []memory.Ref{ref}}}},
			[]string{"call 1 (delete): page page-0001 seen at $.pages[0]", "call 1 (delete): page page-0001 removed"}},
		{"its type becomes known", 2, []call{{Name: "get", Result: found(unknown)}, {Name: "list", Result: found(page)}},
			[]string{"call 1 (get): resource page-0001 seen at $.id", "block after call 1: resource page-0001 shown",
				"call 2 (list): resource page-0001 merged with page page-0001", "call 2 (list): page page-0001 repeated at $.pages[0]"}},
		{"refused", 2, []call{{Name: "get", Result: found(memory.Entity{Type: strings.Repeat("x", 999), ID: "page-0001"})}},
			[]string{"call 1 (get): " + strings.Repeat("x", memory.MaxTextBytes) + " page-0001 refused: " + memory.ErrTooLong.Error()}},
		{"what cannot be printed", 2, []call{{Name: "a\x1b[31m", Result: found(memory.Entity{Type: "page", ID: "page-0001", Path: "$.\u202e"})}},
			[]string{`call 1 ("a\x1b[31m"): page page-0001 seen at "$.\u202e"`, "block after call 1: page page-0001 shown"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rec, log := logged(t, capacity(tt.capacity), prompt.Options{})
			for _, call := range tt.calls {
				_ = rec.Record(context.Background(), call)
				rec.Block()
				rec.Block()
			}
			assert.Equal(t, tt.want, story(log, "page-0001"))
			assert.Zero(t, log.Forgotten())
		})
	}
}

func TestWhyNotInTheBlock(t *testing.T) {
	t.Parallel()
	var many []memory.Entity
	for i := range 1000 {
		many = append(many, memory.Entity{Type: "page", ID: fmt.Sprintf("page-%04d", i)})
	}
	rec, log := logged(t, capacity(2000), prompt.Options{Budget: 64})
	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "list", Result: found(many...)}))
	rec.Block()
	for id, want := range map[string]string{"page-0000": "shown", "page-0040": "hidden: no room in the token budget", "page-0999": "hidden: too many newer entities"} {
		assert.Equal(t, "block after call 1: page "+id+" "+want, story(log, id)[1])
	}
}

// The log distinguishes ids of other spelling, and changes by the program itself.
func TestWhyOfChangesOutsideOfCalls(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	wc := memory.NewWorkingContext(&memory.ContextOptions{Identity: func(_, id string) memory.Ref { return memory.Ref{ID: strings.ToLower(id)} }})
	require.NoError(t, wc.Add(memory.Entity{Type: "page", ID: "abc"}))
	rec, log := logged(t, wc, prompt.Options{})
	rec.Block()
	require.NoError(t, rec.Record(ctx, middleware.ToolCall{Name: "get", Result: found(memory.Entity{Type: "page", ID: "ABC"})}))
	require.NoError(t, rec.Record(ctx, middleware.ToolCall{Name: "get", Result: found(memory.Entity{Type: "page", ID: "aBc", Role: memory.RoleReference})}))
	wc.Clear()
	rec.Block()
	assert.Equal(t, []string{
		"outside of calls: page abc seen", "block after call 0: page abc shown", "call 1 (get): page abc merged with page ABC",
	}, story(log, "abc"))
	assert.Equal(t, []string{
		"call 1 (get): page ABC repeated", "call 2 (get): page ABC repeated", "outside of calls: page ABC dropped",
	}, story(log, "ABC"))
	assert.Equal(t, []string{"call 2 (get): page aBc merged with page ABC"}, story(log, "aBc"))
}

func TestDecisionLogForgetsTheOldest(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	log := middleware.NewDecisionLog(&middleware.DecisionLogOptions{Capacity: 3, Now: func() time.Time { return now }})
	rec := newRecorder(t, &middleware.Options{Decisions: log})
	for i := range 5 {
		call := pageCall(i)
		call.ID = fmt.Sprintf("call_%d", i)
		require.NoError(t, rec.Record(context.Background(), call))
	}
	assert.Equal(t, 2, log.Forgotten())
	assert.Empty(t, log.Why("page-0001"))
	want := middleware.Decision{Time: now.UTC(), Call: 5, CallID: "call_4", Tool: "get_page", Path: "$", Kind: middleware.DecisionSeen, Type: "page", ID: "page-0004"}
	assert.Equal(t, []middleware.Decision{want}, log.Why("page-0004"))
	all := slices.Collect(log.All())
	require.Len(t, all, 3)
	assert.Equal(t, want, all[2])
	assert.Equal(t, "page-0002", all[0].ID)

	data, err := json.Marshal(want)
	require.NoError(t, err)
	assert.JSONEq(t, `{"time":"2026-01-02T02:04:05Z","call":5,"call_id":"call_4","tool":"get_page","path":"$","kind":"seen","type":"page","id":"page-0004"}`, string(data))
	var back middleware.Decision
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, want, back)
}

// TestDecisionsAgreeWithWhatHappened compares the log with the context, the block and the
// evictions after random calls.
func TestDecisionsAgreeWithWhatHappened(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var evicted []memory.Eviction
		block := prompt.Options{Budget: rapid.SampledFrom([]int{0, 24, 64}).Draw(t, "budget"), PerType: 2}
		capacity := rapid.IntRange(1, 6).Draw(t, "capacity")
		if block.Budget > 0 {
			capacity = middleware.CapacityFor(block)
		}
		wc := memory.NewWorkingContext(&memory.ContextOptions{
			Capacity: capacity, OnEvict: func(e memory.Eviction) { evicted = append(evicted, e) },
		})
		if block.Budget > 0 { // full, so that calls evict
			for i := range capacity {
				require.NoError(t, wc.Add(memory.Entity{Type: "order", ID: fmt.Sprintf("order-%04d", i)}))
			}
		}
		rec, log := logged(t, wc, block)
		for i := range rapid.IntRange(1, 20).Draw(t, "calls") {
			evicted = nil
			candidates := wc.Candidates(wc.CandidateCapacity())
			_ = rec.Record(context.Background(), middleware.ToolCall{Name: "call", Result: genExtraction().Draw(t, "found")})
			if rapid.Bool().Draw(t, "cleared") {
				wc.Clear()
			}
			block := rec.Block()
			checkEvictions(t, log, i+1, slices.DeleteFunc(evicted, func(e memory.Eviction) bool { // was back for a moment
				return slices.ContainsFunc(candidates, func(c memory.Entity) bool { return c.ID == e.Entity.ID })
			}))
			checkPresence(t, log, wc, block)
		}
	})
}

func genRef() *rapid.Generator[memory.Ref] {
	return rapid.Custom(func(t *rapid.T) memory.Ref {
		return memory.Ref{
			Type: rapid.SampledFrom([]string{"page", "user", ""}).Draw(t, "type"),
			ID:   rapid.SampledFrom([]string{"page-00001", "page-00002", "page-00003", "page-00004", "page-00005", "page-00006", "page-00007"}).Draw(t, "id"),
		}
	})
}

func genExtraction() *rapid.Generator[extractor.Extraction] {
	return rapid.Custom(func(t *rapid.T) extractor.Extraction {
		var es []memory.Entity
		for _, ref := range rapid.SliceOfN(genRef(), 0, 9).Draw(t, "entities") {
			es = append(es, memory.Entity{Type: ref.Type, ID: ref.ID, Role: rapid.SampledFrom([]memory.Role{"", memory.RoleReference}).Draw(t, "role")})
		}
		return extractor.Extraction{
			Entities: es,
			Used:     rapid.SliceOfN(genRef(), 0, 3).Draw(t, "used"),
			Removed:  rapid.SliceOfN(genRef(), 0, 2).Draw(t, "removed"),
		}
	})
}

// checkEvictions compares the evictions of a call with the log.
func checkEvictions(t *rapid.T, log *middleware.DecisionLog, call int, want []memory.Eviction) {
	type eviction struct{ id, by string }
	var evicted, said []eviction
	for _, e := range want {
		evicted = append(evicted, eviction{e.Entity.ID, e.By.ID})
	}
	for d := range log.All() {
		if d.Call == call && d.Kind == middleware.DecisionEvicted {
			said = append(said, eviction{d.ID, d.ByID})
		}
	}
	assert.ElementsMatch(t, evicted, said)
}

// checkPresence compares the last decisions on each id with the context and the block.
func checkPresence(t *rapid.T, log *middleware.DecisionLog, wc *memory.WorkingContext, block string) {
	present, shown := map[memory.Ref]bool{}, map[memory.Ref]bool{}
	for d := range log.All() {
		ref := memory.Ref{Type: d.Type, ID: d.ID}
		switch d.Kind {
		case middleware.DecisionSeen, middleware.DecisionPromoted:
			present[ref] = true
		case middleware.DecisionEvicted: // a candidate, which the block may show
			delete(present, ref)
		case middleware.DecisionRepeated, middleware.DecisionUsed:
		case middleware.DecisionShown:
			shown[ref] = true
		case middleware.DecisionHidden:
			delete(shown, ref)
		case middleware.DecisionMerged:
			into := memory.Ref{Type: d.ByType, ID: d.ByID}
			if present[ref] {
				present[into] = true
			}
			if shown[ref] {
				shown[into] = true
			}
			fallthrough
		default:
			delete(present, ref)
			delete(shown, ref)
		}
	}
	wantPresent, wantShown := map[memory.Ref]bool{}, map[memory.Ref]bool{}
	for e := range wc.All() {
		wantPresent[memory.Ref{Type: e.Type, ID: e.ID}] = true
	}
	parsed, err := prompt.Parse(block)
	require.NoError(t, err)
	for _, e := range parsed {
		wantShown[memory.Ref{Type: e.Type, ID: e.ID}] = true
	}
	assert.Equal(t, wantPresent, present)
	assert.Equal(t, wantShown, shown)
}

func TestConcurrentDecisions(t *testing.T) {
	t.Parallel()
	log := middleware.NewDecisionLog(&middleware.DecisionLogOptions{Capacity: 1 << 20})
	rec := newRecorder(t, &middleware.Options{Decisions: log})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 25 {
				id := fmt.Sprintf("page-%04d", i*100+j)
				assert.NoError(t, rec.Record(context.Background(), pageCall(i*100+j)))
				rec.Block()
				assert.NotEmpty(t, log.Why(id))
			}
		})
	}
	wg.Wait()
	calls := make(map[int]string)
	for d := range log.All() {
		if d.Kind != middleware.DecisionSeen {
			continue
		}
		assert.Empty(t, calls[d.Call], "each call found one page")
		calls[d.Call] = d.ID
	}
	assert.Len(t, calls, 200)
}
