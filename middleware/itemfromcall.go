package middleware

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

// ItemFunc makes an item for an item store of a tool call, and of what was
// found in its result; false makes none. It must be safe for concurrent use.
type ItemFunc func(call ToolCall, found extractor.Extraction) (items.ItemInput, bool)

const (
	// changeImportance is that of a call that created, updated or deleted
	// something: what an agent did matters longer than what it read.
	changeImportance = 0.6
	// maxArgumentRunes and maxResultRunes are how much of a call's arguments and
	// of its result an observation holds.
	maxArgumentRunes = 200
	maxResultRunes   = 400
	// maxReadBytes is how much of a text is looked at for that, but for spaces:
	// far more than is shown, so that where it ends in a word that does not show.
	maxReadBytes = 8 << 10
	// maxObservedEntities is how many entities an observation names.
	maxObservedEntities = 5
)

// ItemFromCall is an ItemFunc for any tool. The item says which tool was called
// with what, and what came back: an error, a short text, else the entities that
// were found in it, five at most, else its beginning. JSON is written without its braces, brackets
// and quotes.
//
//	get_order(order_id: #W1): order_id: #W1, status: late, carrier: QX-7
//	list_orders: order "late" (#W1), order "delivered" (#W2) and 7 more
//
// It is of type items.TypeError where the call failed, else items.TypeObservation,
// and tagged with the tool's name and with what the call did (extractor.Action).
// Calls that changed something are of importance 0.6. It holds what
// arguments and short results say: where tools return secrets, use a function of your own.
func ItemFromCall(call ToolCall, found extractor.Extraction) (items.ItemInput, bool) {
	item := items.ItemInput{
		Type: items.TypeObservation,
		Text: bounded(call.Name) + argumentText(call.Arguments) + ": " + outcome(call, found),
	}
	for _, tag := range []string{call.Name, string(found.Action)} {
		if tag != "" && len(tag) <= memory.MaxTypeBytes && utf8.ValidString(tag) {
			item.Tags = append(item.Tags, tag)
		}
	}
	if call.Err != nil || found.Failed {
		item.Type = items.TypeError
	} else if found.Action != extractor.ActionRead && found.Action != "" {
		item.Importance = new(changeImportance)
	}
	if call.ID != "" {
		item.Metadata = map[string]string{"call_id": bounded(call.ID)}
	}
	return item, true
}

// argumentText is what a tool was called with, in parentheses.
func argumentText(arguments any) string {
	if text := resultText(withoutBlocks(arguments)); text != "" {
		return "(" + cut(text, maxArgumentRunes) + ")"
	}
	return ""
}

// outcome is what came back.
func outcome(call ToolCall, found extractor.Extraction) string {
	if call.Err != nil {
		return "error: " + cut(oneLine(strings.FieldsSeq(call.Err.Error())), maxResultRunes)
	}
	text := resultText(withoutBlocks(call.Result))
	if utf8.RuneCountInString(text) > maxResultRunes && len(found.Entities) > 0 {
		return entityList(found.Entities)
	}
	return cut(text, maxResultRunes)
}

// resultText is a value as text in one line: one that is none as JSON, and JSON
// without the marks that a block would have to escape.
func resultText(value any) string {
	var text string
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		text = oneLine(strings.FieldsSeq(v))
	case []byte:
		text = oneLine(bytes.FieldsSeq(v))
	case json.RawMessage:
		text = oneLine(bytes.FieldsSeq(v))
	default:
		encoded, err := json.Marshal(value)
		if err != nil {
			return fmt.Sprintf("(%T)", value)
		}
		text = oneLine(bytes.FieldsSeq(removeFrom(encoded)))
	}
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		text = oneLine(strings.FieldsSeq(plainJSON.Replace(text)))
	}
	return text
}

// oneLine joins words by single spaces, until there are maxReadBytes.
func oneLine[T string | []byte](words iter.Seq[T]) string {
	var line strings.Builder
	for word := range words {
		if line.Len() > 0 {
			line.WriteByte(' ')
		}
		line.WriteString(string(word[:min(len(word), maxReadBytes)]))
		if line.Len() >= maxReadBytes {
			break
		}
	}
	return line.String()
}

// plainJSON writes {"id":"4","tags":["a","b"]} as id: 4, tags: a, b.
var plainJSON = strings.NewReplacer(
	`\"`, `"`, `","`, `, `, `":"`, `: `, `,"`, `, `, `":`, `: `, `{`, ``, `}`, ``, `[`, ``, `]`, ``, `"`, ``)

// cut is a text, or its first words and a mark.
func cut(text string, runes int) string {
	text, more := plaintext.CutWords(text, runes)
	if more {
		text += plaintext.CutMark
	}
	return text
}

// entityList names the first entities.
func entityList(entities []memory.Entity) string {
	var b strings.Builder
	for i, e := range entities[:min(len(entities), maxObservedEntities)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(e.Type)
		if label := e.Label(); label != memory.Placeholder(e.Type) {
			fmt.Fprintf(&b, " %q", label)
		}
		fmt.Fprintf(&b, " (%s)", e.ID)
	}
	if more := len(entities) - maxObservedEntities; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}
