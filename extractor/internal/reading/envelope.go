package reading

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// Envelope is what a result says of the run that it comes from, besides its content.
type Envelope struct {
	// Failed is set if the exit status is not 0.
	Failed bool
	// Directory is the working directory, if the result names it.
	Directory string
	// Facts are other values of the envelope, as lines of keys and values: "task_id: b3f".
	Facts []byte
}

const (
	// maxLayers is how many envelopes around a content are opened.
	maxLayers = 5
	// maxRunLine is the length of the longest line that is only about the run.
	maxRunLine = 200
	// maxTags is how many pairs of tags of one level are taken off.
	maxTags = 64
)

// Open returns the content of a result without its transport: the head of an answer over HTTP that
// succeeded, an object of a program's outputs and exit status, tags around text, and lines about the
// run. Other results are returned as they are.
func (e *Envelope) Open(result any) any {
	switch r := result.(type) {
	case []string:
		return contentOf(r)
	case json.RawMessage:
		return e.OpenText(r)
	case []byte:
		return e.OpenText(r)
	case string:
		if content := e.OpenText(unsafe.Slice(unsafe.StringData(r), len(r))); len(content) < len(r) {
			return string(content)
		}
	case map[string]any:
		for name := range r {
			if snake := snakeOf(name); !isOutput(snake) && !isAboutRun(snake) || len(r) > maxTags {
				return result
			}
		}
		text, _ := json.Marshal(r) // else there is no field
		if content, ok := e.openObject(text); ok {
			return e.OpenText(content)
		}
	}
	return result
}

// OpenText returns the content of a text without its transport.
func (e *Envelope) OpenText(text []byte) []byte {
	for range maxLayers {
		before := len(text)
		if isObject, isPlain := shapeOf(text); isObject {
			text, _ = e.openObject(text)
		} else if !isPlain {
			text = e.trimTags(e.trimLines(bodyOf(text)))
		}
		if len(text) == before {
			break
		}
	}
	return text
}

// shapeOf reports whether a text is in the braces of an object, and whether it is in those or in
// brackets on its first and its last line.
func shapeOf(text []byte) (isObject, isPlain bool) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return false, true
	}
	last := text[len(text)-1]
	isObject = text[0] == '{' && last == '}'
	return isObject, isObject || text[0] == '[' && last == ']' && !bytes.Contains(text[max(0, len(text)-maxRunLine):], []byte("\n["))
}

// bodyOf returns an answer over HTTP that succeeded without its head: HTTP/1.1 204 No Content.
func bodyOf(text []byte) []byte {
	version, rest, _ := bytes.Cut(text[:min(len(text), maxRunLine)], []byte(" "))
	if !bytes.HasPrefix(version, []byte("HTTP/")) || !bytes.HasPrefix(rest, []byte("2")) {
		return text
	}
	for i, at := 0, 0; ; i++ {
		line, behind, isLine := bytes.Cut(text[at:], []byte("\n"))
		name, _, isHeader := bytes.Cut(line, []byte(":"))
		switch {
		case len(bytes.TrimSpace(line)) == 0 && i > 0:
			return behind
		case i > 0 && (!isHeader || bytes.ContainsAny(name, " \t")):
			return text
		case !isLine:
			return nil
		}
		at = len(text) - len(behind)
	}
}

// contentOf returns texts as the content of a result; other lists of strings, without a space in them,
// may be lists of identifiers.
func contentOf(texts []string) any {
	if !slices.ContainsFunc(texts, func(text string) bool { return strings.ContainsAny(text, " \n{") }) {
		return texts
	}
	items := make([]map[string]string, len(texts))
	for i, text := range texts {
		items[i] = map[string]string{"type": "text", "text": text}
	}
	return map[string]any{"content": items}
}

// isOutput reports whether a field, named in snake case, may hold the whole result as a text.
func isOutput(snake string) bool {
	return snake == "content" || snake == "stderr" || vocabulary.TransportKeys.Has(snake)
}

