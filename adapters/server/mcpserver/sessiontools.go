package mcpserver

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// addSessionTools adds the tools that read working memory.
func addSessionTools(s *Server) error {
	return errors.Join(
		addTool(s, tool{
			name: "get_working_memory", title: "Read a session", effect: reads,
			text: "Returns a session as JSON: messages, the summary of earlier ones, memories, data, entities.",
		}, s.getSession),
		addTool(s, tool{
			name: "get_block", title: "Known entities", effect: reads, core: true,
			text: "Lists the things that recorded tool calls returned, with the ids that tools take.",
		}, s.getBlock),
		addTool(s, tool{
			name: "get_context_usage", title: "Context usage", effect: reads,
			text: "Returns how full the context window of a session is, and what the session holds.",
		}, s.getUsage),
	)
}

type getSession struct {
	Recent *wire.Int `json:"recent_messages_limit,omitempty" jsonschema:"default: all"`
	window
	place
}

func (s *Server) getSession(ctx context.Context, t service.Tenant, in *getSession) (any, error) {
	model, tokens, err := in.size()
	if err != nil {
		return nil, err
	}
	ref, err := s.ref(ctx, t, in.place)
	if err != nil {
		return nil, err
	}
	view := service.View{Model: model, Window: tokens}
	if in.Recent != nil {
		view.Recent = int64(*in.Recent)
	}
	found, err := s.service.GetSession(ctx, t, ref, view)
	if e, ok := errors.AsType[*service.Error](err); ok && e.Kind == service.NotFound {
		return s.emptySession(ref), nil
	}
	if err != nil {
		return nil, err
	}
	return translate.Session(found, false), nil
}

// emptySession returns a session that has not been written yet.
func (s *Server) emptySession(ref service.Ref) *wire.Session {
	now := wire.Time{Time: s.opts.Now().UTC()}
	return &wire.Session{
		SessionID: ref.SessionID, Namespace: ref.Namespace, UserID: ref.UserID, Data: map[string]any{},
		Strategy:  wire.Strategy{Strategy: service.DefaultStrategy, Config: map[string]any{}},
		CreatedAt: now, UpdatedAt: now, LastAccessed: now,
	}
}

type getBlock struct {
	Budget  *wire.Int  `json:"budget,omitempty" jsonschema:"tokens at most; default: those of the server, or at most ten lines, what is in use first"`
	Handles *wire.Bool `json:"handles,omitempty" jsonschema:"false shows ids in place of handles"`
	place
}

func (s *Server) getBlock(ctx context.Context, t service.Tenant, in *getBlock) (any, error) {
	ref, err := s.ref(ctx, t, in.place)
	if err != nil {
		return nil, err
	}
	view := service.BlockView{IDs: in.Handles != nil && !bool(*in.Handles)}
	if in.Budget != nil {
		view.Budget = int(*in.Budget)
	}
	return s.service.Block(ctx, t, ref, view)
}

type getUsage struct {
	window
	place
}

func (s *Server) getUsage(ctx context.Context, t service.Tenant, in *getUsage) (any, error) {
	model, tokens, err := in.size()
	if err != nil {
		return nil, err
	}
	ref, err := s.ref(ctx, t, in.place)
	if err != nil {
		return nil, err
	}
	usage, err := s.service.ContextUsage(ctx, t, ref, service.View{Model: model, Window: tokens})
	if err != nil {
		return nil, err
	}
	return translate.ContextUsage(usage), nil
}
