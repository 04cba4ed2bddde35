package evaluation

import (
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

const (
	// namedPerResult is the number of records of a result that the user names, spread over it.
	namedPerResult = 8
	// namedLater is the number of results after which the user names them again.
	namedLater = 3
	// maxNameRunes is the length of the longest label that counts as a name.
	maxNameRunes = 120
	// minNameRunes is how much of a name that was cut has to stand in a label.
	minNameRunes = 60
)

// asker is implemented by a Memory that can say what its block would be.
type asker interface {
	// asked returns the block after one more message of the user, which the memory does not keep.
	asked(ctx context.Context, message string) string
}

// sibling is a record of a result among others that differ in label and id.
type sibling struct {
	label string
	ids   []string // its fields that may be its id, first those that are not the label
}

var (
	// titleKey matches the keys of what people call a record, nameKey those that do with an id of
	// the same stem beside them, as in GroupId and GroupName, and subjectKey those of records
	// that have neither.
	titleKey   = regexp.MustCompile(`(?i)^(display|full)?[_-]?(name|title)$`)
	nameKey    = regexp.MustCompile(`(?i)(name|title)$`)
	subjectKey = regexp.MustCompile(`(?i)^(label|subject|summary)$`)
	// recordKey matches the keys of identifiers, such as id, page_id and pageId.
	recordKey = regexp.MustCompile(`^((?i:_?id_?|.*[_-]id|uuid|guid|key|number|sku|code|slug|path|arn|ur[il])|.*[a-z](ID|Id|Arn))$`)
	// changeWords of a tool's name say that it may take a record or its label away.
	changeWords = setOf("delete", "remove", "drop", "trash", "terminate", "destroy", "purge", "cancel", "merge", "rename", "update", "edit", "move")
)

// naming holds the records of an episode's last results, which the user names.
type naming [][]sibling

// after returns the records that the user names after a call: those of its result, and those of an
// earlier one that no call since may have changed.
func (n *naming) after(call *Step) []sibling {
	if wordsOf(call.Tool).meets(changeWords) {
		args := make(wordSet)
		for arg := range call.arguments().scalars() {
			args[arg.text] = struct{}{}
		}
		for i, records := range *n {
			(*n)[i] = slices.DeleteFunc(records, func(s sibling) bool { return setOf(s.ids...).meets(args) })
		}
	}
	named := siblingsIn(call.data())
	*n = append(*n, named)
	if len(*n) <= namedLater {
		return named
	}
	earlier := (*n)[0]
	*n = (*n)[1:]
	return append(slices.Clip(named), earlier...)
}

// siblingsIn returns up to namedPerResult records, spread over a result, that are in a list with
// others, and whose labels nothing else in the result has.
func siblingsIn(result *value) []sibling {
	var all []sibling
	ids := make(map[string]string) // by folded label; "" for a label of several records
	var walk func(v *value)
	walk = func(v *value) {
		for _, f := range v.fields {
			walk(f.value)
		}
		for _, s := range siblingsOf(v.items) {
			label := foldLabel(s.label)
			if id, again := ids[label]; !again {
				ids[label] = s.ids[0]
				all = append(all, s)
			} else if id != s.ids[0] {
				ids[label] = ""
			}
		}
		for _, item := range v.items {
			walk(item)
		}
	}
	walk(result)
	all = slices.DeleteFunc(all, func(s sibling) bool { return ids[foldLabel(s.label)] == "" })
	spread := all[:min(len(all), namedPerResult)]
	for i := range spread { // i is at most the index it is filled from
		spread[i] = all[i*(len(all)-1)/max(len(spread)-1, 1)]
	}
	return spread
}

// siblingsOf returns the records of a list with a label and an id. Values that several of them
// have under a key are not ids of any.
func siblingsOf(items []*value) (found []sibling) {
	type field struct{ key, text string }
	counts := make(map[field]int)
	for _, item := range items {
		for _, f := range item.fields {
			counts[field{f.key, f.value.text}]++
		}
	}
	for _, item := range items {
		s := sibling{label: labelOf(item)}
		for _, f := range item.fields {
			if v := f.value; s.label != "" && v.text != "" && (v.kind == document.String || v.kind == document.Number) &&
				counts[field{f.key, v.text}] == 1 && recordKey.MatchString(f.key) {
				s.ids = append(s.ids, v.text)
			}
		}
		slices.SortStableFunc(s.ids, func(a, b string) int { return count(a == s.label) - count(b == s.label) })
		if len(s.ids) > 0 && s.ids[0] != s.label {
			found = append(found, s)
		}
	}
	if len(found) < 2 {
		return nil
	}
	return found
}

// labelOf returns what people call a record, or "".
func labelOf(record *value) string {
	for _, isLabel := range [...]func(key string) bool{titleKey.MatchString, record.isNameKey, subjectKey.MatchString} {
		for _, f := range record.fields {
			if v := f.value; v.kind == document.String && wordShape.MatchString(v.text) && utf8.RuneCountInString(v.text) <= maxNameRunes && isLabel(f.key) {
				return v.text
			}
		}
	}
	return ""
}

// isNameKey reports whether a key of a record names what one of its ids identifies.
func (v *value) isNameKey(key string) bool {
	return nameKey.MatchString(key) && slices.ContainsFunc(v.fields, func(f field) bool {
		return recordKey.MatchString(f.key) && maps.Equal(stemWords(f.key), stemWords(key))
	})
}

// foldLabel returns a label with single spaces, in lower case.
func foldLabel(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }

// unescaped returns a text of a block, where it is escaped as in JSON.
func unescaped(text string) (s string) {
	if json.Unmarshal([]byte(`"`+text+`"`), &s) != nil {
		return text
	}
	return s
}

// unnamed returns why no line of the block has an id of a record and its label, or the beginning of
// the label if it was cut. It returns "" if a line has.
func (v *blockView) unnamed(s *sibling) string {
	label, why := foldLabel(s.label), "not shown"
	for _, line := range v.shown {
		if !slices.Contains(s.ids, unescaped(line.id)) {
			continue
		}
		text := foldLabel(unescaped(line.label))
		start, cut := strings.CutSuffix(text, "…")
		if unescaped(line.id) == s.label || strings.Contains(text, label) || cut && utf8.RuneCountInString(start) >= minNameRunes && strings.HasPrefix(label, start) {
			return ""
		}
		why = "shown without its label"
	}
	return why
}

// name measures whether the memory shows the records that the user names after a step.
func (c *contestant) name(ctx context.Context, ep *Episode, index int, records []sibling) {
	memory, ok := c.memory.(asker)
	if !ok {
		return
	}
	for i := range records {
		s := &records[i]
		message := "Open " + s.label + "."
		block := memory.asked(ctx, message)
		view := viewBlock(block, handlesIn(c.memory, block))
		why := view.unnamed(s)
		c.tally.nameable++
		c.tally.named += count(why == "")
		if why != "" {
			c.misses.add(MissNamed, why, Miss{Episode: ep.ID.Text, Step: index, Tool: ep.Steps[index].Tool, Value: s.ids[0],
				Reason: "the user says " + strconv.Quote(message), Source: sourceOf(ep, s.ids[0], index+1)})
		}
	}
}
