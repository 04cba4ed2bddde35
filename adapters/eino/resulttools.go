package eino

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"github.com/eino-contrib/jsonschema"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// ResultTools returns the tools read_result and list_results, with which a model reads stored
// results: see middleware.Options.Results.
func (w *WorkingMemory) ResultTools() []tool.BaseTool {
	var tools []tool.BaseTool
	for _, t := range middleware.ResultTools(nil) {
		tools = append(tools, resultTool{t, w})
	}
	return tools
}

// resultTool is one of middleware.ResultTools.
type resultTool struct {
	middleware.ResultTool
	memory *WorkingMemory
}

var _ tool.InvokableTool = resultTool{}

// Info implements tool.BaseTool.
func (t resultTool) Info(context.Context) (*schema.ToolInfo, error) {
	parameters := new(jsonschema.Schema)
	if err := json.Unmarshal(t.Parameters, parameters); err != nil {
		return nil, fmt.Errorf("eino: schema of %s: %w", t.Name, err)
	}
	return &schema.ToolInfo{Name: t.Name, Desc: t.Description, ParamsOneOf: schema.NewParamsOneOfByJSONSchema(parameters)}, nil
}

// InvokableRun implements tool.InvokableTool. An error is a result, because it would end the run.
func (t resultTool) InvokableRun(ctx context.Context, arguments string, _ ...tool.Option) (string, error) {
	text, err := t.Call(middleware.WithRecorder(ctx, t.memory.recorder(ctx)), arguments)
	if err != nil {
		return err.Error(), nil
	}
	return text, nil
}