// isAboutRun reports whether a field is about the run: exit_code, duration_seconds.
func isAboutRun(snake string) bool {
	return vocabulary.ExitKeys.Has(snake) || vocabulary.RunKeys.Has(snake)
}

// snakeOf returns the name of a field in lower case with underscores: exit_code of exitCode.
func snakeOf(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == "" { // without the memory for words
		return name
	}
	return strings.Join(english.Words(name), "_")
}

// openObject returns the outputs in an object that holds nothing else but facts about the run,
// {"stdout": "a.txt", "exit_code": 0}, or nothing else at all: {"content": "a.txt"}. Errors come last.
// It returns other texts as they are.
func (e *Envelope) openObject(text []byte) (content []byte, ok bool) {
	_, head, _ := bytes.Cut(text[:min(len(text), maxRunLine)], []byte(`"`))
	name, value, _ := bytes.Cut(head, []byte(`"`))
	isText := bytes.HasPrefix(bytes.TrimLeft(value, ": \t\r\n"), []byte(`"`))
	if snake := snakeOf(string(name)); isOutput(snake) && !isText || !isOutput(snake) && !isAboutRun(snake) {
		return text, false
	}
	var o outputs
	read := document.JSON(text, &o, document.Limits{Bytes: len(text), Scalar: len(text), Plain: true})
	content = joinLines(o.texts, o.errors)
	if read.Err != nil || o.other || o.texted == 0 || o.texted > 1 && o.facts == 0 || bytes.Contains(content, []byte(BlockTitle)) {
		return text, false
	}
	e.join(&o.run)
	return content, true
}

// outputs is a document.Visitor that reads an object of a program's outputs.
type outputs struct {
	run           Envelope
	texts, errors []byte
	texted, facts int  // how many outputs there are, and facts about the run
	other         bool // there is anything else
	key           string
	depth         int
}

func (o *outputs) Object() {
	o.other = o.other || o.depth > 0 && !isAboutRun(o.key)
	o.depth++
}

func (o *outputs) Array() { o.other = true }

func (o *outputs) End() { o.depth-- }

func (o *outputs) Key(name []byte) document.Decision {
	o.key = snakeOf(string(name))
	return o.Item()
}

func (o *outputs) Item() document.Decision {
	if o.other {
		return document.Stop
	}
	return document.Take
}

func (o *outputs) Scalar(kind document.Kind, text []byte) {
	isOutput := isOutput(o.key) && o.depth == 1
	switch {
	case isOutput && kind == document.String && o.key == "stderr":
		o.errors, o.texted, o.facts = bytes.Clone(text), o.texted+1, o.facts+1
	case isOutput && kind == document.String:
		o.texts, o.texted = joinLines(o.texts, text), o.texted+1
	case isAboutRun(o.key), vocabulary.SuccessKeys.Has(o.key) && string(text) == "true",
		(isOutput || vocabulary.ErrorKeys.Has(o.key)) && (kind == document.Null || len(text) == 0):
		o.facts++
		o.run.note(o.key, string(text))
	default:
		o.other = true
	}
}

// note keeps a fact about the run if it is its exit status, success or working directory.
func (e *Envelope) note(name, value string) {
	switch status, err := strconv.Atoi(value); {
	case vocabulary.ExitKeys.Has(name):
		e.Failed = e.Failed || err == nil && status != 0
	case vocabulary.DirectoryWords.Has(name):
		e.Directory = value
	}
}

// join adds what an inner envelope says.
func (e *Envelope) join(inner *Envelope) {
	e.Failed = e.Failed || inner.Failed
	e.Facts = joinLines(e.Facts, inner.Facts)
	if inner.Directory != "" {
		e.Directory = inner.Directory
	}
}

// joinLines returns texts below one another, without empty ones.
func joinLines(texts ...[]byte) []byte {
	texts = slices.DeleteFunc(texts, func(text []byte) bool { return len(text) == 0 })
	if len(texts) < 2 {
		return slices.Concat(texts...)
	}
	for i := range texts[1:] {
		texts[i] = bytes.TrimSuffix(texts[i], []byte("\n"))
	}
	return bytes.Join(texts, []byte("\n"))
}

