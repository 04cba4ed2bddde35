package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// maxFields is of how many mistakes an error tells.
const maxFields = 10

// refusal is a failed call. That is the tool's result, not an error of the protocol, so that
// a model sees it and may do better.
func refusal(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Meta: mcp.Meta{ownTool: true}, IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: errorText(err)}},
	}
}

// errorText returns the text of an error for a client, without its cause.
func errorText(err error) string {
	if fields := translate.Mistakes(err); len(fields) > 0 {
		return mistakes(fields)
	}
	if e, ok := errors.AsType[*service.Error](err); ok {
		return e.Detail
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "It took too long"
	case errors.Is(err, context.Canceled):
		return "The call was cancelled"
	}
	return "Internal server error"
}

// mistakes are what is wrong with the arguments, and where: a line for each.
func mistakes(fields []wire.FieldError) string {
	lines := []string{"Invalid arguments:"}
	for i, f := range fields {
		if i == maxFields {
			lines = append(lines, fmt.Sprintf("and %d more", len(fields)-i))
			break
		}
		if place := placeOf(f.Loc); place != "" {
			lines = append(lines, place+": "+f.Msg)
		} else {
			lines = append(lines, f.Msg)
		}
	}
	return strings.Join(lines, "\n")
}

// placeOf is where a mistake is, as in "messages.0.role".
func placeOf(loc []any) string {
	var parts []string
	for i, part := range loc {
		if i > 0 { // the first is body, query or path: all of them are arguments here
			parts = append(parts, fmt.Sprint(part))
		}
	}
	return strings.Join(parts, ".")
}

// part is where what a tool's arguments have at one place stands in the body that is made of
// them.
type part struct{ inBody, inArguments []any }

// placed lets an error name the arguments that the parts of a body were made of.
func placed(err error, parts ...part) error {
	fields := slices.Clone(translate.Mistakes(err))
	if len(fields) == 0 {
		return err
	}
	for i, f := range fields {
		for _, p := range parts {
			if n := 1 + len(p.inBody); len(f.Loc) >= n && slices.Equal(f.Loc[1:n], p.inBody) {
				fields[i].Loc = slices.Concat(f.Loc[:1], p.inArguments, f.Loc[n:])
				break
			}
		}
	}
	return &wire.Invalid{Fields: fields}
}

// wrong says what is wrong with an argument.
func wrong(msg string, name string) error {
	return &wire.Invalid{Fields: []wire.FieldError{{Type: "value_error", Loc: []any{"body", name}, Msg: msg}}}
}
