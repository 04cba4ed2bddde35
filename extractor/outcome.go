package extractor

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/interrupt"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
)

// keepDone keeps those of refs on which the call succeeded according to its result, and reports
// whether there is anything left to do. Without refs it reports whether the call succeeded.
func (e *extraction) keepDone(out *Extraction, result any, refs *[]memory.Ref) bool {
	o := e.outcome(*refs)
	o.read(result)
	kept := (*refs)[:0:0]
	for i, ref := range *refs {
		if o.succeeded(i, out.Failed) {
			kept = append(kept, ref)
		}
	}
	all := len(*refs)
	*refs = kept
	return len(kept) > 0 || all == 0 && !out.Failed && !o.isIdle()
}

func (e *extraction) outcome(refs []memory.Ref) outcome {
	return outcome{
		keys: e.keys, signal: &e.signal, limits: e.x.limits.document(), refs: refs, verdicts: make([]verdict, len(refs)),
		deletes: e.call.Tool.Effect == naming.EffectDeleted, requests: e.call.Tool.SendsRequests(),
	}
}

// isIdle reports whether the call did nothing.
func (o *outcome) isIdle() bool { return o.undone || o.none && !o.some }

// succeeded reports whether the call succeeded on a ref. Of several it may have succeeded on
// some, although the result reports an error.
func (o *outcome) succeeded(ref int, callFailed bool) bool {
	v, several := o.verdicts[ref], len(o.refs) > 1
	switch {
	case v == failed:
		return false
	case v == done && several:
		return true
	}
	return !callFailed && !o.isIdle() && !(several && o.partly)
}

// verdict is what a result says of the outcome for one entity.
type verdict uint8

const (
	unknown verdict = iota
	done
	failed
)

// outcome is a document.Visitor that reads from a result whether a call did what its name says.
type outcome struct {
	keys     *naming.Cache
	signal   *interrupt.Signal
	limits   document.Limits
	requests bool // it is the answer to a request over HTTP
	deletes  bool
	// programs are what the messages of a shell's commands begin with; nil for other tools.
	programs []string

	refs     []memory.Ref
	verdicts []verdict
	undone   bool // the call did nothing
	none     bool // it counts nothing that it did
	some     bool // it counts something that it did
	partly   bool // it did not do all

	key     *naming.Key
	stack   []outcomeFrame
	seen    []int // refs in open objects
	nesting int
}

// outcomeFrame is an open object or array.
type outcomeFrame struct {
	key     *naming.Key
	array   bool
	items   int
	verdict verdict // on what the keys around are about
	own     verdict // of the object itself
	denied  bool    // it says that what it is about was not done
	seen    int     // the length of outcome.seen before
}

// maxOutcomeText is how much of a text is searched for what it says of an outcome.
const maxOutcomeText = 400

func (o *outcome) read(result any) {
	text, isText := []byte(nil), true
	switch result := result.(type) {
	case string:
		text = []byte(result[:min(len(result), maxOutcomeText*16)])
	case []byte:
		text = result[:min(len(result), maxOutcomeText*16)]
	default:
		isText = false
	}
	o.text(text)
	if !isText || o.programs == nil || isBracketed(text) { // what commands print is no document
		document.Read(result, o, o.limits)
	}
}

// isBracketed reports whether a text begins as JSON does.
func isBracketed(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 1 && (text[0] == '{' || text[0] == '[')
}

func (o *outcome) Key(name []byte) document.Decision {
	if o.signal.After(interrupt.Event) {
		return document.Stop
	}
	o.key = o.keys.Key(name)
	if strings.HasPrefix(o.key.Snake, "would_") {
		o.undone = true
	}
	return document.Take
}

func (o *outcome) Item() document.Decision {
	if o.signal.After(interrupt.Event) {
		return document.Stop
	}
	top := &o.stack[len(o.stack)-1]
	top.items++
	if o.key = nil; top.verdict == failed && len(o.stack) > 1 {
		o.stack[len(o.stack)-2].own = failed
	}
	return document.Take
}

func (o *outcome) Object() { o.push(false) }
func (o *outcome) Array()  { o.push(true) }

