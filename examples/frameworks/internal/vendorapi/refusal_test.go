package vendorapi_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/vendorapi"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

const pageUUID = "550e8400-e29b-41d4-a716-446655440000"

// withHandles returns a recorder that has given out page#1.
func withHandles(tb testing.TB) *middleware.Recorder {
	table := handle.NewTable(nil)
	table.Apply(handle.Change{IDs: []memory.Ref{{Type: "page", ID: pageUUID}}})
	rec, err := middleware.NewRecorder(&middleware.Options{Handles: table})
	require.NoError(tb, err)
	return rec
}

// calling returns a reply that calls get_page.
func calling(page string) vendorapi.Reply {
	return vendorapi.Reply{Thinking: "Hm.", Text: "I get it.", Calls: []vendorapi.Call{{ID: "c1", Name: "get_page", Arguments: fmt.Sprintf(`{"page_id":%q}`, page)}}}
}

// The clients return the error of an unknown handle to the program, and do not make the request
// again, as after a failure of the network.
func TestRefusedAnswers(t *testing.T) {
	t.Parallel()
	for name, newAgent := range agents {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s stream=%v", name, stream), func(t *testing.T) {
				t.Parallel()
				asked := 1 + middleware.MaxCorrections
				if stream {
					asked = 1
				}
				var replies []any
				for range asked {
					replies = append(replies, calling("page#9"))
				}
				server := vendorapi.NewServer(newScript(t, replies...))
				t.Cleanup(server.Close)
				s := newSetup(stream, page(2002, "Home"), nil)
				s.Tools[0].Run = func(_ context.Context, arguments string) ([]string, error) {
					t.Errorf("the tool was called with %s", arguments)
					return nil, nil
				}
				a := newAgent(s, connection{url: server.URL, memory: llmhttp.New(withHandles(t), nil), retries: 2})
				_, err := a.Say(t.Context(), "Get the page.")
				var unknown *handle.UnknownError
				require.ErrorAs(t, err, &unknown)
				assert.Equal(t, "page#9", unknown.Handle)
				assert.Len(t, server.Requests(), asked)
			})
		}
	}
}

// The clients read answers that were decoded, or that were given when the model was asked again.
func TestDecodedAnswers(t *testing.T) {
	t.Parallel()
	for name, newAgent := range agents {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s stream=%v", name, stream), func(t *testing.T) {
				t.Parallel()
				replies := []any{calling("page#9"), calling("page#1"), found}
				if stream {
					replies = replies[1:]
				}
				server := vendorapi.NewServer(newScript(t, replies...))
				t.Cleanup(server.Close)
				s := newSetup(stream, "", nil)
				var received []string
				s.Tools[0].Run = func(_ context.Context, arguments string) ([]string, error) {
					received = append(received, arguments)
					return []string{`{"page":{"id":"` + pageUUID + `","title":"Home"}}`}, nil
				}
				a := newAgent(s, connection{url: server.URL, memory: llmhttp.New(withHandles(t), nil)})
				answer, err := a.Say(t.Context(), "Get the page.")
				require.NoError(t, err)
				assert.Equal(t, found.Text, answer)
				require.Len(t, received, 1)
				assert.JSONEq(t, `{"page_id":"`+pageUUID+`"}`, received[0])
				requests := server.Requests()
				require.Len(t, requests, len(replies))
				last := string(requests[len(requests)-1].Body)
				assert.NotContains(t, last, pageUUID)
				assert.Contains(t, last, "page#1")
			})
		}
	}
}
