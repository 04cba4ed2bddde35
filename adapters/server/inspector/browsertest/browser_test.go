package browsertest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience limits how long a page may take to look as a person expects. It ends tests that fail; those
// that pass do not depend on it.
const patience = time.Minute

// tab is a tab of a browser.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	problems []string // errors in the console, exceptions, violations of the policy
}

// openTab opens a tab of a browser that is closed at the end of the test. Problems in it fail the test.
func openTab(t testing.TB) *tab {
	t.Helper()
	browser := os.Getenv("WORKINGMEMORY_TEST_CHROMIUM")
	if browser == "" {
		t.Skip("WORKINGMEMORY_TEST_CHROMIUM is not set (the path of a Chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.WSURLReadTimeout(patience))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...) // the test's ends before its cleanups
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 3*patience)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, b.note)
	b.do(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(`addEventListener("securitypolicyviolation", e => console.error("policy", e.violatedDirective, e.blockedURI, e.sample))`).Do(ctx)
		return err
	}))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		require.Empty(t, b.problems)
	})
	return b
}

// note notes what a browser complains about.
func (b *tab) note(event any) {
	problem := ""
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
			problem = fmt.Sprint(e.Entry.Source, ": ", e.Entry.Text, " ", e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		problem = e.ExceptionDetails.Error()
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			problem = "console"
			for _, a := range e.Args {
				problem += " " + string(a.Value)
			}
		}
	}
	// The login page is answered 401.
	if problem != "" && !strings.Contains(problem, "status of 401") {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.problems = append(b.problems, problem)
	}
}

func (b *tab) do(actions ...chromedp.Action) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Run(b.ctx, actions...))
}

// size sets the width of the window and whether a person prefers dark colours.
func (b *tab) size(width int64, dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.do(chromedp.EmulateViewport(width, 900), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}))
}

// enter replaces the text of a field and sends its form.
func (b *tab) enter(field, text string) {
	b.t.Helper()
	b.do(chromedp.Evaluate(fmt.Sprintf("document.querySelector(%q).select()", field), nil), chromedp.SendKeys(field, text+kb.Enter, chromedp.ByQuery))
}

// back goes to the page before.
func (b *tab) back() {
	b.t.Helper()
	b.do(chromedp.Evaluate("setTimeout(() => history.back())", nil))
}

// evaluate returns the value of an expression.
func evaluate[T any](b *tab, expression string) (value T) {
	b.t.Helper()
	b.do(chromedp.Evaluate(expression, &value))
	return value
}

// wait waits until an expression is true. A page that is being replaced answers with an error.
func (b *tab) wait(expression string) {
	b.t.Helper()
	is := func() (is bool) { return chromedp.Run(b.ctx, chromedp.Evaluate(expression, &is)) == nil && is }
	if !assert.Eventually(b.t, is, patience, 20*time.Millisecond, expression) {
		require.Fail(b.t, b.text("body"))
	}
}

// shows waits until an element has a text.
func (b *tab) shows(selector, text string) {
	b.t.Helper()
	b.wait(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.innerText.replace(/\s+/g, " ").includes(%q))`, selector, text))
}

// text returns the text of the first element that a selector matches, as one line.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return evaluate[string](b, fmt.Sprintf(`(document.querySelector(%q)?.innerText ?? "").replace(/\s+/g, " ").trim()`, selector))
}

// click clicks the first link or button with a text. What is marked is lost if a part of the page is
// replaced before the click: then it is marked again.
func (b *tab) click(text string) {
	b.t.Helper()
	mark := fmt.Sprintf(`(() => {
		document.querySelector("[data-to-click]")?.removeAttribute("data-to-click");
		const found = [...document.querySelectorAll("a, button, summary")].find(e => e.innerText.replace(/\s+/g, " ").trim() === %q);
		found?.setAttribute("data-to-click", "");
		return !!found;
	})()`, text)
	clicked := func() bool {
		ctx, cancel := context.WithTimeout(b.ctx, patience/4)
		defer cancel()
		var found bool
		return chromedp.Run(ctx, chromedp.Evaluate(mark, &found)) == nil && found && chromedp.Run(ctx, chromedp.Click("[data-to-click]", chromedp.ByQuery)) == nil
	}
	for range 4 {
		if clicked() {
			return
		}
	}
	require.Fail(b.t, "nothing to click", text)
}

// picture writes a picture of the whole page, if pictures are asked for.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("WORKINGMEMORY_TEST_SCREENSHOTS")
	if dir == "" {
		return
	}
	var png []byte
	b.do(chromedp.FullScreenshot(&png, 100))
	require.NoError(b.t, os.MkdirAll(dir, 0o755))
	require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
}

// fits requires that the page is not wider than the window.
func (b *tab) fits() {
	b.t.Helper()
	require.LessOrEqual(b.t, evaluate[int](b, "document.documentElement.scrollWidth"), evaluate[int](b, "innerWidth"))
}
