package browsertest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/inspector"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// start serves an inspector with some sessions, and returns its address and a token. Without tokens
// the token is empty.
func start(t testing.TB, tokens bool) (url, token string) {
	t.Helper()
	manager, err := session.NewManager(memstore.New(nil), &session.Options{
		Context: &memory.ContextOptions{Capacity: middleware.BudgetCapacity}, Summaries: summary.Options{Mode: summary.Off},
	})
	require.NoError(t, err)
	memories, err := longterm.New(memindex.New(nil), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memories.Close(t.Context())) })
	_, err = memories.Put(t.Context(), longterm.Of("shop", "ann"), []longterm.Record{{ID: "tea", Text: "Ann drinks green tea"}}, nil)
	require.NoError(t, err)
	opts := &inspector.Options{Memory: memories, Recording: &middleware.SessionsOptions{Journal: middleware.NewJournal(nil)}}
	if tokens {
		store := auth.NewMemoryTokenStore()
		token, _, err = auth.Create(t.Context(), store, auth.CreateOptions{Tenant: auth.Tenant{Namespace: "shop"}})
		require.NoError(t, err)
		api, err := rest.New(manager, &rest.Options{Verifier: auth.NewVerifier(store, nil)})
		require.NoError(t, err)
		opts.Authenticate, opts.Tenant = api.AuthenticateOr, func(ctx context.Context) (auth.Tenant, error) {
			tenant, _ := rest.TenantFrom(ctx)
			return tenant, nil
		}
	}
	pages, err := inspector.New(manager, opts)
	require.NoError(t, err)
	fill(t, manager, opts.Recording)
	return serve(t, pages), token
}

func serve(t testing.TB, pages http.Handler) string {
	t.Helper()
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	return server.URL
}

// fill records a conversation about pages in the session s-7, and makes others.
func fill(t testing.TB, manager *session.Manager, recording *middleware.SessionsOptions) {
	t.Helper()
	sessions, err := middleware.NewSessions(manager, recording)
	require.NoError(t, err)
	key := session.Key{Namespace: "shop", UserID: "ann", SessionID: "s-7"}
	say := func(key session.Key, role, text string) {
		_, err := manager.Append(t.Context(), key, []session.Message{{Role: role, Content: text}}, nil)
		require.NoError(t, err)
	}
	say(key, "system", "You help with a web site.")
	say(key, "user", "Rename the page Home to Start. Do not touch W1070.")
	for n := range 12 {
		result := fmt.Sprintf(`{"page":{"id":"page-%d","title":"Page %d","author":{"id":"user-%d","name":"Ann %d"}},"etag":"W%d"}`, 40_000+n, n, 700+n, n, 1070+n)
		_, err := sessions.Record(t.Context(), key, middleware.ToolCall{Name: "browse", Arguments: fmt.Sprintf(`{"n":%d}`, n), Result: result})
		require.NoError(t, err)
		say(key, "assistant", strings.Repeat(fmt.Sprint("I have read page ", n, ". "), 3))
	}
	_, err = sessions.Record(t.Context(), key, middleware.ToolCall{Name: "rename_page", Arguments: `{"page_id":"page-40011","title":"Start"}`, Result: `{"page":{"id":"page-40011","title":"Start"}}`})
	require.NoError(t, err)
	for n := range 30 {
		say(session.Key{Namespace: "shop", UserID: "bob", SessionID: fmt.Sprint("other-", n)}, "user", "hello")
	}
	say(session.Key{Namespace: "bank", UserID: "eve", SessionID: "secret"}, "user", "hello")
}

