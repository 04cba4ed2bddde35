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

// maxFields limits the mistakes that an error lists.
const maxFields = 10

// refusal returns the result of a failed call. It is a result of the tool rather than a protocol
// error, so that the model sees it and can correct its arguments.
func refusal(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Meta: mcp.Meta{ownTool: true}, IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: errorText(err)}},
	}
}

// errorText returns the text of an error for the client, without its cause.
func errorText(err error) string {
	if fields := translate.Mistakes(err); len(fields) > 0 {
		if fields[0].Type == wire.UnknownHandle {
			return fields[0].Msg
		}
		return mistakesText(fields)
	}
	if e, ok := errors.AsType[*service.Error](err); ok {
		return e.Detail
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "The call took too long"
	case errors.Is(err, context.Canceled):
		return "The call was cancelled"
	}
	return "Internal server error"
}

// mistakesText lists the mistakes in arguments, one on each line.
func mistakesText(fields []wire.FieldError) string {
	lines := []string{"Invalid arguments:"}
	for i, f := range fields {
		if i == maxFields {
			lines = append(lines, fmt.Sprintf("and %d more", len(fields)-i))
			break
		}
		if place := locationText(f.Loc); place != "" {
			lines = append(lines, place+": "+f.Msg)
		} else {
			lines = append(lines, f.Msg)
		}
	}
	return strings.Join(lines, "\n")
}

// locationText returns the location of a mistake, such as "messages.0.role".
func locationText(loc []any) string {
	var parts []string
	for i, part := range loc {
		if i > 0 { // the first is body, query or path; here all are arguments
			parts = append(parts, fmt.Sprint(part))
		}
	}
	return strings.Join(parts, ".")
}

// part maps a location in a request body to the arguments that it was made from.
type part struct{ inBody, inArguments []any }

// relocate replaces locations in a request body by those of the tool's arguments.
func relocate(err error, parts ...part) error {
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

// invalidArgument returns the error for a mistake in an argument.
func invalidArgument(msg string, name string) error {
	return &wire.Invalid{Fields: []wire.FieldError{{Type: "value_error", Loc: []any{"body", name}, Msg: msg}}}
}
