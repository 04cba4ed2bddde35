package langchain

import (
	"encoding/json"
	"fmt"

	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// Toolset is what the tools take that a model is offered (llms.WithTools), for
// prompt.Options.Tools. It fails for a tool whose Parameters are no JSON schema.
func Toolset(tools ...llms.Tool) (*prompt.Toolset, error) {
	known := make([]prompt.Tool, 0, len(tools))
	for _, tool := range tools {
		if tool.Function == nil {
			continue
		}
		schema, err := json.Marshal(tool.Function.Parameters)
		var parameters struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err == nil {
			err = json.Unmarshal(schema, &parameters)
		}
		if err != nil {
			return nil, fmt.Errorf("langchain: parameters of tool %q: %w", tool.Function.Name, err)
		}
		t := prompt.Tool{Name: tool.Function.Name}
		for name := range parameters.Properties {
			t.Parameters = append(t.Parameters, name)
		}
		known = append(known, t)
	}
	return prompt.NewToolset(known...), nil
}
