package mcpserver

import (
	"context"
	"errors"
	"slices"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// addWritingTools adds the tools that write working memory.
func addWritingTools(s *Server) error {
	return errors.Join(
		addTool(s, tool{
			name: "set_working_memory", title: "Replace a session", effect: replaces,
			text: "Replaces a session. What is not given is deleted, except for its entities. To add messages, use append_messages.",
		}, s.setSession),
		addTool(s, tool{
			name: "append_messages", title: "Add messages", effect: adds, core: true,
			text: "Adds messages to the session. When they fill the context window, older ones are summarized. A message whose id is known is skipped.",
		}, s.appendMessages),
		addTool(s, tool{
			name: "record_tool_call", title: "Record a tool call", effect: adds, core: true,
			text: "Records a finished call of another tool, so that get_block lists the things that it returned with their ids. If the answer shows a result, go on with that one.",
		}, s.recordToolCall),
		addTool(s, tool{
			name: "summarize_working_memory", title: "Summarize now", effect: replaces,
			text: "Replaces older messages of a session by a summary now.",
		}, s.summarize),
	)
}

// messageRoles returns the roles that messages in arguments may have.
func messageRoles() []string {
	return []string{session.RoleUser, session.RoleAssistant, session.RoleSystem, session.RoleTool}
}

// checkRoles checks the roles of messages, which models take for more than a name.
func checkRoles(messages []wire.Message) error {
	var wrong []wire.FieldError
	for i := range messages {
		if !slices.Contains(messageRoles(), messages[i].Role) {
			wrong = append(wrong, wire.Field("enum", "Input should be user, assistant, system or tool", nil, "body", "messages", i, "role"))
		}
	}
	if len(wrong) > 0 {
		return &wire.Invalid{Fields: wrong}
	}
	return nil
}

type setSession struct {
	Messages []wire.Message `json:"messages,omitempty" wire:"max=100000" jsonschema:"oldest first, in the form of get_working_memory"`
	Memories []wire.Memory  `json:"memories,omitempty" wire:"max=100000" jsonschema:"what to keep beyond the session"`
	Context  *string        `json:"context,omitempty" jsonschema:"summary of earlier messages"`
	Data     map[string]any `json:"data,omitempty" jsonschema:"any data"`
	TTL      *wire.Int      `json:"ttl_seconds,omitempty" jsonschema:"lifetime from now; default: as before"`
	Strategy *wire.Strategy `json:"long_term_memory_strategy,omitempty"`
	window
	place
}

func (s *Server) setSession(ctx context.Context, t service.Tenant, in *setSession) (any, error) {
	if err := checkRoles(in.Messages); err != nil {
		return nil, err
	}
	body := &wire.SessionBody{
		Messages: in.Messages, Memories: in.Memories, Context: in.Context, Data: in.Data, TTLSeconds: in.TTL, Strategy: in.Strategy,
	}
	view, err := s.writeView(ctx, t, in.place, in.window)
	if err != nil {
		return nil, err
	}
	given := translate.SessionWrite(body, &view)
	saved, err := s.service.PutSession(ctx, t, view, given)
	if err != nil {
		return nil, err
	}
	return translate.Session(saved, false), nil
}

// writeView returns the session and window that a write is for.
func (s *Server) writeView(ctx context.Context, t service.Tenant, p place, w window) (service.WriteView, error) {
	model, tokens, err := w.size()
	if err != nil {
		return service.WriteView{}, err
	}
	ref, err := s.ref(ctx, t, p)
	return service.WriteView{Ref: ref, Model: model, Window: tokens}, err
}

type appendMessages struct {
	Messages []wire.Message `json:"messages" wire:"required,max=100000" jsonschema:"oldest first"`
	TTL      *wire.Int      `json:"ttl_seconds,omitempty" jsonschema:"lifetime of the session from now"`
	window
	place
}

func (s *Server) appendMessages(ctx context.Context, t service.Tenant, in *appendMessages) (any, error) {
	if err := checkRoles(in.Messages); err != nil {
		return nil, err
	}
	view, err := s.writeView(ctx, t, in.place, in.window)
	if err != nil {
		return nil, err
	}
	if view.Minimal = true; in.TTL != nil {
		view.TTLSeconds = new(int64(*in.TTL))
	}
	written, err := s.service.AppendMessages(ctx, t, view, translate.Messages(in.Messages))
	if err != nil {
		return nil, err
	}
	return sizeText(translate.Session(written, true)), nil
}

type recordToolCall struct {
	Name      string `json:"name" wire:"required" jsonschema:"the tool's name"`
	Arguments any    `json:"arguments,omitempty" jsonschema:"as sent to the tool"`
	Result    any    `json:"result,omitempty" jsonschema:"unchanged: JSON or text; the empty text if there was none. Required without error"`
	Error     string `json:"error,omitempty" jsonschema:"of a failed call"`
	ID        string `json:"id,omitempty" jsonschema:"the id of the call"`

	Handles      *wire.Bool `json:"handles,omitempty" jsonschema:"give short handles, such as page#1, to long ids"`
	StoreResults *wire.Bool `json:"store_results,omitempty" jsonschema:"store a large result for read_result"`
	place
}

func (s *Server) recordToolCall(ctx context.Context, t service.Tenant, in *recordToolCall) (any, error) {
	if in.Result == nil && in.Error == "" {
		return nil, invalidArgument("Field required: what the tool returned, the empty text if nothing; or error", "result")
	}
	ref, err := s.ref(ctx, t, in.place)
	if err != nil {
		return nil, err
	}
	call := &wire.RecordedCall{
		ID: in.ID, Name: in.Name, Arguments: in.Arguments, Result: in.Result, Error: in.Error,
		Handles: in.Handles, StoreResults: in.StoreResults,
	}
	recorded, err := s.service.RecordToolCall(ctx, t, ref, translate.ToolCall(call), translate.Rewriting(call))
	if err != nil {
		return nil, err
	}
	if shown := recorded.Shown; shown != nil {
		return shownText(shown), nil
	}
	return recordedText(translate.Recorded(recorded)), nil
}

type summarize struct{ place }

func (s *Server) summarize(ctx context.Context, t service.Tenant, in *summarize) (any, error) {
	ref, err := s.ref(ctx, t, in.place)
	if err != nil {
		return nil, err
	}
	made, err := s.service.Summarize(ctx, t, ref)
	if err != nil {
		return nil, err
	}
	return translate.Summarized(made), nil
}
