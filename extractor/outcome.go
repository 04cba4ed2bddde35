package extractor

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/interrupt"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/reading"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// verdict is the outcome for one entity, according to a result.
type verdict uint8

const (
	unknown verdict = iota
	done
	failed
)

// outcome is a document.Visitor that finds out from a result whether a call did what its name says.
//
// The flags, counts and states of an object tell the outcome for the ids in it or, if it has none,
// for the whole call: {"id": "a", "ok": true}.
type outcome struct {
	keys     *naming.Cache
	signal   *interrupt.Signal
	failed   bool // the result reports an error
	deletes  bool
	ids      []string // the ids in the arguments
	verdicts []verdict
	undone   bool // the call did nothing
	none     bool // a count of things done is zero
	some     bool // a count of things done is not zero
	partly   bool // a part of the call failed

	key     *naming.Key
	stack   []outcomeFrame
	seen    []int // ids in open objects
	nesting int
}

// outcomeFrame is an open object or array.
type outcomeFrame struct {
	key     *naming.Key
	array   bool
	items   int
	verdict verdict // by the keys around
	own     verdict // of the object itself
	part    verdict // of a thing in it, if the object itself says nothing: {"success": true, "order": {"status": "failed"}}
	zero    bool    // it counts nothing, but not what: {"count": 0}
	seen    int     // the length of outcome.seen before
}

// maxOutcomeText is the number of bytes of a text that are searched for an outcome.
const maxOutcomeText = 400

// outcomeOf reads from a result the outcome of a call for the ids in its arguments.
func (e *extraction) outcomeOf(result any, callFailed bool) *outcome {
	ids := e.args.ids()
	o := &outcome{
		keys: e.keys, signal: &e.signal, failed: callFailed, ids: ids, verdicts: make([]verdict, len(ids)),
		deletes: e.call.Tool.Effect == naming.EffectDeleted,
	}
	o.text(reading.HeadOf(result, maxOutcomeText*16))
	document.Read(result, o, e.x.limits.document())
	return o
}

// keepDone returns the refs for which the call succeeded, and reports whether there are any.
// Without refs it reports whether the call succeeded.
func (o *outcome) keepDone(refs []memory.Ref) (kept []memory.Ref, ok bool) {
	for _, ref := range refs {
		if o.succeeded(ref.ID, len(refs) > 1) {
			kept = append(kept, ref)
		}
	}
	return kept, len(kept) > 0 || len(refs) == 0 && !o.failed && !o.isIdle()
}

// succeeded reports whether the call succeeded for an id. With several ids, it may have
// succeeded for some although the result reports an error.
func (o *outcome) succeeded(id string, several bool) bool {
	v := unknown
	if i := slices.Index(o.ids, id); i >= 0 {
		v = o.verdicts[i]
	}
	if v == failed || v == done && several {
		return v == done
	}
	return !o.failed && !o.isIdle() && !(several && o.partly)
}

// isIdle reports whether the call did nothing.
func (o *outcome) isIdle() bool { return o.undone || o.none && !o.some }

// beginsAsJSON reports whether a text begins as an object or a list of JSON does.
func beginsAsJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 1 && (text[0] == '{' || text[0] == '[')
}

func (o *outcome) Key(name []byte) document.Decision {
	o.key = o.keys.Key(name)
	o.undone = o.undone || strings.HasPrefix(o.key.Snake, "would_")
	return o.next()
}

func (o *outcome) Item() document.Decision {
	o.key = nil
	o.stack[len(o.stack)-1].items++
	return o.next()
}