// TestPerson is what a person does: find a session, step through it with the keyboard, ask about an id,
// and move the slider.
func TestPerson(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url, _ := start(t, false)
	b.size(1280, false)
	b.do(chromedp.Navigate(url + "/inspect/"))
	b.shows("nav.pager", "of 32")
	b.picture("sessions")
	b.enter("#q", "s-7")
	b.wait(`document.querySelectorAll("tbody tr").length === 1`)
	b.click("s-7")
	b.shows(".stepping", "Step 27 of 27")
	b.fits()

	b.do(chromedp.KeyEvent("k"))
	b.shows(".stepping", "Step 26 of 27")
	b.shows("#call", "Call of rename_page")
	assert.Contains(t, b.text(".timeline [aria-current=step]"), "rename_page")
	b.shows(".line.renamed, .line.moved, .line.came", "page-40011")
	b.do(chromedp.KeyEvent("k"), chromedp.KeyEvent("k"))
	b.shows(".stepping", "Step 24 of 27")
	b.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("j"))
	b.shows(".stepping", "Step 26 of 27")
	assert.Contains(t, evaluate[string](b, "location.href"), "step=26")
	b.picture("step-light")

	b.click("page-40011")
	b.shows("#answer", "Shown, as page page-40011")
	b.shows("#answer", "used")
	assert.Positive(t, evaluate[int](b, `document.querySelectorAll(".step.touched").length`))
	b.enter("#q", "W1070")
	b.shows("#answer", "Why W1070")
	b.shows(".answer.no", "Not taken as an entity")
	b.enter("#q", "page-40008")
	b.shows(".answer.no", "over the limit of lines or per type")
	b.picture("why-not")

	whole := evaluate[int](b, `document.querySelectorAll(".line").length`)
	b.do(chromedp.Focus("#budget"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	b.wait(fmt.Sprintf(`document.querySelectorAll(".line").length < %d`, whole))
	assert.Equal(t, "32 tokens", b.text("#budget-out"))
	b.shows("#block", "of 32 tokens")
	assert.Equal(t, "budget", evaluate[string](b, "document.activeElement.id"), "the focus stays on the slider")
	b.do(chromedp.KeyEvent(kb.End))
	b.wait(fmt.Sprintf(`document.querySelectorAll(".line").length > %d`, whole))
	assert.Contains(t, evaluate[string](b, "location.href"), "budget=2048")

	b.click("Long-term memory")
	b.shows("tbody", "green tea")
	b.picture("memories")
}

// TestMouseAndSwap: clicks on steps replace parts of the page and keep what is opened and where one is.
func TestMouseAndSwap(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url, _ := start(t, false)
	b.size(1280, true)
	b.do(chromedp.Navigate(url + "/inspect/run?id=s-7&step=3"))
	b.shows(".stepping", "Step 3 of 27")
	b.do(chromedp.Evaluate(`window.same = true; document.getElementById("prompt").open = true`, nil))
	b.do(chromedp.Click("#l20", chromedp.ByQuery))
	b.shows(".stepping", "Step 20 of 27")
	assert.True(t, evaluate[bool](b, "window.same"), "the page is not loaded again")
	assert.True(t, evaluate[bool](b, `document.getElementById("prompt").open`))
	assert.Equal(t, "l20", evaluate[string](b, "document.activeElement.id"))
	b.picture("step-dark")
	b.back()
	b.shows(".stepping", "Step 3 of 27")
	b.do(chromedp.SetValue("#place", "tail", chromedp.ByQuery), chromedp.Evaluate(`document.getElementById("place").dispatchEvent(new Event("input", {bubbles: true}))`, nil))
	b.shows("#prompt", "In the prompt: tail")
}

// TestNarrow: at 400 pixels no page is wider than the window, in dark and in light.
func TestNarrow(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url, _ := start(t, false)
	for _, dark := range []bool{false, true} {
		b.size(400, dark)
		for name, path := range map[string]string{
			"sessions": "/inspect/", "step": "/inspect/run?id=s-7&step=4&q=page-40001", "memories": "/inspect/memories?q=tea", "missing": "/inspect/run?id=none",
		} {
			if name == "missing" {
				continue // its status is an error in the console
			}
			b.do(chromedp.Navigate(url + path))
			b.shows("h1", "")
			b.fits()
			b.picture(fmt.Sprintf("narrow-%s-dark=%t", name, dark))
		}
		background := evaluate[string](b, "getComputedStyle(document.body).backgroundColor")
		assert.Equal(t, dark, background == "rgb(22, 24, 27)", background)
	}
}

// TestWithoutScript: links and forms suffice.
func TestWithoutScript(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url, _ := start(t, false)
	b.size(1280, false)
	b.do(emulation.SetScriptExecutionDisabled(true), chromedp.Navigate(url+"/inspect/run?id=s-7&step=3"))
	b.shows(".stepping", "Step 3 of 27")
	b.click("Next →")
	b.shows(".stepping", "Step 4 of 27")
	b.do(chromedp.Focus("#budget"), chromedp.KeyEvent(kb.ArrowRight))
	b.click("Render")
	b.shows("#block", "of 16 tokens")
	b.do(chromedp.SendKeys("#q", "page-40000"+kb.Enter))
	b.shows("#answer", "Why page-40000")
	b.shows("#block", "of 16 tokens")
}

// TestLogin: a token is asked for once, and shows what it may.
func TestLogin(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url, token := start(t, true)
	b.size(1280, false)
	b.do(chromedp.Navigate(url + "/inspect/run?id=s-7&step=3"))
	b.shows("h1", "Log in")
	b.picture("login")
	b.enter("#token", "wmem_wrong")
	b.shows(".error", "Invalid token")
	b.enter("#token", token)
	b.shows(".stepping", "Step 3 of 27")
	assert.NotContains(t, evaluate[string](b, "document.cookie + location.href + document.documentElement.outerHTML"), token)
	b.click("Sessions")
	b.shows("nav.pager", "of 31")
	b.click("Log out")
	b.shows("h1", "Log in")
}

// TestRecording: the pages of a recorded run, from a miss to the result that had the id.
func TestRecording(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	var steps []string
	for n := range 8 {
		steps = append(steps, fmt.Sprintf(`{"kind":"tool","name":"browse","args":{},"result":{"page":{"id":"page-%d","title":"Page %d"}}}`, 40_000+n, n))
	}
	steps = append(steps, `{"kind":"tool","name":"rename_page","args":{"page_id":"page-40000"},"result":"ok"}`)
	var all []*evaluation.Episode
	for ep, err := range evaluation.Episodes(strings.NewReader(`{"id":"run-1","steps":[` + strings.Join(steps, ",") + `]}`)) {
		require.NoError(t, err)
		all = append(all, ep)
	}
	url := serve(t, inspector.ForRecordings([]inspector.Recording{{Name: "runs.jsonl", Episodes: all}}, nil))
	b.size(1280, false)
	b.do(chromedp.Navigate(url + "/inspect/"))
	b.shows("#causes", "no room in the block")
	b.click("1 no room in the block")
	b.picture("recordings")
	b.click("Result at step 0")
	b.shows(".stepping", "Step 0 of 8")
	b.shows("#call", "page-40000")
	b.shows("#answer", "needed as page_id")
}
