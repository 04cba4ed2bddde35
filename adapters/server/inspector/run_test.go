package inspector_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/inspector"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// shop is a conversation about pages: step 0 is a message, 1 to 5 are calls, 6 is the present.
func shop(t testing.TB) *world {
	w := newWorld(t, inspector.Options{})
	w.said("user", "Rename page-40001, please. And look at page-49999.")
	for n := 1; n <= 4; n++ {
		w.called("browse", fmt.Sprintf(`{"n":%d}`, n), fmt.Sprintf(`{"page":{"id":"page-%d","title":"Page %d","password":"tiger-%d-hunter"}}`, 40_000+n, n, n))
	}
	w.called("rename_page", `{"page_id":"page-40001"}`, `{"page":{"id":"page-40001","title":"Start"},"cache":{"etag":"b7"}}`)
	return w
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	page := shop(t).run()
	assert.Equal(t, []string{
		"0 user Rename page-40001, please. And look at page-49999.", "1 browse +1", "2 browse +1", "3 browse +1", "4 browse +1",
		"5 rename_page", "6 now The session as it is stored.",
	}, page.texts("li.step"))
	assert.Equal(t, "6 now", textOf(current(t, page)), "the present is shown first")
	assert.Contains(t, page.text("dl.facts"), "entities 4")
}

// TestBlockAtAStep: the block after each step, marked against the one before.
func TestBlockAtAStep(t *testing.T) {
	t.Parallel()
	w := shop(t)
	for step, want := range map[string][]string{
		"0": {},
		"1": {"+ Page 1 page-40001 came"},
		"3": {"+ Page 3 page-40003 came", "Page 2 page-40002", "Page 1 page-40001"},
		"4": {"+ Page 4 page-40004 came", "Page 3 page-40003", "Page 2 page-40002", "− Page 1 page-40001 went"},
		"5": {"+ Start page-40001 came", "Page 4 page-40004", "Page 3 page-40003", "− Page 2 page-40002 went"},
		"6": {"Start page-40001", "Page 4 page-40004", "Page 3 page-40003"},
	} {
		page := w.run("step", step)
		lines := page.texts("li.line")
		for i := range lines {
			lines[i] = strings.Join(strings.Fields(lines[i]), " ")
		}
		assert.Equal(t, want, lines, "step %s", step)
	}
	page := w.run("step", "4")
	assert.Contains(t, page.text("#block"), "at most 10 lines, what is in use first, then 3 of a type")
	assert.Equal(t, []string{"page page-40001 Page 1 over the limit of lines or per type browse $.page 0"}, page.texts("#unshown tbody tr"))
}

// TestWhy: the answer to why an id is shown or not, at a step.
func TestWhy(t *testing.T) {
	t.Parallel()
	w := shop(t)
	for _, c := range []struct{ id, step, budget, want string }{
		{"page-40004", "6", "", `Shown, as page page-40004 "Page 4".`},
		{"page-40002", "6", "", "In memory as page page-40002, but not shown: over the limit of lines or per type (the block has at most 10 lines, what is in use first, then 3 of a type)."},
		{"page-40002", "6", "16", "no room in the token budget (the block has a budget of 16 tokens)."},
		{"page-40004", "2", "", "Not seen yet at this step: a later one brings it. Step 4"},
		{"page-49999", "6", "", "Never in a result that is known: only a message has it."},
		{"page-7", "6", "", "Never seen: no result that is known has it."},
		{"b7", "6", "", "Not taken as an entity: in the result at $.cache.etag, taken for"},
		{"tiger-1-hunter", "6", "", "Never seen"},
	} {
		assert.Contains(t, w.run("q", c.id, "step", c.step, "budget", c.budget).text("p.answer"), c.want, "%s at %s", c.id, c.step)
	}
}

// TestStory: what happened to an id, where, and in the timeline.
func TestStory(t *testing.T) {
	t.Parallel()
	page := shop(t).run("q", "page-40001", "step", "2")
	assert.Equal(t, []string{
		"step 0 user written by the user", "step 1 browse page seen at $.page",
		"step 5 rename_page page used", "step 5 rename_page page repeated at $.page",
	}, page.texts("ol.story li"))
	assert.Equal(t, []string{"0 user written", "1 browse +1 seen", "5 rename_page used repeated"}, page.texts("li.touched a"))
	assert.Contains(t, page.link("ol.story", "step 5"), "step=5")
}

