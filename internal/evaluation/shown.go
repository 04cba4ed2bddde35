package evaluation

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// viewer is implemented by a Memory that changes what the model sees of the conversation.
type viewer interface {
	// handles returns the handles that the model may see.
	handles() *handle.Table
	// written returns a text of the model as the model writes it.
	written(text string) string
	// last returns the last recorded call.
	last() shownCall
	// issued returns the handles of all ids that results brought, by id.
	issued() map[string]string
}

// shownCall is a recorded call as the model sees it.
type shownCall struct {
	arguments string
	result    string
	stored    bool // the result is a description of the stored one
	refused   bool // the arguments have an unknown handle
	altered   bool // the arguments that the tool gets are not the recorded ones
}

// handlesIn returns the handles that a block shows and the ids with handles in them, such as the
// path of a file in a directory with a handle, with the ids that they stand for. It returns nil if
// there are none.
func handlesIn(m Memory, block string) map[string]string {
	v, ok := m.(viewer)
	if !ok || v.handles().Len() == 0 {
		return nil
	}
	shown := make(map[string]string)
	v.handles().Replace(block, func(handle, id string) string {
		shown[handle] = id
		return handle
	})
	if len(shown) == 0 {
		return nil
	}
	for _, s := range viewBlock(block, nil).shown {
		if id := v.handles().Decode(s.id); id != s.id {
			shown[s.id] = id
		}
	}
	return shown
}

// Shown compares what the model sees of the conversations with the traces: with handles in place
// of ids, and with descriptions in place of stored results. The texts of a conversation, each
// counted once, are the messages, the arguments of calls with the names of their tools, and the
// results; system prompts and blocks are not among them.
type Shown struct {
	// WithHandle is the share of the references whose value had a handle before the call.
	WithHandle float64 `json:"with_handle"`
	// Handles is the number of handles that were given out.
	Handles int `json:"handles"`
	// Tokens is the size of all conversations, ShownTokens that of what the model sees.
	Tokens      int `json:"tokens"`
	ShownTokens int `json:"shown_tokens"`
	// ResultTokens is the size of all results, ShownResultTokens that of what the model sees.
	ResultTokens      int `json:"result_tokens"`
	ShownResultTokens int `json:"shown_result_tokens"`
	// Stored is the number of results that the model sees a description of, out of
	// Figures.ToolCalls.
	Stored int `json:"stored_results"`
	// Visible is the share of the references in the block or in an earlier result as the model
	// sees it. VisibleWhole is the same with all results whole.
	Visible      float64 `json:"visible"`
	VisibleWhole float64 `json:"visible_whole"`
	// Literals is the number of results and arguments that contain the text of a handle that was
	// given out before. They are left out of AlteredResults and AlteredArguments.
	Literals int `json:"literals"`
	Faults   `json:"faults"`
}

// Faults count what must not happen with handles.
type Faults struct {
	// AlteredResults are results that decoding does not restore.
	AlteredResults int `json:"altered_results"`
	// AlteredArguments are arguments that differ from those that the tool gets.
	AlteredArguments int `json:"altered_arguments"`
	// Refused are calls that would be refused for a handle that was never given out.
	Refused int `json:"refused_calls"`
	// LeftInResults and LeftInBlocks are whole occurrences of ids that have handles in what
	// the model sees.
	LeftInResults int `json:"left_in_results"`
	LeftInBlocks  int `json:"left_in_blocks"`
}

// IsZero reports whether there are no faults.
func (f Faults) IsZero() bool { return f == Faults{} }

// shownMeter measures what the model sees.
type shownMeter struct {
	counter                                       prompt.TokenCounter
	shown                                         Shown
	references, withHandle, visible, visibleWhole int

	// Of the current episode.
	viewer        viewer
	whole, shorts []string // results, and what the model sees of them, with ids
}

func (m *shownMeter) begin(v viewer) {
	*m = shownMeter{counter: m.counter, shown: m.report(), references: m.references, withHandle: m.withHandle,
		visible: m.visible, visibleWhole: m.visibleWhole, viewer: v}
}

