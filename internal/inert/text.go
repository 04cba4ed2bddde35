package inert

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Text returns a text of any number of lines with its markers escaped, for a place where no
// quotes enclose it. Line breaks, tabs, quotes, backslashes and the brackets of code are
// kept, so the result cannot be unescaped. It is valid UTF-8.
func Text(text string) string {
	var b []byte
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if i > 0 {
			b = append(b, '\n')
		}
		b = appendLine(b, line, roleColon(line))
	}
	return string(b)
}

// Line is Text for one line: each line break becomes a space.
func Line(text string) string {
	line := strings.Join(strings.FieldsFunc(text, isLineBreak), " ")
	return string(appendLine(nil, line, roleColon(line)))
}

// JSON returns a JSON text that means the same and in whose strings the markers are escaped.
func JSON(data []byte) []byte {
	b := make([]byte, 0, len(data))
	for {
		start := bytes.IndexByte(data, '"')
		if start < 0 {
			return append(b, data...)
		}
		end := start + 1
		for end < len(data) && data[end] != '"' {
			if data[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(data))
		b = appendLine(append(b, data[:start+1]...), string(data[start+1:end]), noColon)
		data = data[end:]
		if len(data) > 0 {
			b, data = append(b, '"'), data[1:]
		}
	}
}

func isLineBreak(r rune) bool {
	return '\n' <= r && r <= '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// noColon is the position of the colon of a role in a text without one.
const noColon = -1

// appendLine appends a line with its markers, and the colon at a position, escaped.
func appendLine(dst []byte, line string, colon int) []byte {
	for i, r := range line {
		var escaped bool
		switch r {
		case '\t', '"', '\\', '}', utf8.RuneError: // the last one also for an invalid byte
		case '<', '{':
			escaped = opensTag(line[i:])
		default:
			escaped = MustEscape(r, InQuotes) || i == colon || isMarker(line, i) || r == '$' && strings.HasPrefix(line[i+1:], "{")
		}
		if escaped {
			dst = appendEscape(dst, r)
		} else {
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// opensTag reports whether a text begins with a tag of a chat format or a template form: <|,
// <<SYS>>, <system>, </tool_call>, {{, {%, {#, {name}. Other tags and braces, as in
// "Ann <ann@example.com>" or JSON, are common in texts.
func opensTag(text string) bool {
	if len(text) < 2 {
		return false
	}
	next := text[1]
	if text[0] == '<' {
		return next == '|' || next == '<' || isChatMarker(text[1:], '>')
	}
	name := strings.TrimLeft(text[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")
	return strings.IndexByte("{%#", next) >= 0 || len(name) < len(text)-1 && strings.HasPrefix(name, "}")
}