func (o *outcome) push(array bool) {
	fr := outcomeFrame{key: o.key, array: array, seen: len(o.seen)}
	if n := len(o.stack); n > 0 {
		fr.verdict = o.stack[n-1].verdict
	}
	if v := verdictOfKey(o.key); v != unknown {
		fr.verdict = v
	}
	if !array && fr.verdict == failed && len(o.stack) > 0 && !o.stack[len(o.stack)-1].array {
		o.stack[len(o.stack)-1].own = failed
	}
	o.stack = append(o.stack, fr)
	o.key = nil
}

func (o *outcome) End() {
	fr := o.stack[len(o.stack)-1]
	o.stack = o.stack[:len(o.stack)-1]
	o.key = nil
	if fr.array {
		o.none = o.none || fr.items == 0 && verdictOfKey(fr.key) == done // {"deleted": []}
		return
	}
	if fr.denied && len(o.seen) == fr.seen {
		if slices.ContainsFunc(o.stack, func(around outcomeFrame) bool { return around.array }) {
			o.partly = true
		} else {
			o.undone = true
		}
	}
	if fr.own != unknown {
		for _, i := range o.seen[fr.seen:] {
			o.judge(i, fr.own)
		}
	}
	o.seen = o.seen[:fr.seen]
}

// judge keeps what is said of a ref. A failure counts more.
func (o *outcome) judge(ref int, v verdict) { o.verdicts[ref] = max(o.verdicts[ref], v) }

// verdictOfKey returns what a key says of what is below it: {"deleted": ["a"], "failed": ["b"]}.
func verdictOfKey(k *naming.Key) verdict {
	if k == nil {
		return unknown
	}
	v := unknown
	if vocabulary.FailedWords.Has(k.Snake) {
		return failed
	}
	for word := range strings.SplitSeq(k.Snake, "_") {
		switch {
		case vocabulary.FailedWords.Has(word):
			return failed
		case vocabulary.DoneWords.Has(word):
			v = done
		}
	}
	return v
}

func (o *outcome) Scalar(kind document.Kind, text []byte) {
	text = bytes.TrimSpace(text)
	if kind == document.Null || len(text) == 0 || len(o.stack) == 0 {
		return
	}
	if kind == document.String && isBracketed(text) && o.nesting < 2 {
		depth := len(o.stack)
		o.nesting++
		document.Read(string(text), o, o.limits)
		o.nesting--
		o.stack = o.stack[:depth] // what was cut off has no end
		return
	}
	k, fr := o.key, &o.stack[len(o.stack)-1]
	around := fr.verdict
	if v := verdictOfKey(k); v != unknown && kind != document.Bool {
		around = v
	}
	for i := range o.refs {
		if o.refs[i].ID == string(text) {
			if around != unknown {
				o.judge(i, around)
			} else {
				o.seen = append(o.seen, i)
			}
		}
	}
	if k == nil {
		return
	}
	switch kind {
	case document.Bool:
		o.flag(fr, k, string(text) == "true")
	case document.Number:
		switch verdictOfKey(k) {
		case done:
			o.none, o.some = o.none || string(text) == "0", o.some || string(text) != "0"
		case failed:
			o.partly = o.partly || string(text) != "0"
		}
	case document.String:
		o.word(fr, k, text)
	}
}

// flag reads a value that is true or false.
func (o *outcome) flag(fr *outcomeFrame, k *naming.Key, is bool) {
	switch v := verdictOfKey(k); {
	case is && (vocabulary.TrialKeys.Has(k.Snake) || vocabulary.AskingKeys.Has(k.Snake)):
		o.undone = true
	case v == failed && is:
		fr.own = failed
	case is && v == done:
		o.some = true
		if fr.own == unknown {
			fr.own = done
		}
	case !is && o.denies(k):
		fr.own, fr.denied = failed, true
	}
}

// denies reports whether a false under a key says that the call did not do what it is for.
func (o *outcome) denies(k *naming.Key) bool {
	switch k.Snake {
	case "ok", "success", "successful", "succeeded", "erfolg", "exito", "éxito", "succès", "sucesso", "successo", "sukces":
		return true
	case "deleted", "removed", "trashed":
		return o.deletes
	}
	return false
}