// trimLines returns a text without the lines about the run at its head and its end, "Exit code: 0" and
// "[Command finished with exit code 0]", and without a fence around the rest.
func (e *Envelope) trimLines(text []byte) []byte {
	for _, isEnd := range []bool{false, true} {
		for rest := text; len(rest) > 0; {
			line, next, _ := bytes.Cut(rest, []byte("\n"))
			if isEnd {
				at := bytes.LastIndexByte(rest, '\n') + 1
				line, next = rest[at:], rest[:max(at-1, 0)]
			}
			switch trimmed := bytes.TrimSpace(line); {
			case len(trimmed) == 0:
			case isEnd && trimmed[len(trimmed)-1] == ':' || !e.isRunLine(line):
				next = nil
			default:
				text = next
			}
			rest = next
		}
	}
	return trimFence(text)
}

// trimFence returns the content of a text that is one block in a fence, unless it is source code.
func trimFence(text []byte) []byte {
	body, fence := bytes.TrimSpace(text), []byte("```")
	head, rest, _ := bytes.Cut(body, []byte("\n"))
	language, isFence := bytes.CutPrefix(head, fence)
	content, closed := bytes.CutSuffix(rest, fence)
	if !isFence || !closed || bytes.Contains(content, fence) || vocabulary.CodeLanguages.HasBytes(bytes.TrimSpace(language)) {
		return text
	}
	return content
}

// isRunLine reports whether a line is about the run of a program rather than a part of its output, and
// keeps what it says: "Exit code: 0", "[Current working directory: /srv]", "Output:". All its words
// are words about runs, one of them only about runs; the rest are numbers and paths.
func (e *Envelope) isRunLine(line []byte) bool {
	if len(line) > maxRunLine {
		return false
	}
	line = bytes.Trim(line, " \t\r\n[]().")
	isHead := bytes.HasSuffix(line, []byte(":"))
	var run Envelope
	path, words := "", map[string]bool{}
	for word := range bytes.FieldsFuncSeq(line, func(c rune) bool { return strings.ContainsRune(" \t:=,;()", c) }) {
		lower := strings.ToLower(string(word))
		switch {
		case vocabulary.RunWords.Has(lower):
			words[lower] = true
		case len(words) == 0:
			return false
		case strings.HasPrefix(lower, "/"), strings.HasPrefix(lower, "~/"):
			path = string(word)
		case len(strings.Trim(lower, "0123456789.sm-")) > 0:
			return false
		case hasAny(words, &vocabulary.ExitWords):
			run.note("exit_code", lower)
		}
	}
	switch {
	case !(len(words) > 1 && hasAny(words, &vocabulary.SureRunWords)) && !(isHead && len(words) > 0):
		return false
	case words["id"]:
		run.Facts = line
	case hasAny(words, &vocabulary.DirectoryWords):
		run.Directory = path
	}
	run.Failed = run.Failed || words["failed"]
	e.join(&run)
	return true
}

func hasAny(words map[string]bool, of *vocabulary.Set) bool {
	for word := range words {
		if of.Has(word) {
			return true
		}
	}
	return false
}

// part is a pair of tags with what is between them, or text outside of any.
type part struct {
	name          string // empty for text
	source, inner []byte
	isBlock       bool // over several lines
}

