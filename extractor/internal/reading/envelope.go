package reading

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// Envelope holds facts about the run of a program, apart from the content of its result.
type Envelope struct {
	// Failed is set if the exit status is not 0.
	Failed bool
	// Facts are other values of the envelope, as lines of keys and values: "task_id: b3f".
	Facts []byte
}

const (
	// maxLayers is the number of envelopes, and of nested pairs of tags, that are opened.
	maxLayers = 5
	// maxRunLine is the length in bytes of the longest line about the run.
	maxRunLine = 200
	// maxTags is the number of pairs of tags that are removed on one level.
	maxTags = 64
)

// Open returns the content of a result without its transport: the head of a successful HTTP response,
// an object with a program's outputs and exit status, tags around text, and lines about the
// run. Other results are returned unchanged.
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
		read := func(o *outputs) document.Result { return document.Value(r, o, document.Limits{Scalar: math.MaxInt}) }
		if content, ok := e.openObject(read); ok {
			return e.OpenText(content)
		}
	}
	return result
}

// OpenText returns the content of a text without its transport.
func (e *Envelope) OpenText(text []byte) []byte {
	for range maxLayers {
		content, ok := e.openObject(func(o *outputs) document.Result {
			return document.JSON(text, o, document.Limits{Bytes: len(text), Scalar: len(text), Plain: true})
		})
		if !ok && isEnclosed(text) {
			break
		}
		if !ok {
			content, _ = e.trimTags(e.trimLines(text[len(httpHead.Find(text)):]), 1)
		}
		if len(content) == len(text) {
			break
		}
		text = content
	}
	return text
}

// httpHead matches the head of a successful HTTP response: HTTP/1.1 204 No Content.
var httpHead = regexp.MustCompile(`^HTTP/\S* 2[^\n]*(\n[^\s:]+:[^\n]*)*(\n\r?\n|\r?\n?$)`)

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

// snakeOf returns the name of a field or a tag in lower case with underscores: exit_code of exitCode.
func snakeOf(name []byte) string { return strings.Join(english.Words(string(name)), "_") }

// isOutput reports whether a field, named in snake case, may hold the whole result as a text.
func isOutput(snake string) bool {
	return snake == "content" || snake == "stderr" || vocabulary.TransportKeys.Has(snake)
}

// isAboutRun reports whether a field is about the run: exit_code, duration_seconds.
func isAboutRun(snake string) bool {
	return vocabulary.ExitKeys.Has(snake) || vocabulary.RunKeys.Has(snake)
}

// isFailure reports whether a value is the status of a program that failed.
func isFailure(value string) bool {
	status, err := strconv.Atoi(value)
	return err == nil && status != 0
}

// openObject returns the outputs in an object that has no other fields but facts about the run:
// {"stdout": "a.txt", "exit_code": 0}, {"content": "a.txt"}. Errors come last.
func (e *Envelope) openObject(read func(*outputs) document.Result) (content []byte, ok bool) {
	var o outputs
	if read := read(&o); read.Err != nil || o.other || o.texted == 0 || o.texted > 1 && o.facts == 0 {
		return nil, false
	}
	content = joinLines(o.texts, o.errors)
	if ok = !bytes.Contains(content, []byte(BlockTitle)); ok {
		e.Failed = e.Failed || o.failed
	}
	return content, ok
}

// outputs is a document.Visitor that reads an object of a program's outputs.
type outputs struct {
	texts, errors []byte
	texted, facts int  // the numbers of outputs, and of facts about the run
	failed        bool // the exit status is not 0
	other         bool // there are other fields
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
	o.key = snakeOf(name)
	o.other = o.other || !isOutput(o.key) && !isAboutRun(o.key) && !vocabulary.SuccessKeys.Has(o.key) && !vocabulary.ErrorKeys.Has(o.key)
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
		o.failed = o.failed || vocabulary.ExitKeys.Has(o.key) && isFailure(string(text))
	default:
		o.other = true
	}
}

// joinLines joins texts that are not empty by line breaks.
func joinLines(texts ...[]byte) []byte {
	texts = slices.DeleteFunc(texts, func(text []byte) bool { return len(text) == 0 })
	for i := range len(texts) - 1 {
		texts[i] = bytes.TrimSuffix(texts[i], []byte("\n"))
	}
	return bytes.Join(texts, []byte("\n"))
}

// isEnclosed reports whether a text is in the braces or brackets of JSON, where no line is about the run. A last
// line in brackets may be.
func isEnclosed(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return true
	}
	first, last := text[0], text[len(text)-1]
	return first == '{' && last == '}' || first == '[' && last == ']' && !bytes.Contains(text[max(0, len(text)-maxRunLine):], []byte("\n["))
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
			switch {
			case len(bytes.TrimSpace(line)) == 0:
			case !e.isRunLine(line):
				next = nil
			default:
				text = next
			}
			rest = next
		}
	}
	return trimFence(text)
}

