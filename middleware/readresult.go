package middleware

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/excerpt"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

const (
	// ReadResultName is the name of the tool that reads stored results.
	ReadResultName = "read_result"
	// ListResultsName is the name of the tool that lists stored results.
	ListResultsName = "list_results"
)

// ErrNoResults is returned by a recorder without Options.Results.
var ErrNoResults = errors.New("middleware: results are not stored")

// ErrResultDropped is returned for a result that is no longer stored.
var ErrResultDropped = errors.New("middleware: the result was dropped, because newer ones needed its room: call the tool again")

// ReadRequest selects a part of a stored result. Without Path and Query, lines are read.
type ReadRequest struct {
	// Handle names the result: result#3.
	Handle string `json:"handle"`
	// Path is a JSON path: $.items[3].name, $.items[10:20], $.items[*].id.
	Path string `json:"path,omitempty"`
	// Query selects the lines, or JSON objects, that contain the most of its words.
	Query string `json:"query,omitempty"`
	// Offset is the number of the first line, element or match, from 1 on. 0 means 1.
	Offset int `json:"offset,omitempty"`
	// Limit is the largest number of lines, elements or matches. 0 means a default.
	Limit int `json:"limit,omitempty"`
}

// maxRead is the size of the longest excerpt, in bytes.
const maxRead = 16 << 10