// trimTags returns a text without the tags on lines of their own around its parts. Values in tags on
// one line are facts about the run, and reminders are left out.
func (e *Envelope) trimTags(text []byte) []byte {
	isMarkup := bytes.HasPrefix(text, []byte("<"))
	if !isMarkup && !bytes.Contains(text, []byte("\n<")) || isMarkup && (document.IsHTML(text) || bytes.HasPrefix(text, []byte("<?")) || bytes.HasPrefix(text, []byte("<!"))) {
		return text
	}
	parts := partsOf(text)
	if !isTransport(parts, 0) {
		return text
	}
	var contents [][]byte
	for _, p := range parts {
		snake := snakeOf(p.name)
		switch {
		case slices.ContainsFunc(strings.Split(snake, "_"), vocabulary.AsideWords.Has):
		case p.name == "", p.isBlock && !p.isAroundText(0), !p.isBlock && isOutput(snake):
			contents = append(contents, p.inner)
		case p.isBlock:
			contents = append(contents, e.trimTags(bytes.Trim(p.inner, "\r\n")))
		case isAboutRun(snake):
			e.note(snake, string(bytes.TrimSpace(p.inner)))
		case len(contents) > 0:
			contents = append(contents, p.source)
		default:
			e.Facts = joinLines(e.Facts, slices.Concat([]byte(p.name), []byte(": "), p.inner))
		}
	}
	return joinLines(contents...)
}

// isTransport reports whether tags are around text, rather than elements of a document of XML: one of
// them is, or says how a program ended. Below others it is a field of a record if there are more values.
func isTransport(parts []part, below int) bool {
	is := false
	for _, p := range parts {
		switch {
		case p.name == "":
			is = is || len(parts) > 1 && !startsTag(p.inner)
		case p.isBlock:
			is = is || p.isAroundText(below)
		case isAboutRun(snakeOf(p.name)):
			is = true
		case below > 0:
			return false
		}
	}
	return is
}

// isAroundText reports whether a text is directly between the tags on the lines around it, or those in
// them.
func (p *part) isAroundText(below int) bool {
	const deepest = 4
	return !startsTag(p.inner) || document.Sniff(p.inner) != document.FormatXML || below < deepest && isTransport(partsOf(bytes.TrimSpace(p.inner)), below+1)
}

func startsTag(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("<")) }

// partsOf splits a text at the pairs of tags that begin and end lines. A tag without the other of its
// pair that is alone on a line is left out.
func partsOf(text []byte) []part {
	var parts []part
	unclosed := map[string]bool{}
	start, tried, budget := 0, 0, 2*len(text) // of bytes that are searched for closing tags
	for at := 0; at < len(text) && tried < maxTags && budget >= 0; {
		line, rest, _ := bytes.Cut(text[at:], []byte("\n"))
		next := len(text) - len(rest)
		name, body, ok := cutTag(line)
		if !ok {
			at = next
			continue
		}
		tried++
		p := part{name: name}
		if end := []byte("</" + name + ">"); line[1] != '/' && !unclosed[name] {
			inner, after, closed := bytes.Cut(text[at+body:], end)
			budget -= len(inner)
			behind, rest, _ := bytes.Cut(after, []byte("\n"))
			if unclosed[name] = !closed; closed && len(bytes.TrimSpace(behind)) == 0 {
				next = len(text) - len(rest)
				p.inner, p.source, p.isBlock = inner, text[at:next], bytes.IndexByte(inner, '\n') >= 0
			}
		}
		if p.source != nil || len(bytes.TrimSpace(line[body:])) == 0 {
			if start < at {
				parts = append(parts, part{inner: text[start:at]})
			}
			if start = next; p.source != nil {
				parts = append(parts, p)
			}
		}
		at = next
	}
	if start < len(text) || len(parts) == 0 {
		parts = append(parts, part{inner: text[start:]})
	}
	return parts
}

// cutTag returns the name of the tag that a line begins with, an opening or a closing one, and its end.
func cutTag(line []byte) (name string, end int, ok bool) {
	end = bytes.IndexByte(line, '>') + 1
	if end < len("<a>") || line[0] != '<' {
		return "", 0, false
	}
	word, attributes, _ := bytes.Cut(bytes.TrimPrefix(line[1:end-1], []byte("/")), []byte(" "))
	for _, c := range word {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if bytes.IndexByte([]byte("0123456789_-.:"), c) < 0 {
				return "", 0, false
			}
		}
	}
	return string(word), end, len(word) > 0 && (len(attributes) == 0 || bytes.IndexByte(attributes, '=') > 0)
}
