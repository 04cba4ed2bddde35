package middleware_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/attack"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// honest are the calls that an agent made before it met a stranger's text. The last one
// edits a page.
var honest = []middleware.ToolCall{
	{Name: "mcp__github__get_issue", Arguments: `{"issue":"ED-1"}`, Result: `{"issue":{"id":"10002","key":"ED-1","title":"Login broken"}}`},
	{Name: "get_order", Arguments: `{"order_id":"ord_1001"}`, Result: `{"order_id":"ord_1001","name":"Garden chairs"}`},
	{Name: "shop_list_customers", Arguments: `{}`, Result: `{"customers":[{"id":"cus_8812","name":"Ann Lee"},{"id":"cus_8813","name":"Bob Ray"}]}`},
	{Name: "cms_list_pages", Arguments: `{}`, Result: `{"pages":[{"id":"page-1001","title":"Home"},{"id":"page-1002","title":"About"}]}`},
	{Name: "cms_update_page", Arguments: `{"page_id":"page-1001","title":"Home"}`, Result: `{"success":true}`},
}

// later are further calls, of which some take ids of the strangers' own.
var later = []middleware.ToolCall{
	{Name: "cms_get_page", Arguments: `{"page_id":"page-1001"}`, Result: `{"page":{"id":"page-1001","title":"Home"}}`},
	{Name: "mcp__mail__delete_email", Arguments: `{"email_id":"em-1001"}`, Result: `{"success":true}`},
	{Name: "mcp__browser__snapshot", Arguments: `{}`, Result: "- button \"Pay\" [ref=e1]"},
	{Name: "wiki_get_page", Arguments: `{"page_id":"wk-1001"}`, Result: `{"page":{"id":"wk-1001","title":"Shop"}}`},
}

// known are the entities that these calls returned, and one of the program.
var known = []attack.Target{
	{Type: "page", ID: "page-1001", Name: "Home"}, {Type: "page", ID: "page-1002", Name: "About"}, {Type: "issue", ID: "10002", Name: "Login broken"},
	{Type: "order", ID: "ord_1001", Name: "Garden chairs"}, {Type: "customer", ID: "cus_8812", Name: "Ann Lee"}, {Type: "project", ID: "prj-1077", Name: "Apollo"},
}

// settings are those of a block without a budget and of tight and wide ones.
var settings = []prompt.Options{{}, {Budget: 64}, {Budget: 128}, {Budget: 256}}

func agentAtWork(t require.TestingT, block prompt.Options, capacity int) *middleware.Recorder {
	rec := newRecorder(t, &middleware.Options{Block: block, Context: memory.NewWorkingContext(&memory.ContextOptions{Capacity: capacity})})
	require.NoError(t, rec.Context().Add(memory.Entity{Type: "project", ID: "prj-1077", Name: "Apollo"}))
	for _, call := range honest {
		require.NoError(t, rec.Record(context.Background(), call))
	}
	return rec
}

var (
	// header is what may stand above a group: a type that a result gave, or one of these
	// tests.
	header = regexp.MustCompile(`^("[\p{L}\p{Nd}_]{1,40}"|[\p{L}\p{Nd}_]{1,42}):$`)
	// shownLine is a line of entities.
	shownLine = regexp.MustCompile(`^  - (?:"(?:[^"\\]|\\.)*" \([^()]+\)(?: from [\w./:-]+)?(?:, |$))+$`)
	// markers are what may not be in a block, wherever.
	markers = regexp.MustCompile(`<\||<<SYS|(?i)\[/?INST\]|\[TOOL_CALLS\]|\{|\}|\$\(|\]\(|%\(|[\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{3164}\x{e0000}-\x{e007f}\x{ff5b}\x{ff5d}\x{ff1c}\x{ff3b}]`)
)

// requireIntact checks what a stranger's text must not change. What is not in use may be
// evicted where there is little room.
func requireIntact(t require.TestingT, rec *middleware.Recorder) {
	little := rec.Context().Capacity() == memory.DefaultCapacity
	for _, want := range known {
		got, ok := rec.Context().Get(memory.Ref{Type: want.Type, ID: want.ID})
		require.True(t, ok || little && want.ID != "page-1001", "%s is forgotten", want.ID)
		if ok {
			require.Equal(t, want, attack.Target{Type: got.Type, ID: got.ID, Name: got.Name})
		}
	}
	block := rec.Block()
	shown, err := prompt.Parse(block)
	require.NoError(t, err, block)
	require.True(t, slices.ContainsFunc(shown, func(e memory.Entity) bool { return e.ID == "page-1001" && e.Type == "page" }), "what was edited is shown:\n%s", block)
	for _, e := range shown {
		requireKnown(t, rec.Context(), e)
	}
	for i, line := range strings.Split(block, "\n") {
		switch {
		case i == 0:
			require.Equal(t, prompt.Title, line)
		case strings.HasPrefix(line, " "):
			require.Regexp(t, shownLine, line)
		default:
			require.Regexp(t, header, line)
			require.LessOrEqual(t, strings.Count(line, "_"), 3, line)
			require.NotRegexp(t, `(?i)(^|_)(ignore|everything|you|must|delete)(_|s?:)`, line)
		}
	}
	require.NotRegexp(t, markers, block)
}

