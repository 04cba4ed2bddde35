package adk

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// ResultTools returns the tools read_result and list_results, with which a model reads stored
// results: see middleware.Options.Results. It panics if ADK refuses them, which v2.2 never does.
func (w *WorkingMemory) ResultTools() []tool.Tool {
	var tools []tool.Tool
	for _, t := range middleware.ResultTools(nil) {
		made, err := w.resultTool(t)
		if err != nil {
			panic(fmt.Errorf("adk: tool %s: %w", t.Name, err))
		}
		tools = append(tools, made)
	}
	return tools
}

func (w *WorkingMemory) resultTool(t middleware.ResultTool) (tool.Tool, error) {
	parameters := new(jsonschema.Schema)
	if err := json.Unmarshal(t.Parameters, parameters); err != nil {
		return nil, err
	}
	config := functiontool.Config{Name: t.Name, Description: t.Description, InputSchema: parameters}
	return functiontool.New(config, func(ctx agent.Context, args map[string]any) (string, error) {
		arguments, err := json.Marshal(args)
		if err != nil {
			return "", err
		}
		return t.Call(middleware.WithRecorder(ctx, w.recorder(ctx)), string(arguments))
	})
}
