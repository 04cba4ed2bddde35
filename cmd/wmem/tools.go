package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// toolSchema is a tool as model APIs and MCP servers describe it.
type toolSchema struct {
	Name        string          `json:"name"`
	Parameters  parameterSchema `json:"parameters"`
	InputSchema parameterSchema `json:"inputSchema"`  // of MCP
	Input       parameterSchema `json:"input_schema"` // of Anthropic
	Function    *toolSchema     `json:"function"`     // of OpenAI's chat completions
}

type parameterSchema struct {
	Properties map[string]json.RawMessage `json:"properties"`
}

// readTools reads the schemas of an agent's tools: a list, or {"tools": […]}.
func readTools(name string) (*prompt.Toolset, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var schemas []toolSchema
	if err := json.Unmarshal(data, &schemas); err != nil {
		var wrapped struct {
			Tools []toolSchema `json:"tools"`
		}
		if err := json.Unmarshal(data, &wrapped); err != nil || wrapped.Tools == nil {
			return nil, fmt.Errorf("%s: it is neither a list of tools nor {\"tools\": [...]}", name)
		}
		schemas = wrapped.Tools
	}
	tools := make([]prompt.Tool, len(schemas))
	for i, s := range schemas {
		if s.Function != nil {
			s = *s.Function
		}
		if s.Name == "" {
			return nil, fmt.Errorf("%s: tool %d has no name", name, i)
		}
		tools[i].Name = s.Name
		for _, p := range [...]parameterSchema{s.Parameters, s.InputSchema, s.Input} {
			for parameter := range p.Properties {
				tools[i].Parameters = append(tools[i].Parameters, parameter)
			}
		}
	}
	return prompt.NewToolset(tools...), nil
}
