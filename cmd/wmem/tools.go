package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// toolSchema is a tool as model APIs and MCP servers describe it.
type toolSchema struct {
	Name        string          `json:"name"`
	Parameters  json.RawMessage `json:"parameters"`
	InputSchema json.RawMessage `json:"inputSchema"`  // of MCP
	Input       json.RawMessage `json:"input_schema"` // of Anthropic
	Function    *toolSchema     `json:"function"`     // of OpenAI's chat completions
}

// readTools reads the schemas of an agent's tools: a list, or {"tools": […]}.
func readTools(name string) (*prompt.Toolset, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	schemas, err := toolSchemas(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	tools := make([]prompt.Tool, len(schemas))
	for i, s := range schemas {
		if s.Function != nil {
			s = *s.Function
		}
		if s.Name == "" {
			return nil, fmt.Errorf("%s: tool %d has no name", name, i)
		}
		schema := s.Parameters
		for _, other := range [...]json.RawMessage{s.InputSchema, s.Input} {
			if len(schema) == 0 {
				schema = other
			}
		}
		if tools[i], err = prompt.ParseTool(s.Name, schema); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return prompt.NewToolset(tools...), nil
}

func toolSchemas(data []byte) (schemas []toolSchema, err error) {
	if data = bytes.TrimSpace(data); bytes.HasPrefix(data, []byte("[")) {
		err = json.Unmarshal(data, &schemas)
		return schemas, err
	}
	var wrapped struct {
		Tools []toolSchema `json:"tools"`
	}
	if err = json.Unmarshal(data, &wrapped); err == nil && wrapped.Tools == nil {
		err = errors.New(`neither a list of tools nor {"tools": [...]}`)
	}
	return wrapped.Tools, err
}
