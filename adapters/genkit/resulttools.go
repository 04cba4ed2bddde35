package genkit

import (
	"encoding/json"
	"fmt"

	"github.com/firebase/genkit/go/ai"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// ResultTools returns the tools read_result and list_results, with which a model reads stored
// results: see middleware.Options.Results. They need not be registered.
func (w WorkingMemory) ResultTools() []ai.ToolRef {
	var tools []ai.ToolRef
	for _, t := range middleware.ResultTools(nil) {
		var parameters map[string]any
		if err := json.Unmarshal(t.Parameters, &parameters); err != nil {
			panic(fmt.Errorf("genkit: schema of %s: %w", t.Name, err)) // it is a constant
		}
		tools = append(tools, ai.NewTool(t.Name, t.Description, func(tc *ai.ToolContext, input any) (string, error) {
			arguments, err := json.Marshal(input)
			if err != nil {
				return "", fmt.Errorf("genkit: arguments of %s: %w", t.Name, err)
			}
			text, err := t.Call(middleware.WithRecorder(tc, w.recorder(tc)), string(arguments))
			if err != nil {
				return err.Error(), nil // an error would end Generate
			}
			return text, nil
		}, ai.WithInputSchema(parameters)))
	}
	return tools
}