// TestResultMarks: the result as it came, without secrets, with what its values became.
func TestResultMarks(t *testing.T) {
	t.Parallel()
	page := shop(t).run("step", "5")
	assert.Contains(t, page.text("#call"), `{"page":{"id":" page-40001 ","title":"Start"},"cache":{"etag":" b7 "}}`)
	assert.Equal(t, []string{"page-40001"}, page.texts("#call pre a.is-record"))
	assert.Contains(t, page.text("#judgements"), "record page-40001 page")
	assert.NotContains(t, shop(t).run("step", "1").raw, "tiger-1-hunter")
}

// TestRulesExplain: results are explained by the rules that read them.
func TestRulesExplain(t *testing.T) {
	t.Parallel()
	x, err := extractor.New(&extractor.Options{Rules: []extractor.Rule{{Tool: "erp_*", Type: "invoice", List: "rows.*", ID: "f01"}}})
	require.NoError(t, err)
	w := newWorld(t, inspector.Options{Extractor: x, Recording: &middleware.SessionsOptions{Extractor: x, Journal: middleware.NewJournal(nil)}})
	w.called("erp_q17", `{}`, `{"rows":[{"f01":"R-2024-1"}]}`)
	assert.Contains(t, w.run("step", "0").text("#judgements"), "record R-2024-1 invoice a rule reads it")
}

// TestAskByAnotherName: a handle, an alias and an id have one story.
func TestAskByAnotherName(t *testing.T) {
	t.Parallel()
	const id = "550e8400-e29b-41d4-a716-446655440000"
	w := newWorld(t, inspector.Options{})
	w.called("get_page", `{}`, `{"page":{"id":"`+id+`","title":"Home"}}`)
	want := w.run("q", id)
	assert.Contains(t, want.text("p.answer"), "Shown, as page "+id)
	asked := w.run("q", "page#1")
	assert.Contains(t, asked.text("p.answer"), "of which page#1 is another name")
	assert.Equal(t, want.texts("ol.story li"), asked.texts("ol.story li"))
	w.called("delete_page", `{"id":"page#1"}`, `{"success":true}`)
	assert.Contains(t, w.run("q", "page#1").text("p.answer"), "No longer in memory: removed.")
}

func TestFailedCallsAndEvictions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspector.Options{})
	w.called("get_page", `{}`, `{"page":{"id":"page-40001","title":"Home"}}`)
	w.called("get_page", `{"id":"page-40001"}`, errors.New("no such page"))
	w.called("delete_page", `{"id":"page-40001"}`, `{"success":true}`)
	page := w.run("step", "1")
	assert.Equal(t, []string{"1 get_page failed"}, page.texts("li.failed"))
	assert.Contains(t, page.text("#call"), "no such page")
	page = w.run("step", "2", "q", "page-40001")
	assert.Contains(t, page.text("p.answer"), "No longer in memory: removed. Step 2")
	assert.Equal(t, []string{"− Home page-40001 went"}, page.texts("li.line"))
}

// A budget and a placement change what is shown.
func TestBudgetAndPlacement(t *testing.T) {
	t.Parallel()
	w := shop(t)
	small := w.run("budget", "16")
	assert.Less(t, len(small.texts("li.line")), len(w.run().texts("li.line")))
	assert.Contains(t, small.text("#block"), "of 16 tokens")
	w.said("assistant", "Done.")
	w.said("user", "Thanks.")
	kinds := func(placement string) (kinds []string) {
		for _, n := range w.run("place", placement).all("ol.prompt li") {
			kinds = append(kinds, attr(n, "class"))
		}
		return kinds
	}
	assert.Equal(t, "block", kinds("system")[0])
	tail := kinds("tail")
	assert.Equal(t, []string{"block", "again"}, tail[len(tail)-2:], "before the last message of the user")
}