// word reads a string: a state, or a message.
func (o *outcome) word(fr *outcomeFrame, k *naming.Key, text []byte) {
	if k.Traits.Has(naming.TraitState) && len(text) <= maxOutcomeText/16 {
		state := naming.AppendStateWord(nil, text)
		switch {
		case vocabulary.UndoneStates.HasBytes(state), o.deletes && isUndone(state):
			if fr.own = failed; len(o.stack) == 1 || fr.key != nil && fr.key.Noun == "" { // of the call, not of a thing
				o.undone = true
			}
		case vocabulary.GoneStates.HasBytes(state) && fr.own == unknown:
			fr.own = done
		}
		return
	}
	inContent := k.Snake == "text" && len(o.stack) > 1 && o.stack[len(o.stack)-2].key != nil && o.stack[len(o.stack)-2].key.Snake == "content"
	switch {
	case verdictOfKey(k) == failed && !shape.IsDigits(text):
		fr.own = failed
	case inContent, vocabulary.MessageKeys.Has(k.Snake) && len(o.stack) <= 3:
		o.text(text)
	}
}

// isUndone reports whether a state is of something that has not happened yet: scheduled_for_deletion.
func isUndone(state []byte) bool {
	for word := range bytes.SplitSeq(state, []byte("_")) {
		if vocabulary.UndoneWords.HasBytes(word) {
			return true
		}
	}
	return false
}

// text reads running text, sentence by sentence.
func (o *outcome) text(text []byte) {
	if isBracketed(text) {
		return
	}
	if o.programs != nil && len(text) > maxOutcomeText { // other commands print as well
		o.undone = o.undone || slices.ContainsFunc(o.programs, func(p string) bool { return bytes.Contains(text, []byte(p)) })
		return
	}
	if head := text[:min(len(text), maxOutcomeText)]; saysUndone(head) || o.isErrorStatus(head) {
		o.undone = true
	}
	if len(o.refs) < 2 {
		return
	}
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		for part := range bytes.SplitSeq(line, []byte(". ")) {
			v := done
			if saysUndone(part) {
				v = failed
			}
			for i := range o.refs {
				if containsWord(part, o.refs[i].ID) {
					o.judge(i, v)
				}
			}
		}
	}
}

// isErrorStatus reports whether a text begins as the answer with an error over HTTP, HTTP/2 403, or
// is the answer to a request and the status alone.
func (o *outcome) isErrorStatus(text []byte) bool {
	status := bytes.TrimSpace(text)
	if version, rest, _ := bytes.Cut(status, []byte(" ")); bytes.HasPrefix(version, []byte("HTTP/")) {
		status = rest[:min(len(rest), len("403"))]
	} else if !o.requests {
		return false
	}
	return len(status) == 3 && (status[0] == '4' || status[0] == '5') && shape.IsDigits(status)
}

// containsWord reports whether a text contains an id that is not a part of a longer word.
func containsWord(text []byte, id string) bool {
	for id != "" {
		i := bytes.Index(text, []byte(id))
		if i < 0 {
			return false
		}
		end := i + len(id)
		if (i == 0 || !isWordByte(text[i-1])) && (end == len(text) || !isWordByte(text[end])) {
			return true
		}
		text = text[end:]
	}
	return false
}

func isWordByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

// saysUndone reports whether a text says that nothing was done, or asks back.
func saysUndone(text []byte) bool {
	lower := strings.ToLower(string(text))
	if strings.HasSuffix(strings.TrimSpace(lower), "?") {
		return true
	}
	for _, phrase := range vocabulary.UndonePhrases {
		if strings.Contains(lower, phrase) {
			return true
		}
	}
	zero, before, last := -1, false, "" // the position of a 0; whether the word before is of what was done
	failure := false
	for i, word := range strings.FieldsFunc(lower, func(r rune) bool { return strings.ContainsRune(" \n,.:;()", r) }) {
		isDone, isZero := vocabulary.DoneWords.Has(word), word == "0" || word == "no" || word == "none" || isWithout(word)
		switch {
		case isZero && failure: // errors: 0
			failure = false
		case failure:
			return true
		case word == "0" && before, isDone && zero >= 0 && i-zero <= 3:
			return true
		case word == "0":
			zero = i
		}
		failure = vocabulary.FailedWords.Has(word) && last != "0" && last != "no" && !isWithout(last)
		before, last = isDone, word
	}
	return failure
}

func isWithout(word string) bool {
	switch word {
	case "without", "ohne", "sans", "senza", "sem", "sin", "zonder", "bez":
		return true
	}
	return false
}
