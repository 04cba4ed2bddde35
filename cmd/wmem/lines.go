package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/jsonlines"
)

// lineOutput is the output for a line of input.
type lineOutput struct {
	Error    string   `json:"error,omitempty"`
	Entities []entity `json:"entities"`
}

// extractLines writes a line for each line it reads, without delay. For unusable
// lines it writes an error, and it returns an error at the end.
func extractLines(ctx context.Context, x extractor.Extractor, r io.Reader, w io.Writer) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	bad := 0
	for line, err := range jsonlines.Read(r, 0) {
		if ctx.Err() != nil {
			return errors.Join(out.Flush(), ctx.Err())
		}
		if err != nil && !errors.Is(err, jsonlines.ErrTooLong) && !errors.Is(err, jsonlines.ErrNotUTF8) {
			return errors.Join(out.Flush(), err)
		}
		var entities []entity
		if err == nil {
			entities, err = extractLine(ctx, x, line.Text)
		}
		output := lineOutput{Entities: entities}
		if err != nil {
			bad++
			output = lineOutput{Error: fmt.Sprintf("line %d: %v", line.Number, err), Entities: []entity{}}
		}
		if err := enc.Encode(output); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d unusable lines", bad)
	}
	return nil
}

var (
	errNotObject = errors.New("not a JSON object")
	errTool      = errors.New(`"tool" is not a string`)
	errNoResult  = errors.New(`no "result"`)
)

func extractLine(ctx context.Context, x extractor.Extractor, line string) ([]entity, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &fields); err != nil || fields == nil {
		return nil, errNotObject
	}
	var in extractor.Input
	if tool, ok := fields["tool"]; ok && json.Unmarshal(tool, &in.Tool) != nil {
		return nil, errTool
	}
	result, ok := fields["result"]
	if !ok {
		return nil, errNoResult
	}
	in.Result = plain(result)
	if args, ok := fields["args"]; ok {
		in.Arguments = plain(args)
	}
	found, err := x.Extract(ctx, in)
	return entitiesOf(found.Entities), err
}

// plain returns a JSON string as a string, and any other value as JSON.
func plain(raw json.RawMessage) any {
	var s *string
	if json.Unmarshal(raw, &s) == nil && s != nil {
		return *s
	}
	return []byte(raw)
}
