package mcpproxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/mcpproxy"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// newShop returns a server that uses most of the protocol.
func newShop(name string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, &mcp.ServerOptions{
		Instructions: "Ask the " + name + ".", PageSize: 2,
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{name}}}, nil
		},
	})
	type in struct {
		N int `json:"n,omitempty"`
	}
	type out struct {
		ID   string `json:"order_id"`
		Name string `json:"name"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "find_order"}, func(_ context.Context, _ *mcp.CallToolRequest, in in) (*mcp.CallToolResult, out, error) {
		return nil, out{fmt.Sprintf("W-%d", in.N), "Kettle of " + name}, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "fail"}, func(context.Context, *mcp.CallToolRequest, in) (*mcp.CallToolResult, any, error) {
		return nil, nil, errors.New("no order")
	})
	mcp.AddTool(s, &mcp.Tool{Name: "only_" + name}, func(ctx context.Context, req *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, any, error) {
		asked, ok := req.Params.InputResponses["who"].(*mcp.ElicitResult)
		if !ok { // in older versions of the protocol a request of the server
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"who": &mcp.ElicitParams{Message: "Who?"}}}, nil, nil
		}
		if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 0.5, Message: name}); err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: asked.Action}, &mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, any, error) {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	s.AddPrompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Description: name, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Hello"}}}}, nil
	})
	read := func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, Text: name}}}, nil
	}
	s.AddResource(&mcp.Resource{Name: "about", URI: name + "://about"}, read)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "order", URITemplate: name + "://orders/{id}"}, read)
	return s
}

// connect connects a client to a server, whose connection is given, through a proxy or not.
func connect(t *testing.T, recorder *middleware.Recorder, server mcpproxy.Conn, opts *mcpproxy.Options, client *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	in, theirs := io.Pipe()
	ours, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- mcpproxy.Run(context.Background(), recorder, mcpproxy.NewStream(in, out), server, opts)
	}()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, client)
	session, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: ours, Writer: theirs}, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = session.Close()
		require.NoError(t, <-done)
	})
	return session
}

// served returns a connection to a server in this process.
func served(t *testing.T, s *mcp.Server) mcpproxy.Conn {
	t.Helper()
	in, theirs := io.Pipe()
	ours, out := io.Pipe()
	running, err := s.Connect(context.Background(), &mcp.IOTransport{Reader: in, Writer: out}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = running.Wait() })
	return mcpproxy.NewStream(ours, theirs)
}

// over are the ways to reach servers.
var over = map[string]func(*testing.T, *mcp.Server) mcpproxy.Conn{
	"stdio": served,
	"http": func(t *testing.T, s *mcp.Server) mcpproxy.Conn {
		return overHTTP(t, s, nil)
	},
	"http with JSON": func(t *testing.T, s *mcp.Server) mcpproxy.Conn {
		return overHTTP(t, s, &mcp.StreamableHTTPOptions{JSONResponse: true})
	},
	"a hub": func(t *testing.T, s *mcp.Server) mcpproxy.Conn {
		return mcpproxy.NewHub(map[string]mcpproxy.Conn{"shop": served(t, s)}, nil)
	},
	"a hub with another": func(t *testing.T, s *mcp.Server) mcpproxy.Conn {
		other := mcp.NewServer(&mcp.Implementation{Name: "other", Version: "1"}, nil)
		mcp.AddTool(other, &mcp.Tool{Name: "other"}, func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
			return nil, nil, nil
		})
		return mcpproxy.NewHub(map[string]mcpproxy.Conn{"other": served(t, other), "shop": overHTTP(t, s, nil)}, nil)
	},
}

func overHTTP(t *testing.T, s *mcp.Server, opts *mcp.StreamableHTTPOptions) mcpproxy.Conn {
	t.Helper()
	served := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, opts))
	t.Cleanup(served.Close)
	return mcpproxy.NewHTTP(served.URL, nil)
}

// A client and a server of the official SDK have the same conversation through a proxy as without
// one, and each call is recorded once.
func TestOfficialSDK(t *testing.T) {
	t.Parallel()
	for name, connection := range over {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := new(recorded)
			recorder, err := middleware.NewRecorder(&middleware.Options{OnCall: h.add})
			require.NoError(t, err)
			progress := make(chan *mcp.ProgressNotificationParams, 1)
			cs := connect(t, recorder, connection(t, newShop("shop")), nil, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { progress <- req.Params },
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "decline"}, nil
				},
			})
			assert.Contains(t, cs.InitializeResult().Instructions, "Ask the shop.")
			require.NoError(t, cs.Ping(t.Context(), nil))

			var names []string
			for tool, err := range cs.Tools(t.Context(), nil) {
				require.NoError(t, err)
				names = append(names, tool.Name)
			}
			assert.Subset(t, names, []string{"find_order", "fail", "only_shop", "wait", mcpproxy.BlockTool})
			var uris []string
			for resource, err := range cs.Resources(t.Context(), nil) {
				require.NoError(t, err)
				uris = append(uris, resource.URI)
			}
			assert.Equal(t, []string{"shop://about", mcpproxy.BlockURI}, uris)
			templates, err := cs.ListResourceTemplates(t.Context(), nil)
			require.NoError(t, err)
			assert.Len(t, templates.ResourceTemplates, 1)

			found, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "find_order", Arguments: map[string]any{"n": 7}})
			require.NoError(t, err)
			assert.Equal(t, map[string]any{"order_id": "W-7", "name": "Kettle of shop"}, found.StructuredContent)
			failed, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "fail"})
			require.NoError(t, err)
			assert.True(t, failed.IsError)
			params := &mcp.CallToolParams{Name: "only_shop", Meta: mcp.Meta{"progressToken": "p-1"}}
			asked, err := cs.CallTool(t.Context(), params)
			require.NoError(t, err)
			require.Len(t, asked.Content, 2)
			assert.Equal(t, "decline", asked.Content[0].(*mcp.TextContent).Text)
			assert.Equal(t, "p-1", (<-progress).ProgressToken)

			block, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: mcpproxy.BlockTool})
			require.NoError(t, err)
			assert.Contains(t, block.Content[0].(*mcp.TextContent).Text, `"Kettle of shop" (W-7)`)
			read, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: mcpproxy.BlockURI})
			require.NoError(t, err)
			assert.Contains(t, read.Contents[0].Text, "W-7")
			for _, uri := range []string{"shop://about", "shop://orders/1"} {
				read, err = cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				require.NoError(t, err)
				assert.Equal(t, "shop", read.Contents[0].Text)
			}
			_, err = cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "none://x"})
			require.Error(t, err)
			greeting, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "greet"})
			require.NoError(t, err)
			assert.Equal(t, "shop", greeting.Description)
			completed, err := cs.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "greet"}, Argument: mcp.CompleteParamsArgument{Name: "a", Value: "b"}})
			require.NoError(t, err)
			assert.Equal(t, []string{"shop"}, completed.Completion.Values)

			ctx, cancel := context.WithCancel(t.Context())
			waited := make(chan error, 1)
			go func() {
				_, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "wait"})
				waited <- err
			}()
			cancel()
			require.Error(t, <-waited)

			_, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: mcpproxy.BlockTool})
			require.NoError(t, err)
			calls := h.all()
			require.GreaterOrEqual(t, len(calls), 3)
			require.LessOrEqual(t, len(calls), 4, "the cancelled one may not have been sent")
			for i, want := range []string{"find_order", "fail", "only_shop"} {
				assert.Equal(t, want, calls[i].Name)
				assert.Equal(t, "shop", calls[i].Source)
			}
			assert.Equal(t, json.RawMessage(`{"n":7}`), calls[0].Arguments)
			assert.JSONEq(t, `{"order_id":"W-7","name":"Kettle of shop"}`, fmt.Sprintf("%s", calls[0].Result))
			require.EqualError(t, calls[1].Err, "no order")
			assert.Equal(t, "decline", calls[2].Result)
		})
	}
}
