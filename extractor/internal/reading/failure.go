package reading

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// report summarizes the fields of the outermost object, about the call and about its subject.
type report struct {
	identified bool // by an identifier of its own
	described  bool // by more than words about the call
	absent     bool // there is no such thing: {"found": false}
	failing    bool // its message or its code reads like an error, unless it is that of a thing
}

// TellsOfThing reports whether the result describes an existing thing, which may be in an error state:
// {"id": "j-12", "status": "error", "runner_id": "rn-4"}.
func (r *Reader) TellsOfThing() bool {
	return r.report.identified && r.report.described && !r.report.absent
}

// noteFailure detects results that report an error: {"error":"…"}, {"success":false}.
func (r *Reader) noteFailure(fr *frame, k *naming.Key, kind document.Kind, text []byte) {
	if len(r.frames) == r.base+2 && !fr.Inherited {
		return
	}
	is, name := false, k.Snake
	says := string(text) == "true"
	switch {
	case kind == document.Bool && (name == "found" || name == "exists"):
		is = !says
		r.report.absent = r.report.absent || is
	case kind == document.Bool:
		is = says && name == "is_error" || !says && (vocabulary.SuccessKeys.Has(name) ||
			(name == "deleted" || name == "removed") && r.call.Tool.Effect == naming.EffectDeleted)
	case kind == document.Number:
		is = name != "code" && vocabulary.StatusKeys.Has(name) && shape.IsErrorStatus(text)
	case name == "status" || name == "status_code":
		is = bytes.EqualFold(text, []byte("error")) || bytes.EqualFold(text, []byte("not_found"))
	case name == "code", k.Name == "message", k.Name == "Message", name == "detail":
		r.report.failing = r.report.failing || isErrorText(text)
	case name == "name": // NotFoundError
		is = !bytes.ContainsRune(text, ' ') && (bytes.HasSuffix(text, []byte("Error")) || bytes.HasSuffix(text, []byte("Exception")))
	default:
		is = (vocabulary.ErrorKeys.Has(name) || name == "error_code" || name == "error_type") && !saysNone(text)
	}
	r.call.Failed = r.call.Failed || is
	switch {
	case k.Class == naming.ClassID, k.Class == naming.ClassTypedID && english.SameNoun(k.Noun, r.call.Tool.Noun):
		r.report.identified = true
	case !vocabulary.ReportKeys.Has(name) && k.Class != naming.ClassNoise:
		r.report.described = true
	}
}

// saysNone reports whether the value under a key for errors means success: null, none, OK.
func saysNone(text []byte) bool {
	return shape.IsNoValue(text) || vocabulary.NoErrorWords.HasBytes(naming.AppendStateWord(nil, text[:min(len(text), maxErrorBytes)]))
}

// notePart reads the key of a non-empty object or list in the outermost object. That is an
// error, unless the tool is about errors, or a part of a thing.
func (r *Reader) notePart(k *naming.Key) {
	switch {
	case k == nil || len(r.frames) != r.base+2:
	case vocabulary.ErrorKeys.Has(k.Snake):
		r.call.Failed = r.call.Failed || !english.SameNoun(k.Noun, r.call.Tool.Noun)
	case k.Noun != "" && !vocabulary.ReportKeys.Has(k.Snake) && !vocabulary.TransportKeys.Has(k.Snake):
		r.report.described = true
	}
}

// maxErrorBytes is the number of bytes of a text in which an error is recognized.
const maxErrorBytes = 160

// The beginnings of error messages, phrases in them, and the beginnings of answers that nothing was found.
var (
	errorStarts    = []string{"error", "failed", "failure", "exception", "traceback", "fatal", "invalid", "unauthorized", "forbidden", "unknown "}
	absencePhrases = []string{"not found", "not_found", "notfound", "denied", "does not exist", "doesn't exist", "no such ", "not allowed", "unable to ", "could not ", "couldn't ", "cannot "}
	nothingStart   = regexp.MustCompile(`^(?i)(there (is|are) )?no(thing)? `)
)

