package langchain

import (
	"encoding/json"
	"fmt"

	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// Toolset returns the prompt.Toolset of the tools that a model is offered
// (llms.WithTools), for prompt.Options.Tools. It returns an error if the Parameters of a
// tool are not a JSON schema.
func Toolset(tools ...llms.Tool) (*prompt.Toolset, error) {
	known := make([]prompt.Tool, 0, len(tools))
	for _, tool := range tools {
		if tool.Function == nil {
			continue
		}
		schema, err := json.Marshal(tool.Function.Parameters)
		if err != nil {
			return nil, fmt.Errorf("langchain: parameters of tool %q: %w", tool.Function.Name, err)
		}
		parsed, err := prompt.ParseTool(tool.Function.Name, schema)
		if err != nil {
			return nil, fmt.Errorf("langchain: %w", err)
		}
		known = append(known, parsed)
	}
	return prompt.NewToolset(known...), nil
}
