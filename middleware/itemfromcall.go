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
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

// ItemFunc returns an item for an item store, made from a tool call and what was found in
// its result, or false for none. It must be safe for concurrent use.
type ItemFunc func(call ToolCall, found extractor.Extraction) (items.ItemInput, bool)

const (
	// changeImportance is the importance of a call that created, updated or deleted
	// something: what an agent did matters longer than what it read.
	changeImportance = 0.6
	// maxArgumentRunes and maxResultRunes limit the parts of an observation.
	maxArgumentRunes = 200
	maxResultRunes   = 400
	// maxReadBytes is how much of a text is read, without spaces. It is far more than
	// is shown, so that a word cut there is never shown.
	maxReadBytes = 8 << 10
	// maxObservedEntities is the largest number of entities in an observation.
	maxObservedEntities = 5
)

// ItemFromCall is an ItemFunc for any tool. The item's text has the tool's name, the
// arguments and the outcome: the error, or the result if it is short, or up to five of the
// entities found, or the beginning of the result. JSON is written without braces, brackets
// and quotes.
//
//	get_order(order_id: #W1): order_id: #W1, status: late, carrier: QX-7
//	list_orders: order "late" (#W1), order "delivered" (#W2) and 7 more
//
// The item's type is items.TypeError if the call failed, otherwise items.TypeObservation.
// Its tags are the tool's name and the extractor.Action. A call that changed something has
// importance 0.6. The text repeats arguments and short results, with "redacted" in place of
// what is a secret by its label or form.
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

// argumentText returns a tool's arguments in parentheses.
func argumentText(arguments any) string {
	if text := resultText(withoutBlocks(arguments)); text != "" {
		return "(" + cut(text, maxArgumentRunes) + ")"
	}
	return ""
}

// outcome returns the text for a call's error or result.
func outcome(call ToolCall, found extractor.Extraction) string {
	if call.Err != nil {
		return "error: " + cut(secret.Redact(oneLine(strings.FieldsSeq(call.Err.Error()))), maxResultRunes)
	}
	text := resultText(withoutBlocks(call.Result))
	if utf8.RuneCountInString(text) > maxResultRunes && len(found.Entities) > 0 {
		return entityList(found.Entities)
	}
	return cut(text, maxResultRunes)
}

// resultText returns a value as one line of text. A value that is not text is written as
// JSON, and JSON without the punctuation that a block would have to escape.
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
	text = secret.Redact(text)
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		text = oneLine(strings.FieldsSeq(plainJSON.Replace(text)))
	}
	return text
}

// oneLine joins words by single spaces, up to maxReadBytes.
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

// cut returns a text, or its first words and a mark if it is too long.
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