// isErrorText reports whether a text is an error message: it begins like one, or it is
// short and mentions something missing or refused.
func isErrorText(text []byte) bool {
	if is := beginsAsError(text); is || len(text) > maxErrorBytes {
		return is
	}
	head := vocabulary.WithoutWarnings(strings.ToLower(string(text)))
	return slices.ContainsFunc(absencePhrases, func(phrase string) bool { return strings.Contains(head, phrase) })
}

// beginsAsError reports whether the first word of a text marks an error message. In the title of a work,
// the next word has a capital: Unknown Pleasures, Fatal Attraction (film f-12).
func beginsAsError(text []byte) bool {
	head := bytes.TrimLeft(text[:min(len(text), maxErrorBytes)], " \t\r\n")
	lower := strings.ToLower(string(head[:min(len(head), 16)]))
	return slices.ContainsFunc(errorStarts, func(start string) bool { return strings.HasPrefix(lower, start) }) && !isTitle(head)
}

// twoWords matches the first words of a line without a colon.
var twoWords = regexp.MustCompile(`^[a-zA-Z]+ ([A-Z]?[a-z]+)[^:\n]*(?:\n|$)`)

// isTitle reports whether the first line of a text is a title that begins with a word for errors.
func isTitle(text []byte) bool {
	line := twoWords.FindSubmatch(text)
	if line == nil {
		return false
	}
	isCapital := line[1][0] < 'a'
	return (isCapital || vocabulary.ErrorTopics.HasBytes(line[1])) && !vocabulary.FaultyNouns.HasBytes(bytes.ToLower(line[1]))
}

// findsNothing reports whether a short text begins like the answer of a search without results, about a
// noun or with a phrase for that: No boat has the id 12, Nothing found.
func findsNothing(text []byte, noun string) bool {
	start := nothingStart.FindIndex(text)
	if start == nil || len(text) > maxErrorBytes {
		return false
	}
	for i, word := range strings.Fields(strings.ToLower(string(text[start[1]:]))) {
		word = strings.Trim(word, ".,:;!()")
		if i < 3 && noun != "" && english.SameNoun(english.Singular(word), naming.LastWord(noun)) || vocabulary.AbsenceWords.Has(word) {
			return true
		}
	}
	return false
}

// Phrases in messages about missing things, refusals, and text that was left out,
// without the first letter, which may be a capital.
var (
	missingPhrases = [][]byte{[]byte("o such "), []byte("ot found"), []byte("oes not exist"), []byte("oesn't exist"), []byte("annot find"), []byte("an't find"), []byte("ould not find"), []byte("an't open"), []byte("o module named"), []byte("id not match any")}
	refusedPhrases = [][]byte{[]byte("ermission denied"), []byte("ccess denied"), []byte("s not authorized"), []byte("s not allowed")}
	cutPhrases     = [][]byte{[]byte("runcated"), []byte(" omitted"), []byte(" elided")}
)

// phraseIn returns the offset of the first of some phrases in a line, or -1.
func phraseIn(line []byte, phrases [][]byte) int {
	for _, phrase := range phrases {
		if at := bytes.Index(line, phrase); at > 0 {
			return at - 1
		}
	}
	return -1
}

// blankReports puts blanks in place of things that a text reports as missing or refused, of marks for text
// that was left out, and of the words cut by them.
func blankReports(text []byte) {
	isCut, last := false, []byte(nil)
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if isCut {
			blank(bytes.Fields(line)[0])
		}
		isCut = phraseIn(line, cutPhrases) >= 0 && (bytes.Contains(line, []byte("..")) || bytes.Contains(line, []byte("…")) || line[0] == '[')
		if at := phraseIn(line, refusedPhrases); at >= 0 {
			blank(line[at:])
		}
		switch {
		case isCut:
			blank(line)
			blank(last[bytes.LastIndexAny(bytes.TrimRight(last, " \t\r\n"), " \t\n")+1:])
		case phraseIn(line, missingPhrases) >= 0:
			blank(line)
		}
		last = line
	}
}

// blank overwrites a text with blanks, except its line breaks.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}