// report returns the figures. Those of the current episode are complete at its end.
func (m *shownMeter) report() Shown {
	s := m.shown
	if m.viewer != nil {
		s.Handles += len(m.viewer.issued())
	}
	s.WithHandle = rounded(m.withHandle, m.references, 4)
	s.Visible = rounded(m.visible, m.references, 4)
	s.VisibleWhole = rounded(m.visibleWhole, m.references, 4)
	return s
}

// needed counts the references of a call, given the block before it.
func (m *shownMeter) needed(block string, view *blockView, refs []Reference) {
	m.shown.LeftInBlocks += m.leftIn(block)
	for i := range refs {
		id := refs[i].Value
		if refs[i].shell != "" {
			continue
		}
		_, inBlock := view.byID[id]
		m.references++
		if m.viewer.handles().Handle(id) != id {
			m.withHandle++
		}
		if inBlock || anyMentions(m.shorts, id) {
			m.visible++
		}
		if inBlock || anyMentions(m.whole, id) {
			m.visibleWhole++
		}
	}
}

func anyMentions(texts []string, id string) bool {
	for _, text := range texts {
		if mentions(text, id) {
			return true
		}
	}
	return false
}

// add counts a step, and its text or call as the model sees it.
func (m *shownMeter) add(s *Step, text string, call shownCall) {
	switch s.Kind {
	case KindUser, KindAssistant:
		m.said(s.Text, text)
	case KindTool:
		m.said(s.Tool+" "+string(s.Args), s.Tool+" "+call.arguments)
		m.called(s, &call)
	}
}

func (m *shownMeter) said(text, shown string) {
	m.shown.Tokens += m.counter.CountTokens(text)
	m.shown.ShownTokens += m.counter.CountTokens(shown)
}

// called counts and checks a call that was recorded.
func (m *shownMeter) called(s *Step, call *shownCall) {
	result := s.ResultText()
	whole, shown := m.counter.CountTokens(result), m.counter.CountTokens(call.result)
	m.shown.Tokens += whole
	m.shown.ResultTokens += whole
	m.shown.ShownTokens += shown
	m.shown.ShownResultTokens += shown
	decoded := m.viewer.handles().Decode(call.result)
	m.whole, m.shorts = append(m.whole, result), append(m.shorts, decoded)

	m.shown.Refused += count(call.refused)
	m.shown.LeftInResults += m.leftIn(call.result)
	literal := m.hasHandle(string(s.Args))
	m.shown.Literals += count(literal)
	m.shown.AlteredArguments += count(call.altered && !literal)
	if call.stored {
		m.shown.Stored++
		return
	}
	literal = m.hasHandle(result)
	m.shown.Literals += count(literal)
	m.shown.AlteredResults += count(decoded != result && !literal)
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// hasHandle reports whether a text that has ids contains a handle that was given out.
func (m *shownMeter) hasHandle(text string) (has bool) {
	m.viewer.handles().Replace(text, func(handle, _ string) string { has = true; return handle })
	return has
}

// leftIn counts the ids with handles that are whole in a text in which they can be replaced. It
// looks for each of them by itself, in another way than handle.Table.Encode.
func (m *shownMeter) leftIn(text string) int {
	left := 0
	if strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) || len(text) > handle.MaxTextBytes {
		return 0
	}
	for id := range m.viewer.issued() {
		if m.viewer.handles().Handle(id) == id {
			continue // forgotten
		}
		for from := 0; ; {
			i := strings.Index(text[from:], id)
			if i < 0 {
				break
			}
			start, end := from+i, from+i+len(id)
			left += count(beforeWord.MatchString(text[max(0, start-6):start]) && afterWord.MatchString(text[end:min(len(text), end+1)]))
			from = start + 1
		}
	}
	return left
}

// What is before and after a whole occurrence of an id: no part of a word, or an escape.
var (
	beforeWord = regexp.MustCompile(`(^|[^A-Za-z0-9_-]|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2})$`)
	afterWord  = regexp.MustCompile(`^($|[^A-Za-z0-9_-])`)
)
