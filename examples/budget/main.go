// Budget limits a block to 64 tokens and spends them by the schemas of the agent's tools: ids
// that a tool can take come first.
//
//	go run ./examples/budget
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
	"github.com/go-workingmemory/workingmemory/prompt/tiktoken"
)

// schemas are the schemas of the agent's tools, as offered to its model.
var schemas = map[string]string{
	"find_orders":  `{"type": "object", "properties": {"email": {"type": "string"}}}`,
	"get_order":    `{"type": "object", "properties": {"order_id": {"type": "string"}}}`,
	"cancel_order": `{"type": "object", "properties": {"order_id": {"type": "string"}, "reason": {"type": "string"}}}`,
}

// calls are the tool calls so far.
var calls = []middleware.ToolCall{
	{Name: "find_orders", Arguments: `{"email": "anna@example.com"}`, Result: `{"orders": [
		{"order_id": "#W5744371", "name": "Running shoes"},
		{"order_id": "#W2611340", "name": "Garden hose"},
		{"order_id": "#W9389413", "name": "Desk lamp"}]}`},
	{Name: "get_order", Arguments: `{"order_id": "#W5744371"}`, Result: `{
		"order_id": "#W5744371", "name": "Running shoes", "status": "pending",
		"warehouse": {"id": "warehouse-rotterdam-2", "name": "Rotterdam Harbour"},
		"carrier": {"id": "carrier-4471", "name": "North Sea Parcels"},
		"invoice": {"id": "invoice-2026-00817", "name": "Invoice of March"},
		"campaign": {"id": "campaign-spring-26", "name": "Spring into Running"}}`},
}

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal("FAILED: ", err)
	}
}

func run(ctx context.Context) error {
	counter, err := tiktoken.ForModel("gpt-4o")
	if err != nil {
		return err
	}
	tools, err := toolset()
	if err != nil {
		return err
	}
	options := prompt.Options{Budget: 64, Counter: counter}
	without, err := block(ctx, options)
	if err != nil {
		return err
	}
	fmt.Printf("without the schemas, %d tokens:\n%s\n\n", counter.CountTokens(without), without)
	options.Tools = tools
	with, err := block(ctx, options)
	if err != nil {
		return err
	}
	fmt.Printf("with the schemas, %d tokens:\n%s\n", counter.CountTokens(with), with)
	const last = "#W9389413" // of the orders
	if strings.Contains(without, last) || !strings.Contains(with, last) {
		return fmt.Errorf("the schemas do not put %s into the block", last)
	}
	return nil
}

// toolset reads the schemas.
func toolset() (*prompt.Toolset, error) {
	var tools []prompt.Tool
	for name, schema := range schemas {
		tool, err := prompt.ParseTool(name, []byte(schema))
		if err != nil {
			return nil, err
		}
		tools = append(tools, tool)
	}
	return prompt.NewToolset(tools...), nil
}

// block records the calls, and returns the block for the next prompt.
func block(ctx context.Context, options prompt.Options) (string, error) {
	memory, err := middleware.NewRecorder(&middleware.Options{Block: options})
	if err != nil {
		return "", err
	}
	for _, call := range calls {
		if err := memory.Record(ctx, call); err != nil {
			return "", err
		}
	}
	return memory.Block(), nil
}
