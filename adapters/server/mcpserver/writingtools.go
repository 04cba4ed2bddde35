package mcpserver

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// addWritingTools adds the tools that write working memory.
func addWritingTools(s *Server) error {
	return errors.Join(
		addTool(s, tool{
			name: "set_working_memory", title: "Replace working memory", effect: replaces,
			text: "Replaces a session: messages, memories, data and summary that are not given are deleted. To add messages, use append_messages. Memories are promoted to long-term memory automatically. Without ttl_seconds a running expiry stays; otherwise the session does not expire.",
		}, s.setSession),
		addTool(s, tool{
			name: "append_messages", title: "Add messages", effect: adds,
			text: "Adds messages at the end of a session, creating it if necessary. A message whose id is already in the session is not added again. When the messages take too much of the context window, older ones are summarised.",
		}, s.appendMessages),
		addTool(s, tool{
			name: "record_tool_call", title: "Record a tool call", effect: adds,
			text: "Records a finished call of another tool in a session: the entities that it returned are remembered with the ids that tools take, those that it deleted are removed. Pass the result unchanged. With handles or store_results, shown is what to go on with in place of the result.",
		}, s.recordToolCall),
		addTool(s, tool{
			name: "summarize_working_memory", title: "Summarise now", effect: replaces,
			text: "Summarises older messages of a session now, whether they take much of the window or not. They leave the session, the summary stays.",
		}, s.summarize),
	)
}

type setSession struct {
	place
	window
	Messages []message      `json:"messages,omitempty" jsonschema:"the whole conversation, oldest first"`
	Memories []record       `json:"memories,omitempty" jsonschema:"what to remember beyond the session"`
	Context  *string        `json:"context,omitempty" jsonschema:"summary of messages that were removed"`
	Data     map[string]any `json:"data,omitempty" jsonschema:"whatever belongs to the session"`
	TTL      *wire.Int      `json:"ttl_seconds,omitempty" jsonschema:"seconds that the session lives from now; at least 1"`
	Strategy *wire.Strategy `json:"long_term_memory_strategy,omitempty" jsonschema:"how memories are extracted from the messages"`
}

func (s *Server) setSession(ctx context.Context, t service.Tenant, in *setSession) (*wire.Session, string, error) {
	body := &wire.SessionBody{
		Messages: messages(in.Messages), Memories: records(in.Memories), Context: in.Context, Data: in.Data,
		TTLSeconds: in.TTL, Strategy: in.Strategy,
	}
	view, err := s.writeView(t, in.place, in.window)
	if err != nil {
		return nil, "", err
	}
	given := translate.SessionWrite(body, &view)
	saved, err := s.service.PutSession(ctx, t, view, given)
	if err != nil {
		return nil, "", err
	}
	return translate.Session(saved, false), "", nil
}

// writeView returns the session and window that a write is for.
func (s *Server) writeView(t service.Tenant, p place, w window) (service.WriteView, error) {
	model, tokens, err := w.size()
	return service.WriteView{Ref: s.ref(t, p), Model: model, Window: tokens}, err
}

type appendMessages struct {
	place
	window
	Messages []message `json:"messages" wire:"required" jsonschema:"added at the end, oldest first"`
	TTL      *wire.Int `json:"ttl_seconds,omitempty" jsonschema:"seconds that the session lives from now; at least 1; without it a running expiry stays"`
}

// sizeAfterWrite is the result of append_messages.
type sizeAfterWrite struct {
	SessionID          string   `json:"session_id"`
	Version            uint64   `json:"version" jsonschema:"changes with each change of the session"`
	Tokens             int      `json:"tokens" jsonschema:"of all messages of the session"`
	TotalUsed          *float64 `json:"context_percentage_total_used" jsonschema:"percent of the window that the messages take; null without a model or window"`
	UntilSummarization *float64 `json:"context_percentage_until_summarization" jsonschema:"percent of what may be taken before messages are summarised; null without a model or window"`
}

func (s *Server) appendMessages(ctx context.Context, t service.Tenant, in *appendMessages) (*sizeAfterWrite, string, error) {
	view, err := s.writeView(t, in.place, in.window)
	if err != nil {
		return nil, "", err
	}
	if view.Minimal = true; in.TTL != nil {
		view.TTLSeconds = new(int64(*in.TTL))
	}
	written, err := s.service.AppendMessages(ctx, t, view, translate.Messages(messages(in.Messages)))
	if err != nil {
		return nil, "", err
	}
	saved := translate.Session(written, true)
	at := &sizeAfterWrite{saved.SessionID, saved.Version, saved.Tokens, saved.TotalUsed, saved.UntilSummarization}
	return at, sizeText(at), nil
}

type recordToolCall struct {
	place
	ID        string `json:"id,omitempty" jsonschema:"the model's id of the call"`
	Name      string `json:"name" wire:"required" jsonschema:"the tool's name"`
	Arguments any    `json:"arguments,omitempty" jsonschema:"what it was called with: any JSON, or JSON as a text"`
	Result    any    `json:"result,omitempty" jsonschema:"what it returned: any JSON value, or a text in any format"`
	Error     string `json:"error,omitempty" jsonschema:"what went wrong; the result is not read then"`

	Handles      *wire.Bool `json:"handles,omitempty" jsonschema:"give short handles, such as page#1, to long ids; the server's setting where it is missing"`
	StoreResults *wire.Bool `json:"store_results,omitempty" jsonschema:"store a large result, so that read_result can read parts of it; the server's setting where it is missing"`
}

func (s *Server) recordToolCall(ctx context.Context, t service.Tenant, in *recordToolCall) (*wire.Recorded, string, error) {
	call := &wire.RecordedCall{
		ID: in.ID, Name: in.Name, Arguments: in.Arguments, Result: in.Result, Error: in.Error,
		Handles: in.Handles, StoreResults: in.StoreResults,
	}
	recorded, err := s.service.RecordToolCall(ctx, t, s.ref(t, in.place), translate.ToolCall(call), translate.Rewriting(call))
	if err != nil {
		return nil, "", err
	}
	made := translate.Recorded(recorded)
	return made, recordedText(made), nil
}

type summarize struct{ place }

func (s *Server) summarize(ctx context.Context, t service.Tenant, in *summarize) (*wire.Summarized, string, error) {
	made, err := s.service.Summarize(ctx, t, s.ref(t, in.place))
	if err != nil {
		return nil, "", err
	}
	return translate.Summarized(made), "", nil
}
