package eino

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cloudwego/eino/schema"
)

// Eino's middleware reduction puts a notice into a result that it shortens or clears, in English
// or Chinese: where the whole is stored, and maybe its beginning and end.
const (
	noticeBegin = "<persisted-output>"
	noticeEnd   = "</persisted-output>"
)

var previewHeader = regexp.MustCompile(`\n(?:Preview|预览) \([^)\n]*\):\n`)

// withoutNotice returns what a shortened result still has of the whole one. Other results are
// returned unchanged.
func withoutNotice(result string) string {
	before, rest, ok := strings.Cut(result, noticeBegin)
	end := strings.LastIndex(rest, noticeEnd)
	if !ok || end < 0 {
		return result
	}
	previews := previewHeader.Split(rest[:end], -1)[1:]
	if n := len(previews); n > 0 { // the last is followed by how to read the whole
		previews[n-1] = previews[n-1][:max(strings.LastIndex(previews[n-1], "\n\n"), 0)]
	}
	return before + strings.Join(previews, "\n") + rest[end+len(noticeEnd):]
}

// isCanceled reports whether the result of a tool says, in English or Chinese, that it never ran:
// Eino's middleware patchtoolcalls adds it to calls without a result, such as suspended ones.
func isCanceled(m *schema.Message) bool {
	for _, format := range [...]string{"Tool call %s with id %s was canceled - ", "工具调用 %s（ID 为 %s）已被取消——"} {
		if strings.HasPrefix(m.Content, fmt.Sprintf(format, m.ToolName, m.ToolCallID)) {
			return true
		}
	}
	return false
}
