package evaluation

import (
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/internal/evaluation/pydata"
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
	// Args is what the tool was called with; never nil in a tool step.
	Args *pydata.Value
	// Result is what it returned; never nil in a tool step.
	Result *pydata.Value

	data *pydata.Value // what resultData found, nil before
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
	v, err := pydata.ParseJSON(line)
	if err != nil || v.Kind != pydata.Dict {
		return nil, errors.Join(ErrNotJSON, err)
	}
	id, steps := v.Field("id"), v.Field("steps")
	if id == nil || id.IsData() {
		return nil, ErrNoID
	}
	if steps == nil || steps.Kind != pydata.List {
		return nil, ErrNoSteps
	}
	ep := &Episode{ID: ID{Text: id.Text, JSON: id.Source}, Steps: make([]Step, len(steps.Items))}
	for i, item := range steps.Items {
		if ep.Steps[i], err = parseStep(item); err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
	}
	return ep, nil
}

func parseStep(v *pydata.Value) (Step, error) {
	text := func(name string) string {
		if f := v.Field(name); f != nil && f.Kind == pydata.String {
			return f.Text
		}
		return ""
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
	null := &pydata.Value{Kind: pydata.None, Text: "None", Source: "null"}
	if s.Args = v.Field("args"); s.Args == nil {
		s.Args = null
	}
	if s.Result = v.Field("result"); s.Result == nil {
		s.Result = null
	}
	return s, nil
}

// resultText is a step's result as the model saw it.
func (s *Step) resultText() string {
	if s.Result.Kind == pydata.String {
		return s.Result.Text
	}
	return s.Result.Source
}

// resultData is a step's result as data where it is data, else a scalar. It is
// read once. Not safe for concurrent use.
func (s *Step) resultData() *pydata.Value {
	switch {
	case s.Result.Kind != pydata.String:
		return s.Result
	case s.data == nil:
		s.data = pydata.Parse(s.Result.Text)
	}
	return s.data
}

// resultValue is a step's result in a form that extractors take.
func (s *Step) resultValue() any {
	if s.Result.Kind == pydata.String {
		return s.Result.Text
	}
	return []byte(s.Result.Source)
}