func (o *outcome) next() document.Decision {
	if o.signal.After(interrupt.Event) {
		return document.Stop
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
	if o.key != nil {
		fr.verdict = cmp.Or(verdictOf(o.key, o.deletes), fr.verdict)
		o.undone = o.undone || asks(o.key)
		o.name(o.key.Name, unknown)
	}
	o.stack = append(o.stack, fr)
	o.key = nil
}

func (o *outcome) End() {
	fr := o.stack[len(o.stack)-1]
	o.stack = o.stack[:len(o.stack)-1]
	o.key = nil
	seen, own := o.seen[fr.seen:], cmp.Or(fr.own, fr.part)
	o.seen = o.seen[:fr.seen]
	switch n := len(o.stack); {
	case fr.array:
		if fr.key != nil && verdictOf(fr.key, o.deletes) == done { // {"deleted": []}
			o.none, o.partly = o.none || fr.items == 0, o.partly || fr.items < len(o.ids)
		}
	case len(seen) > 0 && n > 0 && !o.stack[n-1].array && fr.key.Noun != "": // the object around it decides
		o.stack[n-1].part = max(o.stack[n-1].part, own)
		o.seen = append(o.seen, seen...)
	case len(seen) > 0:
		for _, i := range seen {
			o.judge(i, own)
		}
	case slices.ContainsFunc(o.stack, func(around outcomeFrame) bool { return around.array }):
		o.partly = o.partly || own == failed
	case n == 0 || fr.key == nil || fr.key.Noun == "" || verdictOf(fr.key, o.deletes) == done || isOperation(fr.key): // not a thing
		o.undone, o.none = o.undone || own == failed, o.none || fr.zero && own != done
	}
}

// judge records a verdict on an id. A failure takes precedence.
func (o *outcome) judge(id int, v verdict) { o.verdicts[id] = max(o.verdicts[id], v) }

// name records an id of the open object, whose verdict may follow.
func (o *outcome) name(id string, v verdict) {
	for i := range o.ids {
		if o.ids[i] == id {
			o.judge(i, v)
			o.seen = append(o.seen, i)
		}
	}
}

// verdictOf returns the verdict that a key gives to the values below it: {"deleted": ["a"], "failed": ["b"]}.
func verdictOf(k *naming.Key, deletes bool) verdict {
	v := unknown
	if vocabulary.FailedWords.Has(k.Snake) { // not_found
		return failed
	}
	for word := range strings.SplitSeq(k.Snake, "_") {
		switch {
		case vocabulary.FailedWords.Has(word):
			return failed
		case vocabulary.DoneWords.Has(word), deletes && vocabulary.DeletionWords.Has(word):
			v = done
		}
	}
	return v
}

// isOperation reports whether a key is the name of an operation: issueUpdate.
func isOperation(k *naming.Key) bool {
	words := strings.Split(k.Snake, "_")
	return len(words) > 1 && slices.ContainsFunc(words, naming.IsVerb)
}

// asks reports whether the value of a key tells what would happen, or asks for consent.
func asks(k *naming.Key) bool {
	return vocabulary.TrialKeys.Has(k.Snake) || vocabulary.AskingKeys.Has(k.Snake)
}

func (o *outcome) Scalar(kind document.Kind, text []byte) {
	text = bytes.TrimSpace(text)
	depth := len(o.stack)
	switch {
	case depth == 0:
		o.undone = o.undone || o.deletes && (isZero(text) || string(text) == "false")
		for part := range document.Parts(text) {
			part.Read(o, document.Limits{Depth: maxOutcomeDepth})
			o.stack = o.stack[:0] // a truncated document does not close its objects
		}
		return
	case kind == document.String && beginsAsJSON(text) && o.nesting < 2:
		o.nesting++
		document.ReadText(text, o, document.Limits{Depth: maxOutcomeDepth, Bytes: len(text), Scalar: len(text)})
		o.nesting--
		o.stack = o.stack[:depth]
		return
	}
	k, fr := o.key, &o.stack[depth-1]
	around, v := fr.verdict, unknown
	if k != nil {
		v = verdictOf(k, o.deletes)
		around = cmp.Or(v, around)
		if slices.Contains(o.ids, k.Name) { // {"b1": "deleted", "b2": "not found"}
			said := done
			if string(text) == "false" || shape.IsErrorStatus(text) || saysUndone(text[:min(len(text), maxOutcomeText)]) {
				said = failed
			}
			o.name(k.Name, said)
		}
	}
	if kind != document.Bool && kind != document.Null && len(text) <= shape.MaxID {
		o.name(string(text), around)
	}
	if k != nil && (kind != document.String || !shape.IsNoValue(text)) {
		o.field(fr, kind, text, v)
	}
}

// field reads a value whose key gives the verdict v.
func (o *outcome) field(fr *outcomeFrame, kind document.Kind, text []byte, v verdict) {
	k := o.key
	is := kind != document.Null && string(text) != "false" && string(text) != "0"
	switch succeeds := vocabulary.SuccessKeys.Has(k.Snake); {
	case asks(k): // a text that says yes, or what the next call has to send; others are of a thing: {"preview": "Cannot log in"}
		toSend := slices.Contains([]string{"token", "url", "id"}, naming.LastWord(k.Snake))
		o.undone = o.undone || is && (kind != document.String || toSend || string(text) == "true" || string(text) == "yes")
	case kind == document.String:
		o.word(fr, k, text)
	case kind == document.Bool && (is && v == failed || !is && (succeeds || o.deletes && (v == done || k.Snake == "done"))):
		fr.own = failed
	case kind == document.Bool && is && (succeeds || v == done):
		fr.own = max(fr.own, done)
		o.some = o.some || v == done
	case kind == document.Number && is && vocabulary.StatusKeys.Has(k.Snake):
		fr.own = max(fr.own, done)
		if shape.IsErrorStatus(text) {
			fr.own = failed
		}
	case v == failed:
		o.partly = o.partly || is
	case v == done:
		o.some = o.some || is
		o.none = o.none || !is && (kind == document.Number || o.deletes && k.Class != naming.ClassNoise) // {"deletedId": null}
	case kind == document.Number && o.deletes && !is:
		fr.zero = fr.zero || vocabulary.CountKeys.Has(k.Snake)
	}
}

// maxOutcomeDepth is the depth to which documents within texts are read.
const maxOutcomeDepth = 16

// word reads a string: a state, or a message.
func (o *outcome) word(fr *outcomeFrame, k *naming.Key, text []byte) {
	inContent := k.Snake == "text" && len(o.stack) > 1 && o.stack[len(o.stack)-2].key != nil && o.stack[len(o.stack)-2].key.Snake == "content"
	short, head := len(text) <= maxOutcomeText/16, text[:min(len(text), maxOutcomeText)]
	switch state := naming.AppendStateWord(nil, head); {
	case short && k.Class == naming.ClassType && (vocabulary.ErrorKeys.HasBytes(state) || vocabulary.FailedWords.HasBytes(state)):
		fr.own = failed
	case short && (k.Traits.Has(naming.TraitState) || vocabulary.ResultKeys.Has(k.Snake) && !bytes.ContainsRune(text, ' ')):
		switch {
		case vocabulary.UndoneStates.HasBytes(state), o.deletes && slices.ContainsFunc(bytes.Split(state, []byte("_")), vocabulary.UndoneWords.HasBytes): // scheduled_for_deletion
			fr.own = failed
		case vocabulary.GoneStates.HasBytes(state):
			fr.own = max(fr.own, done)
		}
	case verdictOf(k, o.deletes) == failed && !shape.IsDigits(text):
		fr.own = failed
	case inContent, vocabulary.MessageKeys.Has(k.Snake) && len(o.stack) <= 3:
		o.text(text)
		if !saysUndone(head) && slices.ContainsFunc(english.Words(strings.ToLower(string(head))), vocabulary.DoneWords.Has) {
			fr.own = max(fr.own, done)
		}
	}
}
