package mcpproxy

import (
	"context"
	"encoding/json"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/inert"
	"github.com/go-workingmemory/workingmemory/middleware"
)

const (
	// BlockTool is the name of the tool that returns the block. If the server has a tool with
	// this name, that one is called.
	BlockTool = "working_memory_block"
	// BlockURI is the URI of the resource with the block.
	BlockURI = "memory://session/block"
)

const blockDescription = "What earlier results of tools in this session named and is still relevant, with ids to pass to tools."

// blockResource is the entry of the block in the list of resources.
var blockResource = []byte(`{"uri":"` + BlockURI + `","name":"` + BlockTool + `","title":"Working memory","description":"` + blockDescription + `","mimeType":"text/plain"}`)

// ownTool is a tool that the proxy adds to those of the server.
type ownTool struct {
	name   string
	listed []byte // the entry in the list of tools
	call   func(ctx context.Context, arguments string) (string, error)
}

// ownTools returns the tools of the proxy.
func (r *relay) ownTools() []ownTool {
	block := func(ctx context.Context, _ string) (string, error) {
		if block := r.recorder.Prepare(ctx); block != "" {
			return block, nil
		}
		return "No entities are known yet.", nil
	}
	all := []ownTool{newOwnTool(BlockTool, blockDescription, json.RawMessage(`{"type":"object","properties":{}}`), block)}
	if !r.opts.ResultTools {
		return all
	}
	for _, t := range middleware.ResultTools(r.recorder) {
		all = append(all, newOwnTool(t.Name, t.Description, t.Parameters, func(ctx context.Context, arguments string) (string, error) {
			text, err := t.Call(ctx, arguments)
			return inert.Text(text), err
		}))
	}
	return all
}

func newOwnTool(name, description string, schema json.RawMessage, call func(context.Context, string) (string, error)) ownTool {
	listed := append([]byte(`{"name":`), quoted(name)...)
	listed = append(append(listed, `,"description":`...), quoted(description)...)
	listed = append(append(listed, `,"inputSchema":`...), schema...)
	listed = append(listed, `,"annotations":{"readOnlyHint":true,"openWorldHint":false}}`...)
	return ownTool{name: name, listed: listed, call: call}
}

// ownTool returns the tool with a name that the proxy answers, or nil.
func (r *relay) ownTool(name string) *ownTool {
	for i := range r.own {
		if _, hidden := r.hidden.Load(name); r.own[i].name == name && !hidden {
			return &r.own[i]
		}
	}
	return nil
}

// result calls the tool and returns its result.
func (t *ownTool) result(ctx context.Context, arguments json.RawMessage) []byte {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	text, err := t.call(ctx, string(arguments))
	if err != nil {
		return toolResult(err.Error(), true)
	}
	return toolResult(text, false)
}

// toolResult returns the result of an own tool, or of a call that was refused.
func toolResult(text string, failed bool) []byte {
	result := append(append([]byte(`{"content":[`), textContent(text)...), ']')
	if failed {
		result = append(result, `,"isError":true`...)
	}
	return append(result, `,"_meta":{"`+wire.OwnResult+`":true}}`...)
}

// readBlock returns the result of reading the block as a resource.
func (r *relay) readBlock(ctx context.Context) []byte {
	result := append([]byte(`{"contents":[{"uri":"`+BlockURI+`","mimeType":"text/plain","text":`), quoted(r.recorder.Prepare(ctx))...)
	return append(result, "}]}"...)
}

// answerOwn answers a request with a result, after all calls that were answered before are
// recorded.
func (r *relay) answerOwn(m *message, result func(context.Context) []byte) {
	added := r.work.add(len(m.text), func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, r.opts.RecordTimeout)
		defer cancel()
		_ = r.client.Send(ctx, Packet{Text: resultFor(m, result(ctx))}) // relayServer returns the same error
	})
	if !added {
		r.answers.Go(func() {
			_ = r.client.Send(context.Background(), Packet{Text: errorFor(m, codeInternalError, "Too many calls wait for the working memory")})
		})
	}
}