// ReadResult reads a part of a stored result, at most 16 KiB, with handles in place of ids. The
// last line tells how to go on. It reads the result from its beginning, in parts of bounded size.
// Errors: ErrNoResults, *handle.UnknownError, ErrResultDropped, errors that describe what is wrong
// with the request, which are for the model, too, and those of the store.
func (r *Recorder) ReadResult(ctx context.Context, request ReadRequest) (string, error) {
	r.setUpBacking()
	if r.shelf == nil {
		return "", ErrNoResults
	}
	id, err := r.resultID(ctx, request.Handle)
	if err != nil {
		return "", err
	}
	stored, err := r.storedResults(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(stored, func(s storedResult) bool { return s.ID == id })
	if i < 0 {
		return "", ErrResultDropped
	}
	content := resultReader{ctx, r.shelf, id}
	selected := excerpt.Request{Path: request.Path, Query: request.Query, Offset: request.Offset, Limit: request.Limit}
	text, err := excerpt.Read(ctx, content, stored[i].Size, selected, maxRead)
	switch {
	case errors.Is(err, driver.ErrNotFound):
		return "", ErrResultDropped
	case err != nil:
		return "", fmt.Errorf("middleware: reading a result: %w", err)
	}
	text = r.Handles().Encode(text)
	origin, _ := json.Marshal([2]string{stored[i].Tool, stored[i].Source}) // of strings
	r.shelf.tools.add(r.ledger.digestOf(text), string(origin))
	return text, nil
}

// resultID returns the id of a result by its handle, or by the id itself.
func (r *Recorder) resultID(ctx context.Context, name string) (string, error) {
	name = strings.TrimSpace(name)
	if id, ok := r.Handles().ID(name); ok {
		return id, nil
	}
	if err := r.setUpBacking().refresh(ctx); err != nil {
		return "", fmt.Errorf("middleware: reading a result: %w", err)
	}
	if id, ok := r.Handles().ID(name); ok {
		return id, nil
	}
	if r.Handles().Handle(name) != name {
		return name, nil
	}
	return "", r.Handles().Unknown(name)
}

// resultReader reads the content of a stored result.
type resultReader struct {
	ctx   context.Context
	shelf *shelf
	id    string
}

func (c resultReader) ReadAt(p []byte, offset int64) (int, error) {
	return c.shelf.store.ReadResult(c.ctx, c.shelf.key, driver.ToolResult, c.id, p, offset)
}

// ListResults returns a line for each stored result, oldest first, and for each that was dropped.
// Errors: ErrNoResults, and those of the store.
func (r *Recorder) ListResults(ctx context.Context) (string, error) {
	r.setUpBacking()
	if r.shelf == nil {
		return "", ErrNoResults
	}
	if err := r.setUpBacking().refresh(ctx); err != nil {
		return "", fmt.Errorf("middleware: listing results: %w", err)
	}
	stored, err := r.storedResults(ctx)
	if err != nil {
		return "", err
	}
	var lines []string
	for name, id := range r.Handles().OfType(resultType) {
		i := slices.IndexFunc(stored, func(s storedResult) bool { return s.ID == id })
		if i < 0 {
			lines = append(lines, name+": dropped")
			continue
		}
		s := &stored[i]
		lines = append(lines, fmt.Sprintf("%s: %q, %s, %d bytes, about %d tokens", name, s.Tool, s.Format, s.Size, s.Tokens))
	}
	if len(lines) == 0 {
		return "No results are stored.", nil
	}
	return strings.Join(lines, "\n"), nil
}

// ResultTool is a tool with which a model reads stored results.
type ResultTool struct {
	Name, Description string
	// Parameters is the JSON schema of the arguments.
	Parameters json.RawMessage
	// Call runs the tool with its arguments in JSON, and returns a text. The text of an error
	// is for the model.
	Call func(ctx context.Context, arguments string) (string, error)
}

// ResultTools returns the tools read_result and list_results. They use the recorder of a call's
// context, or else the fallback, which may be nil.
func ResultTools(fallback *Recorder) []ResultTool {
	return []ResultTool{
		{
			Name: ReadResultName,
			Description: "Reads a part of a stored result: by path in JSON, by words that it contains (query), or by lines (offset, limit). " +
				"A stored result is shown as [STORED RESULT] with a handle such as result#3.",
			Parameters: json.RawMessage(`{"type":"object","properties":{` +
				`"handle":{"type":"string","description":"the result, such as result#3"},` +
				`"path":{"type":"string","description":"JSON path, such as $.items[3].name, $.items[10:20] or $.items[*].id"},` +
				`"query":{"type":"string","description":"words to search for"},` +
				`"offset":{"type":"integer","description":"number of the first line, element or match, from 1 on"},` +
				`"limit":{"type":"integer","description":"largest number of lines, elements or matches"}},"required":["handle"]}`),
			Call: func(ctx context.Context, arguments string) (string, error) {
				var request ReadRequest
				if err := json.Unmarshal([]byte(arguments), &request); err != nil {
					return "", errors.New("middleware: reading a result: the arguments are not an object with handle, path, query, offset and limit")
				}
				return withRecorder(ctx, fallback, func(r *Recorder) (string, error) { return r.ReadResult(ctx, request) })
			},
		},
		{
			Name:        ListResultsName,
			Description: "Lists the stored results that read_result can read.",
			Parameters:  json.RawMessage(`{"type":"object","properties":{}}`),
			Call: func(ctx context.Context, _ string) (string, error) {
				return withRecorder(ctx, fallback, func(r *Recorder) (string, error) { return r.ListResults(ctx) })
			},
		},
	}
}

func withRecorder(ctx context.Context, fallback *Recorder, use func(*Recorder) (string, error)) (string, error) {
	r := RecorderFor(ctx, nil, fallback)
	if r == nil {
		return "", ErrNoResults
	}
	return use(r)
}

// isReader reports whether a tool is one of ResultTools.
func isReader(tool string) bool {
	return isSameTool(tool, ReadResultName) || isSameTool(tool, ListResultsName)
}

// asRead returns a call of a reader as one of the tool whose result it read, so that what was read
// has the types and the origin of that result. A list of results has nothing to record.
func (r *Recorder) asRead(call ToolCall) ToolCall {
	if r.shelf == nil || !isReader(call.Name) || call.Err != nil {
		return call
	}
	text, _ := textOf(call.Result)
	call.Result = nil
	if origin, ok := r.shelf.tools.get(r.ledger.digestOf(text)); ok {
		var parts [2]string
		if json.Unmarshal([]byte(origin), &parts) == nil {
			call.Name, call.Source, call.Result, call.Arguments = parts[0], parts[1], r.Decode(excerpt.Content(text)), nil
		}
	}
	return call
}
