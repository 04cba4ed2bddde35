package langchain

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// ResultTools returns the tools with which a model reads large results, wrapped by Tool: see
// middleware.Options.Results. Their input is JSON, or the handle of a result. An error is a
// result, unless the context has ended: an executor would end its run. A loop around a model
// that needs their JSON schema uses middleware.ResultTools.
func (w *WorkingMemory) ResultTools() (all []tools.Tool) {
	for _, t := range middleware.ResultTools(w.recorder) {
		all = append(all, w.Tool(resultTool{t}))
	}
	return all
}

type resultTool struct{ of middleware.ResultTool }

func (t resultTool) Name() string { return t.of.Name }

func (t resultTool) Description() string {
	return t.of.Description + " The input is JSON with this schema: " + string(t.of.Parameters)
}

func (t resultTool) Call(ctx context.Context, input string) (string, error) {
	input = plainArguments(input)
	if !strings.HasPrefix(input, "{") {
		quoted, _ := json.Marshal(map[string]string{"handle": input}) // a map of strings always marshals
		input = string(quoted)
	}
	text, err := t.of.Call(ctx, input)
	if err != nil && ctx.Err() == nil {
		return err.Error(), nil
	}
	return text, err
}
