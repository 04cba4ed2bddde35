package evaluation

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// The kinds of steps that mean something. Steps of other kinds are kept, and ignored.
const (
	KindUser      = "user"
	KindAssistant = "assistant"
	KindTool      = "tool"
)

// Episode is a recorded conversation of an agent.
type Episode struct {
	// ID is the episode's id, of whatever JSON type it has in the traces.
	ID ID
	// Steps are what happened, in order.
	Steps []Step
}

// ID identifies an episode.
type ID struct {
	// Text is the id as text: the number 7 and the string "7" are the same.
	Text string
	// JSON is the id as it stands in the traces.
	JSON string
}

// Step is something that happened in an episode.
type Step struct {
	// Kind is user, assistant or tool.
	Kind string
	// Text is what the user or the assistant said.
	Text string
	// Tool is the name of the tool that was called.
	Tool string
	// Args is what the tool was called with, as JSON; never empty in a tool step.
	Args json.RawMessage
	// Result is what it returned, as JSON; never empty in a tool step.
	Result json.RawMessage

	args, result *value // what arguments and data found, nil before
}

// Errors of a line of traces, in a *TraceError. Others are jsonlines.ErrTooLong
// and jsonlines.ErrNotUTF8.
var (
	ErrNotJSON    = errors.New("not a JSON object")
	ErrNoID       = errors.New("episode has no id")
	ErrNoSteps    = errors.New("episode has no list of steps")
	ErrStep       = errors.New("step is not an object with a kind")
	ErrNoToolName = errors.New("tool step has no name")
)

// TraceError says which line cannot be used, and why. It does not repeat the line.
type TraceError struct {
	// Line is the line's number, from 1.
	Line int
	Err  error
}

// Error implements error.
func (e *TraceError) Error() string { return fmt.Sprintf("evaluation: line %d: %v", e.Line, e.Err) }

// Unwrap returns the reason.
func (e *TraceError) Unwrap() error { return e.Err }

// parseEpisode reads a line of traces.
func parseEpisode(line string) (*Episode, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &fields); err != nil || fields == nil {
		return nil, ErrNotJSON
	}
	id, err := parseID(fields["id"])
	if err != nil {
		return nil, err
	}
	var steps []json.RawMessage
	if err := json.Unmarshal(fields["steps"], &steps); err != nil || steps == nil {
		return nil, ErrNoSteps
	}
	ep := &Episode{ID: id, Steps: make([]Step, len(steps))}
	for i, step := range steps {
		if ep.Steps[i], err = parseStep(step); err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
	}
	return ep, nil
}

// parseID reads an id, a scalar of any type.
func parseID(raw json.RawMessage) (ID, error) {
	v := read(string(raw), document.JSON)
	if v == nil || v.isData() {
		return ID{}, ErrNoID
	}
	return ID{Text: v.text, JSON: string(raw)}, nil
}

func parseStep(raw json.RawMessage) (Step, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return Step{}, ErrStep
	}
	text := func(name string) (s string) {
		_ = json.Unmarshal(fields[name], &s) // what is no text is none
		return s
	}
	s := Step{Kind: text("kind"), Text: text("text")}
	switch {
	case s.Kind == "":
		return s, ErrStep
	case s.Kind != KindTool:
		return s, nil
	}
	if s.Tool = text("name"); s.Tool == "" {
		return s, ErrNoToolName
	}
	null := json.RawMessage("null")
	s.Args, s.Result = null, null
	if args, ok := fields["args"]; ok {
		s.Args = args
	}
	if result, ok := fields["result"]; ok {
		s.Result = result
	}
	return s, nil
}

// resultText is a step's result as the model saw it.
func (s *Step) resultText() string {
	if text, ok := s.resultValue().(string); ok {
		return text
	}
	return string(s.Result)
}

// resultValue is a step's result in a form that extractors take.
func (s *Step) resultValue() any {
	var text string
	if s.Result[0] == '"' && json.Unmarshal(s.Result, &text) == nil {
		return text
	}
	return []byte(s.Result)
}

// arguments are a step's arguments. They are read once. Not safe for concurrent use.
func (s *Step) arguments() *value {
	if s.args == nil {
		s.args = parsed(s.Args)
	}
	return s.args
}

// data is a step's result as data where it is data, else a scalar. It is read
// once. Not safe for concurrent use.
func (s *Step) data() *value {
	if s.result == nil {
		if text, ok := s.resultValue().(string); ok {
			s.result = readResult(text, 0)
		} else {
			s.result = parsed(s.Result)
		}
	}
	return s.result
}

// parsed is the value of valid JSON.
func parsed(raw json.RawMessage) *value {
	if v := read(string(raw), document.JSON); v != nil {
		return v
	}
	return &value{text: string(raw)} // nested too deep
}
