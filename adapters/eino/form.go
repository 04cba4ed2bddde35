package eino

import (
	"strings"

	"github.com/cloudwego/eino/schema"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// form describes the results of a kind of tools.
type form[T any] struct {
	ofText      func(text string) T
	textsOf     func(result T) []string
	newAppender func() func(*middleware.RunningCall, T) // for the parts of a streamed result
	concat      func(parts []T) (T, error)              // into a result
	show        func(result T, show shower) T
}

// plain is the form of a text.
var plain = form[string]{
	ofText:  func(text string) string { return text },
	textsOf: func(text string) []string { return []string{text} },
	newAppender: func() func(*middleware.RunningCall, string) {
		return func(running *middleware.RunningCall, text string) { running.Append(withoutNotice(text)) }
	},
	concat: func(parts []string) (string, error) { return strings.Join(parts, ""), nil },
	show: func(text string, show shower) string {
		text, _ = show(text)
		return text
	},
}

// enhanced is the form of a result with parts.
var enhanced = form[*schema.ToolResult]{
	ofText: func(text string) *schema.ToolResult {
		return &schema.ToolResult{Parts: []schema.ToolOutputPart{{Type: schema.ToolPartTypeText, Text: text}}}
	},
	textsOf:     partsOf,
	newAppender: appendParts,
	concat:      schema.ConcatToolResults,
	show:        showParts,
}

// partsOf returns the texts of an enhanced tool's result.
func partsOf(result *schema.ToolResult) (texts []string) {
	if result == nil {
		return nil
	}
	for _, p := range result.Parts {
		if p.Type == schema.ToolPartTypeText {
			texts = append(texts, p.Text)
		}
	}
	return texts
}

// appendParts returns a function that appends the texts of an enhanced tool's result. Like Eino,
// it joins consecutive texts; those with another part between them are separated by a line break.
func appendParts() func(*middleware.RunningCall, *schema.ToolResult) {
	begun, ended := false, false // of the current text
	return func(running *middleware.RunningCall, result *schema.ToolResult) {
		if result == nil {
			return
		}
		for _, p := range result.Parts {
			if p.Type != schema.ToolPartTypeText {
				ended = begun
				continue
			}
			if ended {
				running.Append("\n")
			}
			running.Append(withoutNotice(p.Text))
			begun, ended = true, false
		}
	}
}

// showParts returns a copy of a result with the texts that the model is to see.
func showParts(result *schema.ToolResult, show shower) *schema.ToolResult {
	if result == nil {
		return nil
	}
	shown := *result
	shown.Parts = nil
	for _, p := range result.Parts {
		ok := true
		if p.Type == schema.ToolPartTypeText {
			p.Text, ok = show(p.Text)
		}
		if ok {
			shown.Parts = append(shown.Parts, p)
		}
	}
	return &shown
}

// resultOf returns the result of a tool that returned texts.
func resultOf(texts ...string) any {
	for i, text := range texts {
		texts[i] = withoutNotice(text)
	}
	return middleware.ResultOf(nil, texts...)
}

// shower returns what the model is to see of a text of a result, and false if nothing. It is called
// for the texts of one result, in their order.
type shower func(text string) (shown string, ok bool)

// newShower returns a shower for a result. If the result is stored, the stub replaces the first
// text, and the others are left out.
func newShower(stub string, stored bool, encode func(text string) string) shower {
	first := true
	return func(text string) (string, bool) {
		if !stored {
			return encode(text), true
		}
		show := first
		first = false
		return stub, show
	}
}

// shownBy returns a shower for the result of a finished call.
func shownBy(running *middleware.RunningCall) shower {
	stub, stored := running.Stub()
	return newShower(stub, stored, func(text string) string { return textOf(running.Shown(text)) })
}
