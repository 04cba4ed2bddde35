package outline

import (
	"bytes"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

const (
	// MaxLines is the greatest number of lines of a structure.
	MaxLines = 40
	// MaxBytes is the greatest length of a structure in bytes.
	MaxBytes = 6 << 10
	// sampleBytes is how much of a text is examined to detect its format.
	sampleBytes = 64 << 10
)

// Outline describes a text. The zero value describes none.
type Outline struct {
	// Format is the name of the format, as it is in a sentence: "JSON", "JSON lines",
	// "CSV", "Markdown", "log", "text".
	Format string
	// Lines is the number of lines. As in package excerpt, a line of more than 4 KiB counts
	// as several.
	Lines int
	// Structure has at most [MaxLines] lines and [MaxBytes] bytes, without a final line
	// break. It is valid UTF-8 without other control characters. It is empty for an empty
	// text.
	Structure string
}

// Of returns the outline of a text. It is a pure function and reads no more than the first
// 1 MiB of YAML and 16 MiB of XML, which the structure then says.
func Of(text string) Outline {
	data := unsafe.Slice(unsafe.StringData(text), len(text)) // is only read
	format, structure := describe(data)
	return Outline{Format: format, Lines: countLines(data), Structure: structure}
}

// describe returns the format and the structure of a text. Formats of lines that package
// document would take for another one are tried first.
func describe(text []byte) (format, structure string) {
	sample := text[:min(len(text), sampleBytes)]
	body := bytes.TrimLeft(bytes.TrimPrefix(sample, []byte("\ufeff")), " \t\r\n\v\f")
	if len(body) == 0 && len(bytes.TrimSpace(text)) == 0 {
		return "empty", ""
	}
	if isBinary(sample) {
		return "binary", binaryOutline(text)
	}
	if format, structure = lineFormat(text, body); format != "" {
		return format, structure
	}
	switch sniffed := document.Sniff(text); sniffed {
	case document.FormatEmpty:
	case document.FormatJSON, document.FormatNDJSON, document.FormatPython, document.FormatText:
		if at := dataStart(text, body); at >= 0 {
			return dataOutline(text, at)
		}
	case document.FormatKeyValue, document.FormatYAML:
		if format, structure = loggedOutline(text, sample); format != "" {
			return format, structure
		}
		if sniffed == document.FormatYAML || !isMarkdown(sample) {
			return dataOutline(text, 0)
		}
	case document.FormatMarkdown:
		if isMostlyTable(sample) {
			return dataOutline(text, 0)
		}
	default:
		return dataOutline(text, 0)
	}
	if format, structure = loggedOutline(text, sample); format != "" {
		return format, structure
	}
	return textOutline(text)
}

// lineFormat returns the outline of a text whose first line identifies a format of lines.
func lineFormat(text, body []byte) (format, structure string) {
	switch {
	case isHTML(body):
		return "HTML", htmlOutline(text)
	case isDiff(body):
		return "diff", diffOutline(text)
	case isHistory(body):
		return "git log", historyOutline(text)
	case isINI(body):
		return "INI", iniOutline(text)
	case isListing(body):
		return "directory listing", listingOutline(text)
	case !opensData(body) && isCode(body):
		return "source code", codeOutline(text)
	}
	return "", ""
}

// opensData reports whether a text may be a document from its first character on.
func opensData(body []byte) bool {
	return len(body) > 0 && strings.IndexByte("{[(\"<", body[0]) >= 0
}

// dataStart returns where JSON or a Python literal begins in a text that was recognized as
// such, or -1 if the text is mostly something else. Package document also finds small
// documents in prose.
func dataStart(text, body []byte) int {
	whole := opensData(body) || len(body) < 32 || isCall(body)
	if whole {
		return 0
	}
	const introduction = 5 // lines
	at := 0
	for range introduction {
		end := bytes.IndexByte(text[at:min(len(text), sampleBytes)], '\n')
		if end < 0 {
			return -1
		}
		if at += end + 1; at < len(text) && (text[at] == '{' || text[at] == '[') {
			b := builder{}
			if read := b.read(text[at:]); read.damage < 0 || read.damage > len(text)/2 {
				return at
			}
			return -1
		}
	}
	return -1
}

// isCall reports whether a text begins as the repr of a Python object: Order(id=1), id=1.
func isCall(body []byte) bool {
	n := bytes.IndexFunc(body[:min(len(body), 64)], func(r rune) bool {
		return r != '_' && r != '.' && (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9')
	})
	return n > 0 && (body[n] == '(' || body[n] == '=')
}

// isBinary reports whether a text has characters that texts do not have: more than 1 in 20
// bytes is invalid or a control character, or one is NUL.
func isBinary(sample []byte) bool {
	return bytes.IndexByte(sample, 0) >= 0 || foreign(sample)*20 > len(sample)
}

// foreign counts bytes that are invalid UTF-8 or control characters.
func foreign(text []byte) (n int) {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c < ' ' && strings.IndexByte("\t\n\r\f\x1b", c) < 0 || c == 0x7f {
				n++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 && len(text)-i >= utf8.UTFMax { // not cut by a limit
			n++
		}
		i += size
	}
	return n
}

func binaryOutline(text []byte) string {
	return number(len(text)) + " bytes, " + number(foreign(text)) + " of them not text"
}