// trimFence returns the content of a text that is a single fenced block, unless it is source code.
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
// keeps its facts: "Exit code: 0", "[Current working directory: /srv]", "Output:". Apart from numbers and
// paths, it has only words about runs, and at least one that hardly any other line has.
func (e *Envelope) isRunLine(line []byte) bool {
	if len(line) > maxRunLine {
		return false
	}
	line = bytes.Trim(line, " \t\r\n[]().")
	var words []string
	has := func(of *vocabulary.Set) bool { return slices.ContainsFunc(words, of.Has) }
	failed := false
	for word := range strings.FieldsFuncSeq(strings.ToLower(string(line)), func(c rune) bool { return strings.ContainsRune(" \t:=,;()", c) }) {
		switch {
		case vocabulary.RunWords.Has(word):
			words = append(words, word)
		case len(words) == 0:
			return false
		case strings.HasPrefix(word, "/"), strings.HasPrefix(word, "~/"):
		case len(strings.Trim(word, "0123456789.sm-")) > 0:
			return false
		default:
			failed = failed || has(&vocabulary.ExitWords) && isFailure(word)
		}
	}
	isHead := bytes.HasSuffix(line, []byte(":")) && len(words) > 0
	if !isHead && !(len(words) > 1 && has(&vocabulary.SureRunWords)) {
		return false
	}
	if slices.Contains(words, "id") {
		e.Facts = joinLines(e.Facts, line)
	}
	e.Failed = e.Failed || failed || slices.Contains(words, "failed")
	return true
}

// part is a pair of tags with the text between them, or text outside of tags.
type part struct {
	name          string // in snake case; empty for text
	source, inner []byte
	isBlock       bool // over several lines
}

// trimTags returns a text without the tags on lines of their own around its parts, if they are around
// text rather than elements of a document of XML: one of them is, or says how a program ended. Values
// in tags on one line are facts about the run; within other tags, without text before them, they are the
// fields of a record. Reminders are left out.
func (e *Envelope) trimTags(text []byte, layer int) (content []byte, ok bool) {
	isMarkup := bytes.HasPrefix(text, []byte("<"))
	switch {
	case layer > maxLayers, !isMarkup && !bytes.Contains(text, []byte("\n<")):
		return text, false
	case isMarkup && (document.IsHTML(text) || bytes.HasPrefix(text, []byte("<?")) || bytes.HasPrefix(text, []byte("<!"))):
		return text, false
	}
	var run Envelope
	var contents [][]byte
	parts := partsOf(text)
	values := 0
	for _, p := range parts {
		isAround := !bytes.HasPrefix(bytes.TrimSpace(p.inner), []byte("<"))
		isAside := slices.ContainsFunc(strings.Split(p.name, "_"), vocabulary.AsideWords.Has)
		switch {
		case p.name == "":
			contents, ok = append(contents, p.inner), ok || isAround && len(parts) > 1
		case p.isBlock:
			inner, isTransport := run.trimTags(bytes.Trim(p.inner, "\r\n"), layer+1)
			if !isAside {
				contents = append(contents, inner)
			}
			ok = ok || isAround || isTransport || document.Sniff(p.inner) != document.FormatXML
		case isAside:
		case isAboutRun(p.name):
			ok = true
			run.Failed = run.Failed || vocabulary.ExitKeys.Has(p.name) && isFailure(string(bytes.TrimSpace(p.inner)))
		case isOutput(p.name):
			contents, values = append(contents, p.inner), values+1
		case len(contents) > 0:
			contents, values = append(contents, p.source), values+1
		default:
			run.Facts, values = joinLines(run.Facts, fmt.Appendf(nil, "%s: %s", p.name, p.inner)), values+1
		}
	}
	if !ok || values > 0 && layer > 1 && isMarkup {
		return text, false
	}
	e.Failed, e.Facts = e.Failed || run.Failed, joinLines(e.Facts, run.Facts)
	return joinLines(contents...), true
}

// tag matches the tag that a line begins with: that of a pair, or one of XML with attributes.
var tag = regexp.MustCompile(`^<(/?)([\w.:-]+)(?: |(?: [^=>]+=[^>]*))?>`)

// partsOf splits a text at pairs of tags that begin and end lines. An unpaired tag alone on a line
// is left out.
func partsOf(text []byte) []part {
	var parts []part
	start, tried := 0, 0
	for at := 0; at < len(text) && tried < maxTags; {
		line, rest, _ := bytes.Cut(text[at:], []byte("\n"))
		next := len(text) - len(rest)
		m := tag.FindSubmatch(line)
		if m == nil {
			at = next
			continue
		}
		tried++
		var pair []part
		inner, after, closed := bytes.Cut(text[at+len(m[0]):], slices.Concat([]byte("</"), m[2], []byte(">")))
		behind, rest, _ := bytes.Cut(after, []byte("\n"))
		switch {
		case closed && len(m[1]) == 0 && len(bytes.TrimSpace(behind)) == 0:
			next = len(text) - len(rest)
			pair = []part{{snakeOf(m[2]), text[at:next], inner, bytes.IndexByte(inner, '\n') >= 0}}
		case len(bytes.TrimSpace(line[len(m[0]):])) > 0:
			at = next
			continue
		}
		if start < at {
			parts = append(parts, part{inner: text[start:at]})
		}
		parts = append(parts, pair...)
		start, at = next, next
	}
	if start < len(text) || len(parts) == 0 {
		parts = append(parts, part{inner: text[start:]})
	}
	return parts
}
