package mcpserver

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/inert"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// addResultTools adds the tools for handles and stored results. They belong to the core where
// recorded calls give handles or store results.
func addResultTools(s *Server) error {
	recording := s.opts.Recording
	handles := recording != nil && recording.Handles != nil
	results := recording != nil && recording.Results != nil
	return errors.Join(
		addTool(s, tool{
			name: "decode_arguments", title: "Put ids in place of handles", effect: reads, core: handles,
			text: "Returns arguments for a tool with ids in place of handles such as page#1. If it fails, the tool must not be called.",
		}, s.decodeArguments),
		addTool(s, tool{
			name: middleware.ReadResultName, title: "Read a stored result", effect: reads, core: results,
			text: "Reads a part of a stored result: by path in JSON, by words (query), or by lines (offset, limit).",
		}, s.readResult),
		addTool(s, tool{
			name: middleware.ListResultsName, title: "Stored results", effect: reads, core: results,
			text: "Lists the stored results of a session.",
		}, s.listResults),
	)
}

type decodeArguments struct {
	Arguments any `json:"arguments" wire:"required" jsonschema:"JSON or text"`
	place
}

func (s *Server) decodeArguments(ctx context.Context, t service.Tenant, in *decodeArguments) (any, error) {
	ref, err := s.ref(ctx, t, in.place)
	if err != nil {
		return nil, err
	}
	decoded, err := s.service.DecodeArguments(ctx, t, ref, in.Arguments)
	if err != nil {
		return nil, err
	}
	return &wire.CallArguments{Arguments: decoded}, nil
}

type readResult struct {
	Handle string   `json:"handle" wire:"required" jsonschema:"such as result#3"`
	Path   string   `json:"path,omitempty" jsonschema:"such as $.items[3].name, $.items[10:20] or $.items[*].id"`
	Query  string   `json:"query,omitempty"`
	Offset wire.Int `json:"offset,omitempty" jsonschema:"first line, element or match, from 1 on"`
	Limit  wire.Int `json:"limit,omitempty"`
	place
}

func (s *Server) readResult(ctx context.Context, t service.Tenant, in *readResult) (any, error) {
	ref, err := s.ref(ctx, t, in.place)
	if err != nil {
		return nil, err
	}
	text, err := s.service.ReadResult(ctx, t, ref, middleware.ReadRequest{
		Handle: in.Handle, Path: in.Path, Query: in.Query, Offset: int(in.Offset), Limit: int(in.Limit),
	})
	return inert.Text(text), err
}

type listResults struct{ place }

func (s *Server) listResults(ctx context.Context, t service.Tenant, in *listResults) (any, error) {
	ref, err := s.ref(ctx, t, in.place)
	if err != nil {
		return nil, err
	}
	list, err := s.service.ListResults(ctx, t, ref)
	return inert.Text(list), err
}
