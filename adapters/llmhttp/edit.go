package llmhttp

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// apply applies edits of the outline and shows the passages to a body. It returns the changed body,
// or nil if there is nothing to change.
func (r *request) apply(body []byte, edits []prompt.Edit, at prompt.Placement) []byte {
	ofBlock := r.edit(body, edits, at)
	s := slices.Clone(ofBlock)
	for _, e := range r.shown {
		if !slices.ContainsFunc(ofBlock, func(other splice) bool { return other.start <= e.start && e.end <= other.end }) {
			s = append(s, e)
		}
	}
	return s.apply(body)
}

// edit returns the changes by edits of the outline. A replaced list of messages has the passages as
// they are shown.
func (r *request) edit(body []byte, edits []prompt.Edit, at prompt.Placement) splices {
	var s splices
	if field, ok := r.api.(systemAPI); ok {
		edits = r.applyToField(&s, body, field, edits, at)
	}
	if slices.ContainsFunc(edits, func(e prompt.Edit) bool { return e.Op == prompt.EditRemove }) {
		r.rebuild(&s, body, edits)
		return s
	}
	r.insert(&s, body, edits)
	for _, e := range edits {
		if e.Op == prompt.EditExtend {
			extendMessage(&s, body, r.messages[e.Index], e.Text)
		}
	}
	return s
}

// applyToField applies the edits that concern the field with the system prompt, and returns the
// others, whose indexes are then those of messages.
func (r *request) applyToField(s *splices, body []byte, field systemAPI, edits []prompt.Edit, at prompt.Placement) (others []prompt.Edit) {
	var texts []string
	clean, front := false, at == prompt.PlaceSystem || at == prompt.PlaceAfterPrefix && !r.api.systemMessages()
	for _, e := range edits {
		e.Index--
		if e.Index < 0 || e.Index == 0 && e.Op == prompt.EditInsert && front {
			clean, texts = true, appendText(texts, e.Text)
		} else {
			others = append(others, e)
		}
	}
	if clean {
		r.editSystem(s, body, field, texts)
	}
	return others
}

// rebuild replaces the list of messages by one without those that are removed.
func (r *request) rebuild(s *splices, body []byte, edits []prompt.Edit) {
	messages := make([][]byte, len(r.messages))
	for i, m := range r.messages {
		messages[i] = r.withShown(body, m)
	}
	messages = prompt.Apply(messages, edits,
		func(text string) []byte { return r.api.newMessage(text, r.developer) },
		func(m []byte, text string) []byte {
			var s splices
			extendMessage(&s, m, span{0, len(m)}, text)
			if changed := s.apply(m); changed != nil {
				return changed
			}
			return m
		})
	s.add(r.list, []byte("["), bytes.Join(messages, []byte(",")), []byte("]"))
}

func appendText(texts []string, text string) []string {
	if text == "" {
		return texts
	}
	return append(texts, text)
}

// editSystem removes blocks from the field with the system prompt, and adds texts.
func (r *request) editSystem(s *splices, body []byte, field systemAPI, texts []string) {
	text := strings.Join(texts, "\n\n")
	switch {
	case r.system != span{} && string(r.system.of(body)) != "null":
		field.editSystem(s, body, r.system, text)
	case text == "":
	case r.system != span{}:
		s.add(r.system, field.newSystem(text))
	default:
		at := bytes.IndexByte(body, '{') + 1 // a request has other fields
		s.insert(at, quote(field.systemField()), []byte(":"), field.newSystem(text), []byte(","))
	}
}

