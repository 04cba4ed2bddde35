package evaluation

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// The kinds of steps. Steps of other kinds are kept and ignored.
const (
	KindUser      = "user"
	KindAssistant = "assistant"
	KindTool      = "tool"
)

// Episode is a recorded conversation of an agent.
type Episode struct {
	// ID is the episode's id, of any JSON type in the traces.
	ID ID
	// Steps are the steps in order.
	Steps []Step
}

// ID identifies an episode.
type ID struct {
	// Text is the id as text: the number 7 and the string "7" are equal.
	Text string
	// JSON is the id as written in the traces.
	JSON string
}

// Step is a step of an episode.
type Step struct {
	// Kind is user, assistant or tool.
	Kind string
	// Text is the message of the user or the assistant.
	Text string
	// Tool is the name of the called tool.
	Tool string
	// Args are the call's arguments as JSON; never empty in a tool step.
	Args json.RawMessage
	// Result is the call's result as JSON; never empty in a tool step.
	Result json.RawMessage

	args, result *value // cached by arguments and data
}

// Errors of a line of traces, wrapped in a *TraceError. Others are
// jsonlines.ErrTooLong and jsonlines.ErrNotUTF8.
var (
	ErrNotJSON    = errors.New("not a JSON object")
	ErrNoID       = errors.New("episode has no id")
	ErrNoSteps    = errors.New("episode has no list of steps")
	ErrStep       = errors.New("step is not an object with a kind")
	ErrNoToolName = errors.New("tool step has no name")
)

// TraceError is returned for an unusable line. It does not quote the line.
type TraceError struct {
	// Line is the line number, from 1.
	Line int
	Err  error
}

// Error implements error.
func (e *TraceError) Error() string { return fmt.Sprintf("evaluation: line %d: %v", e.Line, e.Err) }

// Unwrap returns the reason.
func (e *TraceError) Unwrap() error { return e.Err }

// parseEpisode parses a line of traces.
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

// parseID parses an id, a scalar of any type.
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
		_ = json.Unmarshal(fields[name], &s) // other types count as empty
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

// ResultText returns a step's result as the model saw it.
func (s *Step) ResultText() string {
	if text, ok := s.resultValue().(string); ok {
		return text
	}
	return string(s.Result)
}

// resultValue returns a step's result in a form that extractors accept.
func (s *Step) resultValue() any {
	var text string
	if s.Result[0] == '"' && json.Unmarshal(s.Result, &text) == nil {
		return text
	}
	return []byte(s.Result)
}

// arguments returns a step's arguments. They are parsed once. It is not safe for
// concurrent use.
func (s *Step) arguments() *value {
	if s.args == nil {
		s.args = parsed(s.Args)
	}
	return s.args
}

// data returns a step's result as structured data if possible, else as a scalar. It
// is parsed once. It is not safe for concurrent use.
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

// parsed returns the value of valid JSON.
func parsed(raw json.RawMessage) *value {
	if v := read(string(raw), document.JSON); v != nil {
		return v
	}
	return &value{text: string(raw)} // nested too deeply
}
