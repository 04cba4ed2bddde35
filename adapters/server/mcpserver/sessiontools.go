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
			name: "get_working_memory", title: "Read working memory", effect: reads,
			text: "Returns a session: its messages, the summary of earlier ones, memories, data, and the entities that tools returned. A session that does not exist is returned empty.",
		}, s.getSession),
		addTool(s, tool{
			name: "get_block", title: "Known entities", effect: reads,
			text: "Returns the [WORKING MEMORY] block of a session: the entities that its tools returned, with the ids that tools take. Put it into the system prompt.",
		}, s.getBlock),
		addTool(s, tool{
			name: "get_context_usage", title: "Context usage", effect: reads,
			text: "Reports how full the context window of a session is: tokens, window, percentages, and how many messages, entities and memories it has.",
		}, s.getUsage),
	)
}

type getSession struct {
	place
	window
	Recent *wire.Int `json:"recent_messages_limit,omitempty" jsonschema:"only so many messages, the newest; all where it is missing or not positive"`
}

func (s *Server) getSession(ctx context.Context, t service.Tenant, in *getSession) (*wire.Session, string, error) {
	model, tokens, err := in.size()
	if err != nil {
		return nil, "", err
	}
	view := service.View{Model: model, Window: tokens}
	if in.Recent != nil {
		view.Recent = int64(*in.Recent)
	}
	found, err := s.service.GetSession(ctx, t, s.ref(t, in.place), view)
	if e, ok := errors.AsType[*service.Error](err); ok && e.Kind == service.NotFound {
		return s.emptySession(in.place), "", nil
	}
	if err != nil {
		return nil, "", err
	}
	return translate.Session(found, false), "", nil
}

// emptySession returns a session that has not been written yet.
func (s *Server) emptySession(p place) *wire.Session {
	now := wire.Time{Time: s.opts.Now().UTC()}
	return &wire.Session{
		SessionID: p.SessionID, Namespace: p.Namespace, UserID: p.UserID, Data: map[string]any{},
		Strategy:  wire.Strategy{Strategy: service.DefaultStrategy, Config: map[string]any{}},
		CreatedAt: now, UpdatedAt: now, LastAccessed: now,
	}
}

type getBlock struct {
	place
	Budget  *wire.Int  `json:"budget,omitempty" jsonschema:"the largest size of the block in tokens; without it, the 10 newest entities, 3 of a type"`
	Handles *wire.Bool `json:"handles,omitempty" jsonschema:"show handles where the session has them; true where it is missing"`
}

// block is the result of get_block.
type block struct {
	Block string `json:"block" jsonschema:"the block; empty where there is nothing to show"`
}

func (s *Server) getBlock(ctx context.Context, t service.Tenant, in *getBlock) (*block, string, error) {
	view := service.BlockView{IDs: in.Handles != nil && !bool(*in.Handles)}
	if in.Budget != nil {
		view.Budget = int(*in.Budget)
	}
	text, err := s.service.Block(ctx, t, s.ref(t, in.place), view)
	if err != nil {
		return nil, "", err
	}
	shown := text
	if shown == "" {
		shown = "There are no entities in this session."
	}
	return &block{Block: text}, shown, nil
}

type getUsage struct {
	place
	window
}

func (s *Server) getUsage(ctx context.Context, t service.Tenant, in *getUsage) (*wire.ContextUsage, string, error) {
	model, tokens, err := in.size()
	if err != nil {
		return nil, "", err
	}
	usage, err := s.service.ContextUsage(ctx, t, s.ref(t, in.place), service.View{Model: model, Window: tokens})
	if err != nil {
		return nil, "", err
	}
	found := translate.ContextUsage(usage)
	return found, usageText(found), nil
}