// insert inserts blocks as messages of their own, or as texts in the messages next to them.
func (r *request) insert(s *splices, body []byte, edits []prompt.Edit) {
	var own [][]byte // messages of a list that has none
	hosts := make(map[int]*[2][]string)
	for _, e := range edits {
		if e.Op != prompt.EditInsert {
			continue
		}
		m := r.api.newMessage(e.Text, r.developer)
		host, hosted := r.host(body, e.Index)
		switch {
		case len(r.messages) == 0:
			own = append(own, m)
		case hosted:
			if hosts[host] == nil {
				hosts[host] = new([2][]string)
			}
			side := &hosts[host][0] // before it
			if host < e.Index {
				side = &hosts[host][1]
			}
			*side = append(*side, e.Text)
		case e.Index < len(r.messages):
			s.insert(r.messages[e.Index].start, m, []byte(","))
		default:
			s.insert(r.messages[e.Index-1].end, []byte(","), m)
		}
	}
	for host, texts := range hosts {
		content, _ := lookup(r.messages[host].of(body), "content")
		addParts(s, body, shifted(content, r.messages[host].start), texts[0], texts[1])
	}
	if len(own) == 0 {
		return
	}
	if text, ok := r.api.(textAPI); ok && body[r.list.start] != '[' {
		own = append(own, text.newList(r.withShown(body, r.list)))
	}
	s.add(r.list, []byte("["), bytes.Join(own, []byte(",")), []byte("]"))
}

// host returns the index of a message to which a block is added, and false if it is a message of
// its own.
func (r *request) host(body []byte, index int) (int, bool) {
	if api, ok := r.api.(hostAPI); ok {
		return api.host(body, r.messages, index)
	}
	return 0, false
}

// extendMessage removes the blocks in a system message, and adds text to it.
func extendMessage(s *splices, body []byte, message span, text string) {
	content, ok := lookup(message.of(body), "content")
	if !ok {
		s.insert(message.start+1, quote("content"), []byte(":"), quote(text), []byte(","))
		return
	}
	editText(s, body, shifted(content, message.start), text, textPart)
}

// editText removes the blocks in a value, which is a text, null or a list of parts, and adds a
// text if it is not empty: to the text, or as a part of its own.
func editText(s *splices, body []byte, value span, text string, newPart func(string) []byte) {
	raw := value.of(body)
	switch {
	case raw[0] == '[':
		editParts(s, body, value, text, newPart)
	case raw[0] != '"':
		if text != "" {
			s.add(value, quote(text))
		}
	case hasBlock(raw):
		old, _ := unquote(raw)
		s.add(value, quote(prompt.InSystem(old, text)))
	case text != "":
		added := quote(text)
		if len(raw) > len(`""`) {
			added = quote("\n\n" + text)
		}
		s.insert(value.end-1, added[1:len(added)-1])
	}
}

// hasBlock reports whether a JSON string has a block.
func hasBlock(raw []byte) bool {
	if !bytes.Contains(raw, []byte(prompt.Title)) {
		return false
	}
	text, err := unquote(raw)
	return err == nil && prompt.Remove(text) != text
}

// editParts removes the parts of a list that are blocks, and the blocks in others, and adds a
// part.
func editParts(s *splices, body []byte, list span, text string, newPart func(string) []byte) {
	parts := elements(list.of(body))
	kept := make([][]byte, 0, len(parts)+1)
	changed := false
	for _, part := range parts {
		raw := part.of(list.of(body))
		at, ok := lookup(raw, "text")
		if old, err := unquote(at.of(raw)); ok && err == nil && strings.Contains(old, prompt.Title) {
			if rest := prompt.Remove(old); rest != old {
				changed = true
				if rest == "" {
					continue
				}
				raw = splices{{at, quote(rest)}}.apply(raw)
			}
		}
		kept = append(kept, raw)
	}
	if changed {
		if text != "" {
			kept = append(kept, newPart(text))
		}
		s.add(list, []byte("["), bytes.Join(kept, []byte(",")), []byte("]"))
		return
	}
	if text == "" {
		return
	}
	if len(parts) == 0 {
		s.insert(list.start+1, newPart(text))
		return
	}
	s.insert(list.start+parts[len(parts)-1].end, []byte(","), newPart(text))
}
