package mcpserver

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/inert"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// addResultTools adds the tools for handles and stored results.
func addResultTools(s *Server) error {
	return errors.Join(
		addTool(s, tool{
			name: "decode_arguments", title: "Put ids in place of handles", effect: reads,
			text: "Returns the arguments of a tool call, or a text, with ids in place of handles such as page#1. If a handle is unknown, the tool must not be called.",
		}, s.decodeArguments),
		addTool(s, tool{
			name: middleware.ReadResultName, title: "Read a stored result", effect: reads,
			text: "Reads a part of a stored result of a session: by path in JSON, by words that it contains (query), or by lines (offset, limit). A stored result is shown as [STORED RESULT] with a handle such as result#3.",
		}, s.readResult),
		addTool(s, tool{
			name: middleware.ListResultsName, title: "Stored results", effect: reads,
			text: "Lists the stored results of a session that read_result can read.",
		}, s.listResults),
	)
}

type decodeArguments struct {
	place
	Arguments any `json:"arguments" wire:"required" jsonschema:"the arguments: any JSON value, or JSON or any other text"`
}

func (s *Server) decodeArguments(ctx context.Context, t service.Tenant, in *decodeArguments) (*wire.CallArguments, string, error) {
	decoded, err := s.service.DecodeArguments(ctx, t, s.ref(t, in.place), in.Arguments)
	if err != nil {
		return nil, "", err
	}
	return &wire.CallArguments{Arguments: decoded}, "", nil
}

type readResult struct {
	place
	Handle string   `json:"handle" wire:"required" jsonschema:"the result, such as result#3"`
	Path   string   `json:"path,omitempty" jsonschema:"JSON path, such as $.items[3].name, $.items[10:20] or $.items[*].id"`
	Query  string   `json:"query,omitempty" jsonschema:"words to search for"`
	Offset wire.Int `json:"offset,omitempty" jsonschema:"number of the first line, element or match, from 1 on"`
	Limit  wire.Int `json:"limit,omitempty" jsonschema:"largest number of lines, elements or matches"`
}

// resultText is the result of tools that read results.
type resultText struct {
	Text string `json:"text" jsonschema:"the part, or the list"`
}

func (s *Server) readResult(ctx context.Context, t service.Tenant, in *readResult) (*resultText, string, error) {
	text, err := s.service.ReadResult(ctx, t, s.ref(t, in.place), middleware.ReadRequest{
		Handle: in.Handle, Path: in.Path, Query: in.Query, Offset: int(in.Offset), Limit: int(in.Limit),
	})
	return &resultText{text}, inert.Text(text), err
}

type listResults struct{ place }

func (s *Server) listResults(ctx context.Context, t service.Tenant, in *listResults) (*resultText, string, error) {
	list, err := s.service.ListResults(ctx, t, s.ref(t, in.place))
	return &resultText{list}, inert.Text(list), err
}
