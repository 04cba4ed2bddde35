package vendorapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/vendorapi"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// exchange is a request with a vendor's client.
type exchange struct {
	name string
	// at are the placements at which a text is inserted in one place. If nil, all are.
	at []prompt.Placement
	// send sends a request, and returns the JSON of what the client made of the response, or
	// of each chunk of it. The image is base64.
	send func(ctx context.Context, c connection, stream bool, image string) ([]string, error)
}

// page is the result of a tool.
func page(n int, title string) string {
	return fmt.Sprintf(`{"page":{"id":"page-%d","title":%q,"views":9007199254740993}}`, n, title)
}

// knowing returns a recorder that knows a page, of which no request says anything.
func knowing(tb testing.TB) *middleware.Recorder {
	rec := new(middleware.Recorder)
	require.NoError(tb, rec.Context().Add(memory.Entity{Type: "page", ID: "page-1001", Name: "Imprint"}))
	return rec
}

// say answers with all that a reply may have.
func say(context.Context, vendorapi.Request) (vendorapi.Reply, error) {
	return vendorapi.Reply{Thinking: "Which page is it?", Text: "It is the home page – “Home”.", Calls: []vendorapi.Call{
		{ID: "c8", Name: "get_page", Arguments: `{"page_id":"page-2002"}`},
		{ID: "c9", Name: "get_page", Arguments: `{"page_id":"page-2003","z":{"a":[1,2]}}`},
	}}, nil
}

// run sends an exchange to a server of its own. It returns the request as it was received.
func (e *exchange) run(t *testing.T, w *llmhttp.WorkingMemory, stream bool, image string) (r vendorapi.Request, parsed []string) {
	server := vendorapi.NewServer(say)
	defer server.Close()
	parsed, err := e.send(t.Context(), connection{url: server.URL, memory: w}, stream, image)
	require.NoError(t, err)
	require.NotEmpty(t, parsed)
	requests := server.Requests()
	require.Len(t, requests, 1)
	return requests[0], parsed
}

const image = "aGVsbG8h"

// What is sent with working memory is what is sent without it, but for the block; what is
// received is the same.
func TestRequestsAreUnchanged(t *testing.T) {
	t.Parallel()
	for _, e := range slices.Concat(chatExchanges, responsesExchanges, messagesExchanges, geminiExchanges) {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s stream=%v", e.name, stream), func(t *testing.T) {
				t.Parallel()
				given, parsed := e.run(t, nil, stream, image)
				unused, _ := e.run(t, llmhttp.New(nil, nil), stream, image)
				assert.Equal(t, string(given.Body), string(unused.Body), "without a recorder")
				at := e.at
				if at == nil {
					at = []prompt.Placement{prompt.PlaceSystem, prompt.PlaceAfterPrefix, prompt.PlaceTail, prompt.PlaceAppend}
				}
				for _, at := range at {
					sent, same := e.run(t, llmhttp.New(knowing(t), &llmhttp.Options{Placement: at}), stream, image)
					requireBlockInserted(t, given, sent, at)
					assert.Equal(t, parsed, same, at)
				}
			})
		}
	}
}

func TestLargeRequestsAreUnchanged(t *testing.T) {
	t.Parallel()
	large := strings.Repeat(image, 5<<20/len(image))
	for _, e := range []exchange{chatExchanges[0], responsesExchanges[0], messagesExchanges[0], geminiExchanges[0]} {
		given, _ := e.run(t, nil, false, large)
		sent, _ := e.run(t, llmhttp.New(knowing(t), &llmhttp.Options{Placement: prompt.PlaceAppend}), false, large)
		requireBlockInserted(t, given, sent, prompt.PlaceAppend)
	}
}

// requireBlockInserted requires that sent is given with a block inserted in one place.
func requireBlockInserted(t *testing.T, given, sent vendorapi.Request, at prompt.Placement) {
	added := requireInserted(t, given.Body, sent.Body, at)
	assert.Equal(t, 1, strings.Count(added, prompt.Title), "%s: %s", at, added)
	assert.Contains(t, added, "page-1001", at)
	assert.Equal(t, others(given.Header), others(sent.Header), at)
}

// others returns the headers that do not depend on the body.
func others(h http.Header) http.Header {
	h = h.Clone()
	h.Del("Content-Length")
	return h
}

// requireInserted requires that sent is given with a text inserted in one place, and returns the
// text.
func requireInserted(t *testing.T, given, sent []byte, at prompt.Placement) string {
	require.True(t, json.Valid(sent), at)
	const step = 1 << 10
	shorter := min(len(given), len(sent))
	before := 0
	for before+step <= shorter && bytes.Equal(given[before:before+step], sent[before:before+step]) {
		before += step
	}
	for before < shorter && given[before] == sent[before] {
		before++
	}
	after := 0
	for after < shorter-before && given[len(given)-1-after] == sent[len(sent)-1-after] {
		after++
	}
	lost := given[before : len(given)-after]
	require.Empty(t, string(lost[:min(len(lost), 200)]), "%s: not in %s", at, sent[before:min(before+200, len(sent))])
	return string(sent[before : len(sent)-after])
}
