package browsertest_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// The documentation of the API finds an operation by a word of it, shows a command and examples,
// and sends the request of an operation that a person tries.
func TestDocumentation(t *testing.T) {
	b := openTab(t)
	manager, err := session.NewManager(memstore.New(nil), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, manager.Close(context.Background())) })
	api, err := rest.New(manager, nil)
	require.NoError(t, err)
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)

	b.size(1000, false)
	b.do(chromedp.Navigate(server.URL + "/docs"))
	b.shows(".opblock-summary-path", "/v1/working-memory/{sid}/tool-calls")
	b.picture("docs")
	b.do(chromedp.SendKeys(".operation-filter-input", "finished TOOL", chromedp.ByQuery))
	b.wait(`document.querySelectorAll(".opblock").length === 1`)
	b.do(chromedp.Focus(".opblock-summary-control", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
	b.shows(".opblock-description", "curl -X POST 'http://localhost:8000/v1/working-memory/s-1/tool-calls'")
	b.shows(".responses-table", "ad-17")
	b.shows(".responses-table", "X-Request-Id")
	b.click("Try it out")
	b.do(chromedp.SendKeys(`.parameters input[placeholder="sid"]`, "s-1", chromedp.ByQuery))
	b.click("Execute")
	b.shows(".live-responses-table", "200")
	b.shows(".live-responses-table", `"name": "Spring"`)
	b.picture("docs-try")

	b.size(400, true)
	b.do(chromedp.Navigate(server.URL + "/docs/"))
	b.shows(".opblock-summary-path", "/v1/health")
	b.fits()
	b.picture("docs-narrow-dark")
}