// TestSession shows what a session has besides: the summary, stored results, handles, memories.
func TestSession(t *testing.T) {
	t.Parallel()
	w := shop(t)
	rows := strings.Repeat("a row of the report\n", 1000)
	w.called("get_report", `{}`, rows)
	_, err := w.manager.Update(t.Context(), conversation, func(s *session.Session) error {
		s.Context, s.Memories = "They renamed a page.", []session.Record{{ID: "m", Text: "Ann likes tea."}}
		return nil
	}, nil)
	require.NoError(t, err)
	page := w.run()
	assert.Contains(t, page.text("#summary"), "They renamed a page.")
	assert.Contains(t, page.text("#memories"), "Ann likes tea. waits for promotion")
	assert.Contains(t, page.text("#handles"), "result#1")
	status, result := w.get(page.link("#results", "result#1"))
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, result.text("pre"), "a row of the report")
	assert.Contains(t, w.run("step", "6").text("#call"), "The whole result is stored as result#1")
	status, result = w.get("/inspect/result?" + ofSession("handle", "result#1", "path", "$.x"))
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, result.text("pre"), "not JSON", "what is wrong with the request")
}

// A session of 90 messages has three pages of steps, and a long message parts.
func TestPagesOfSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspector.Options{})
	for n := range 90 {
		w.said("user", fmt.Sprint("message ", n))
	}
	w.said("user", strings.Repeat("word ", 40_000))
	page := w.run("step", "45", "q", "89")
	steps := page.texts("li.step")
	require.Len(t, steps, 40)
	assert.Equal(t, "40 user message 40", steps[0])
	assert.Contains(t, page.link("nav.timeline", "Next →"), "step=80")
	assert.Contains(t, page.link("nav.timeline", "89"), "step=89", "what the id is about on other pages")
	assert.Contains(t, page.link("nav.stepping", "← Previous"), "step=44")
	page = w.run("step", "90")
	status, part := w.get(page.link("#message", "All 200000 bytes"))
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, part.text("nav.pager"), "bytes 0–65536 of 200000")
	_, part = w.get(part.link("nav.pager", "Next →"))
	assert.Contains(t, part.text("nav.pager"), "bytes 65536–131072 of 200000")
}

// Messages that carry the results of recorded calls are shown once.
func TestResultsInMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspector.Options{})
	_, err := w.sessions.Record(t.Context(), conversation, middleware.ToolCall{ID: "c1", Name: "get_page", Result: `{"page":{"id":"page-40001"}}`})
	require.NoError(t, err)
	_, err = w.manager.Append(t.Context(), conversation, []session.Message{
		{Role: "assistant", ToolCalls: []session.ToolCall{{ID: "c1", Name: "get_page", Arguments: `{"id":"page-40001"}`}, {ID: "c2", Name: "wait"}}},
		{Role: "tool", ToolCallID: "c1", Content: `{"page":{"id":"page-40001"}}`}, {Role: "tool", ToolCallID: "c2", Content: "page-40009"},
	}, nil)
	require.NoError(t, err)
	page := w.run("q", "page-40009")
	assert.Equal(t, []string{"0 get_page +1", "1 assistant calls get_page({\"id\":\"page-40001\"}), wait()", "2 tool overlooked page-40009", "3 now The session as it is stored."}, page.texts("li.step"))
	assert.Contains(t, page.text("p.answer"), "in a result that is only a message, which is not read")
}

// Without a journal the inspector shows messages and the present block.
func TestWithoutAJournal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspector.Options{Recording: new(middleware.SessionsOptions)})
	w.said("user", "hello")
	w.called("get_page", `{}`, `{"page":{"id":"page-40001","title":"Home"}}`)
	assert.Equal(t, []string{"0 user hello", "1 now The session as it is stored."}, w.run().texts("li.step"))
	assert.Equal(t, []string{"Home page-40001"}, w.run("step", "1").texts("li.line"))
	assert.Contains(t, w.run("step", "0").text("p.warning"), "not known")
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	w := shop(t)
	for path, want := range map[string]int{
		"/inspect/run?id=other": http.StatusNotFound, "/inspect/run": http.StatusNotFound, "/inspect/nothing": http.StatusNotFound,
		"/inspect/text?" + ofSession("step", "1"): http.StatusNotFound, "/inspect/memories": http.StatusNotFound,
		"/inspect/result?" + ofSession("handle", "result#9"):                             http.StatusNotFound,
		"/inspect/run?" + ofSession("step", "99999", "budget", "-5", "place", "nowhere"): http.StatusOK,
		"/inspect/run?id=%ff&namespace=%00":                                              http.StatusNotFound, "/inspect/?q=%ff%00": http.StatusOK,
	} {
		status, page := w.get(path)
		assert.Equal(t, want, status, path)
		assert.NotEmpty(t, page.text("h1"), path)
	}
}