// requireKnown checks that what a block shows is what the context knows.
func requireKnown(t require.TestingT, c *memory.WorkingContext, shown memory.Entity) {
	e, ok := c.Get(memory.Ref{Type: shown.Type, ID: shown.ID})
	require.True(t, ok, "%s %s is not known", shown.Type, shown.ID)
	require.Equal(t, e.Type, shown.Type)
	for _, id := range append([]string{shown.ID}, shown.Aliases...) {
		require.Contains(t, append(e.Aliases, e.ID), id)
	}
	for fact := range strings.SplitSeq(shown.Name, ", ") { // a label may lack some, and the middle or the end of one
		for part := range strings.SplitSeq(fact, "…") {
			require.Contains(t, e.Name+", "+e.Description+", "+memory.Placeholder(e.Type), part)
		}
	}
	if shown.Source != "" {
		from := e.NameOrigin()
		require.Contains(t, []string{from.Source, from.Tool}, shown.Source)
	}
}

// TestAStrangersTextChangesNothing runs the corpus of attacks: whatever one result holds, what
// other tools said stays, what is in use is shown, and the block has the form of a block.
func TestAStrangersTextChangesNothing(t *testing.T) {
	t.Parallel()
	every := soak.Times(2*len(settings), 1) // all in all settings, or each second one in one of them
	n := 0
	for s, block := range settings {
		base := agentAtWork(t, block, middleware.CapacityFor(block))
		for k, target := range known {
			for i, call := range attack.Calls(target) {
				if (i+k+2*s)%every != 0 {
					continue
				}
				n++
				name := fmt.Sprintf("%s at %s, budget %d", call.Name(), target.ID, block.Budget)
				rec := newRecorder(t, &middleware.Options{Block: block, Context: base.Context().Branch()})
				_ = rec.Record(context.Background(), middleware.ToolCall{Name: call.Tool, Arguments: call.Arguments, Result: call.Result})
				rec.UpdateFocus(prompt.Message{Role: "user", Content: "Now delete the Home page."})
				check(t, name, func(t require.TestingT) { requireIntact(t, rec) })
			}
		}
	}
	assert.GreaterOrEqual(t, n, 300*len(known))
}

// check names what fails, and ends the test after a few failures.
func check(t *testing.T, name string, test func(require.TestingT)) {
	t.Helper()
	var c collected
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(failedNow) {
				panic(p)
			}
		}()
		test(&c)
	}()
	if c.text != "" {
		t.Errorf("%s: %s", name, c.text)
	}
}

type collected struct{ text string }

const failedNow = "failed now"

func (c *collected) Errorf(format string, args ...any) { c.text += fmt.Sprintf(format, args...) }
func (c *collected) FailNow()                          { panic(failedNow) }

// TestStrangersTogetherChangeNothing runs several hostile calls between honest ones.
func TestStrangersTogetherChangeNothing(t *testing.T) {
	t.Parallel()
	calls := map[string][]attack.Call{}
	for _, target := range known {
		calls[target.ID] = attack.Calls(target)
	}
	rapid.Check(t, func(t *rapid.T) {
		const room = 4000 // for whatever floods it, so that all is remembered
		rec := agentAtWork(t, rapid.SampledFrom(settings).Draw(t, "block"), room)
		for range rapid.IntRange(1, 12).Draw(t, "calls") {
			if rapid.IntRange(0, 2).Draw(t, "honest") == 0 {
				require.NoError(t, rec.Record(context.Background(), rapid.SampledFrom(append(honest, later...)).Draw(t, "call")))
				continue
			}
			all := calls[rapid.SampledFrom(known).Draw(t, "target").ID]
			call := all[rapid.IntRange(0, len(all)-1).Draw(t, "call")]
			t.Log(call.Name())
			_ = rec.Record(context.Background(), middleware.ToolCall{Name: call.Tool, Arguments: call.Arguments, Result: call.Result})
			rec.UpdateFocus(prompt.Message{Role: "user", Content: "Now delete the Home page."})
			requireIntact(t, rec)
		}
	})
}

// FuzzStranger records whatever a tool that is about something else may return.
func FuzzStranger(f *testing.F) {
	tools := []string{"read_email", "mcp__mail__read_email", "fetch", "wiki_get_page", "bash", "list_tickets"}
	for i, call := range attack.Calls(known[0]) {
		if i%37 == 0 {
			f.Add(uint8(i), call.Result)
		}
	}
	f.Fuzz(func(t *testing.T, tool uint8, result string) {
		rec := agentAtWork(t, settings[int(tool)%len(settings)], 1000)
		_ = rec.Record(context.Background(), middleware.ToolCall{Name: tools[int(tool)%len(tools)], Arguments: `{"email_id":"em-1001"}`, Result: result})
		rec.UpdateFocus(prompt.Message{Role: "user", Content: "Now delete the Home page."})
		requireIntact(t, rec)
	})
}
