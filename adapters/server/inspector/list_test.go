package inspector_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/inspector"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
	viewdriver "github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/wordvectors"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Sessions are listed in pages, and found by any part of their keys.
func TestSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inspector.Options{})
	_, page := w.get("/inspect/")
	assert.Equal(t, "No session is stored.", page.text("p.none"))
	for n := range 60 {
		key := session.Key{Namespace: "shop", UserID: fmt.Sprint("user", n%7), SessionID: fmt.Sprintf("s-%03d", n)}
		_, err := w.manager.Append(t.Context(), key, []session.Message{{Role: "user", Content: "hello"}}, nil)
		require.NoError(t, err)
	}
	list := func(path string) *document {
		status, page := w.get(path)
		require.Equal(t, http.StatusOK, status)
		return page
	}
	page = list("/inspect/")
	require.Len(t, page.texts("tbody tr"), 25)
	assert.Contains(t, page.text("nav.pager"), "1–25 of 60")
	page = list(page.link("nav.pager", "Next →"))
	assert.Contains(t, page.text("nav.pager"), "26–50 of 60")
	for q, want := range map[string]int{"s-007": 1, "S-00": 10, "user3": 9, "shop": 25, "nothing": 0} {
		page = list("/inspect/?q=" + url.QueryEscape(q))
		assert.Len(t, page.texts("tbody tr"), want, q)
	}
	page = list("/inspect/?q=shop&from=50")
	assert.Len(t, page.texts("tbody tr"), 10)
	assert.Contains(t, page.text("nav.pager"), "51–60 of 60")
	assert.Equal(t, "No session matches.", list("/inspect/?q=nothing").text("p.none"))
	page = list("/inspect/?q=s-007")
	assert.Contains(t, page.text("tbody tr"), "s-007 shop user0")
	status, _ := w.get(page.link("tbody", "s-007"))
	assert.Equal(t, http.StatusOK, status)
}

// A search shows the scores of words, meaning and freshness, and is no use of a memory.
func TestMemories(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	index := memindex.New(nil)
	memories, err := longterm.New(index, &longterm.Options{Embedder: wordvectors.New(), Now: func() time.Time { return now }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memories.Close(t.Context())) })
	_, err = memories.Put(t.Context(), longterm.Of("shop", "ann"), []longterm.Record{
		{ID: "tea", Text: "Ann drinks green tea", CreatedAt: now.Add(-time.Hour)}, {ID: "car", Text: "Ann drives a red car", CreatedAt: now.AddDate(-1, 0, 0)},
	}, nil)
	require.NoError(t, err)
	w := newWorld(t, inspector.Options{Memory: memories})
	status, page := w.get("/inspect/memories?q=" + url.QueryEscape("green tea"))
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, []string{"memory", "rank", "words", "meaning", "freshness", "type", "owner", "created", "used"}, page.texts("thead th"))
	rows := page.texts("tbody tr")
	require.Len(t, rows, 2)
	assert.True(t, strings.HasPrefix(rows[0], "Ann drinks green tea tea"))
	assert.Contains(t, rows[0], "1.000", "the best by words")
	assert.Contains(t, rows[0], "never")
	found, err := memories.Get(t.Context(), longterm.Of("shop", "ann"), "tea")
	require.NoError(t, err)
	assert.Zero(t, found.AccessCount)
	_, page = w.get("/inspect/memories")
	assert.Len(t, page.texts("tbody tr"), 2)
	assert.Contains(t, page.text("p.hint"), "the newest first")
}

