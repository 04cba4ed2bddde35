package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func Example() {
	ctx := context.Background()
	manager, err := session.NewManager(memstore.New(nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	server, err := mcpserver.New(manager, nil)
	if err != nil {
		log.Fatal(err)
	}

	// Instead of RunStdio or HTTPHandler: a client in this process.
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.MCP().Connect(ctx, there, nil); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	for _, call := range []*mcp.CallToolParams{
		{Name: "record_tool_call", Arguments: json.RawMessage(`{"name":"find_order","result":{"order":{"id":"W-1042","name":"Blue kettle"}}}`)},
		{Name: "get_block"},
	} {
		result, err := client.CallTool(ctx, call)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Content[0].(*mcp.TextContent).Text)
	}
	// Output:
	// Entities: 1, removed: 0
	// - order "Blue kettle" (W-1042)
	// [WORKING MEMORY]
	// orders:
	//   - "Blue kettle" (W-1042)
}

func ExampleRecordCalls() {
	ctx := context.Background()
	shop := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	type order struct {
		ID   string `json:"order_id"`
		Name string `json:"name"`
	}
	mcp.AddTool(shop, &mcp.Tool{Name: "find_order"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, order, error) {
		return nil, order{ID: "W-1042", Name: "Blue kettle"}, nil
	})
	here, there := mcp.NewInMemoryTransports()
	if _, err := shop.Connect(ctx, there, nil); err != nil {
		log.Fatal(err)
	}

	rec := new(middleware.Recorder)
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	client.AddSendingMiddleware(mcpserver.RecordCalls(mcpserver.Recording{Recorder: rec}))
	cs, err := client.Connect(ctx, here, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer cs.Close()
	if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "find_order"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(rec.Block())
	// Output:
	// [WORKING MEMORY]
	// orders:
	//   - "Blue kettle" (W-1042)
}