// TestSummaries shows the summary views of a tenant.
func TestSummaries(t *testing.T) {
	t.Parallel()
	memories, err := longterm.New(memindex.New(nil), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memories.Close(t.Context())) })
	_, err = memories.Put(t.Context(), longterm.Of("shop", "ann"), []longterm.Record{{ID: "tea", Text: "Ann drinks <b>green</b> tea."}}, nil)
	require.NoError(t, err)
	views, err := summaryview.New(memories, new(viewdriver.MemoryDocuments), nil)
	require.NoError(t, err)
	w := newWorld(t, inspector.Options{Memory: memories, Views: views})
	_, page := w.get("/inspect/summaries")
	assert.Equal(t, "There is no summary view.", page.text("p.none"))
	view, err := views.Create(t.Context(), summaryview.Tenant{}, summaryview.Definition{Name: "By user", GroupBy: []string{"user_id"}})
	require.NoError(t, err)
	_, err = views.Summarize(t.Context(), summaryview.Tenant{}, view.ID, map[string]string{"user_id": "ann"})
	require.NoError(t, err)
	_, page = w.get("/inspect/summaries")
	assert.Equal(t, "By user", page.text("h2"))
	assert.Contains(t, page.text("h3"), "user_id ann 1 memories")
	assert.Contains(t, page.text("pre"), "green")
	assert.Empty(t, page.all("b"))
}

// recorded is an episode that needs the last page of a list, of which the first five are kept.
const recorded = `{"id":"e-1","steps":[{"kind":"user","text":"Rename them."},
	{"kind":"tool","name":"list_pages","args":{},"result":{"pages":[{"id":"page-0001","title":"Home"},{"id":"page-0002","title":"Blog"},{"id":"page-0003","title":"Shop"},{"id":"page-0004","title":"Help"},{"id":"page-0005","title":"Team"},{"id":"page-0006","title":"Jobs"}]}},
	{"kind":"tool","name":"rename_page","args":{"page_id":"page-0001"},"result":"ok"},
	{"kind":"tool","name":"rename_page","args":{"page_id":"page-0006"},"result":"ok"}]}`

// TestRecordings: figures for each episode, and one click from a miss to the result that had the id.
func TestRecordings(t *testing.T) {
	t.Parallel()
	pages := inspector.ForRecordings([]inspector.Recording{{Name: "a.jsonl", Episodes: episodes(t, strings.ReplaceAll(recorded, "\n", ""), `{"id":"e-2","steps":[]}`)}}, nil)
	status, page := getPage(t, pages, "/inspect/")
	require.Equal(t, http.StatusOK, status)
	assert.Equal(t, []string{"e-1 a.jsonl 3 2 50.0 % 50.0 % 1 29", "e-2 a.jsonl 0 0 none none 0 0"}, page.texts("tbody tr"))
	assert.Contains(t, page.text("dl.facts"), "coverage 50.0 %")
	assert.Equal(t, []string{"1 no room in the block"}, page.texts("#causes summary"))
	_, source := getPage(t, pages, page.link("#causes", "Result at step 1"))
	assert.Equal(t, "1 list_pages +6 seen as a candidate", textOf(current(t, source)))
	assert.Contains(t, source.text("#call pre"), "page-0006")
	_, missed := getPage(t, pages, page.link("#causes", "page-0006"))
	assert.Equal(t, []string{"2 rename_page hidden", "3 rename_page miss needed promoted used"}, missed.texts("li.step a")[2:])
	assert.Contains(t, missed.text("ul.needs"), "needed page_id page-0006 : no room in the block")
	assert.Contains(t, missed.text("ol.story"), "needed as page_id: the block does not show it")
	assert.Contains(t, missed.text("#view ul.misses"), "page-0006 step 3")

	_, page = getPage(t, pages, "/inspect/run?file=0&n=0&step=2&budget=256")
	assert.Len(t, page.texts("li.line"), 6)
	assert.Contains(t, page.text("#block"), "of 256 tokens")
	_, page = getPage(t, pages, "/inspect/run?file=0&n=1")
	assert.Contains(t, page.text("p.none"), "no steps")
	_, page = getPage(t, pages, "/inspect/?q=e-2")
	assert.Len(t, page.texts("tbody tr"), 1)
	for _, path := range []string{"/inspect/run?file=0&n=2", "/inspect/run?file=9&n=0", "/inspect/run?n=-1&file=0", "/inspect/memories", "/inspect/result?file=0&n=0"} {
		status, _ := getPage(t, pages, path)
		assert.Equal(t, http.StatusNotFound, status, path)
	}
}
