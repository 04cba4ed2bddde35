package llmhttp

import (
	"context"
	"hash/maphash"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// call is a call in a message of the model.
type call struct {
	kind, id, name string
	arguments      span // zero if there are none
}

// passage is what a model sees in another form than the client: the arguments of a call, or a
// result. Its values are JSON strings, whose texts count, or other JSON. Only a result that
// consists of parts has several.
type passage struct {
	values   []value
	isResult bool
	isObject bool // the value must be an object
}

// value is a value of a passage.
type value struct {
	span
	part span // of the list, if the value is in one
	next int  // where the next part begins
	bare bool // the text of a part that has nothing else
}

// shown is a passage as the model sees it.
type shown struct {
	texts []string // JSON of the values, "" for those that are unchanged
	stub  string   // JSON string in place of all of them, or ""
}

func (s *shown) size() (n int) {
	for _, text := range s.texts {
		n += len(text)
	}
	return n + len(s.stub)
}

// passagesOf returns the passages of a message.
func passagesOf(api api, message []byte) (all []passage) {
	for _, c := range api.calls(message) {
		if c.arguments != (span{}) {
			all = append(all, passage{values: []value{{span: c.arguments}}})
		}
	}
	return append(all, api.results(message)...)
}

// textValues returns the texts of a content: a text, or those of its parts.
func textValues(message []byte, content span) []value {
	return valuesIn(message, content, func(part map[string]span) []span { return []span{part["text"]} })
}

// valuesIn returns the texts of a content: a text, or those that textsIn returns of its parts.
func valuesIn(message []byte, content span, textsIn func(part map[string]span) []span) (all []value) {
	if isString(message, content) {
		return []value{{span: content}}
	}
	for _, part := range elementsIn(message, content) {
		for i := len(all) - 1; i >= 0 && all[i].next == 0; i-- {
			all[i].next = part.start
		}
		fields := within(message, part)
		for _, at := range textsIn(fields) {
			if isString(message, at) && at.end-at.start > len(`""`) {
				all = append(all, value{span: at, part: part, bare: at == fields["text"]})
			}
		}
	}
	return all
}

// textOf returns the text of a value.
func textOf(raw []byte) string { return plain(jsontext.Value(raw)) }

// show returns a passage as the model sees it.
func (p *passage) show(ctx context.Context, rec *middleware.Recorder, message []byte) (s shown) {
	texts := make([]string, len(p.values))
	for i, v := range p.values {
		texts[i] = textOf(v.of(message))
	}
	if p.isResult {
		if stub, ok := rec.Stub(ctx, middleware.ResultOf(nil, texts...)); ok {
			s.stub = string(quote(stub))
			return s
		}
	}
	handles := rec.Handles()
	s.texts = make([]string, len(p.values))
	for i, v := range p.values {
		switch encoded := handles.Encode(texts[i]); {
		case encoded == texts[i]:
		case v.of(message)[0] == '"':
			s.texts[i] = string(quote(encoded))
		default:
			s.texts[i] = encoded
		}
	}
	return s
}

// addTo adds the changes that show a passage, whose message begins at an offset.
func (p *passage) addTo(s *splices, as shown, offset int) {
	if as.stub == "" {
		for i, v := range p.values {
			if as.texts[i] != "" {
				s.add(shifted(v.span, offset), []byte(as.texts[i]))
			}
		}
		return
	}
	last := p.values[len(p.values)-1]
	removed := -1
	for _, v := range p.values {
		if v.part != last.part && v.part.start != removed {
			removed = v.part.start
			s.add(span{v.part.start + offset, v.next + offset})
		}
	}
	switch stub := []byte(as.stub); {
	case last.part != (span{}) && !last.bare:
		s.add(shifted(last.part, offset), partOf(stub))
	case p.isObject:
		s.add(shifted(last.span, offset), []byte(`{"output":`), stub, []byte("}"))
	default:
		s.add(shifted(last.span, offset), stub)
	}
}

// digest identifies the content of a passage.
func (p *passage) digest(seed maphash.Seed, message []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	maphash.WriteComparable(&h, p.isResult)
	for _, v := range p.values {
		_, _ = h.Write(v.of(message)) // never fails
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// rewrite shows the passages of the messages that are not known. The passages that were shown
// before, maybe before an id in them got a handle, are shown as they were, because providers
// cache the beginnings of prompts.
func (r *request) rewrite(ctx context.Context, earlier *recency, body []byte) {
	messages := r.messages[r.rewritten:]
	if len(r.messages) == 0 && body[r.list.start] == '{' {
		messages = []span{r.list}
	}
	for _, m := range messages {
		raw := m.of(body)
		for _, p := range passagesOf(r.api, raw) {
			if len(p.values) == 0 {
				continue
			}
			key := passageKey{r.recorder, p.digest(r.seed, raw)}
			as, ok := earlier.get(key)
			if !ok {
				as = p.show(ctx, r.recorder, raw)
				earlier.put(key, as)
			}
			p.addTo(&r.shown, as, m.start)
		}
	}
	r.rewritten = len(r.messages)
}

// withShown returns a part of a body as the model sees it.
func (r *request) withShown(body []byte, at span) []byte {
	var s splices
	for _, e := range r.shown {
		if at.start <= e.start && e.end <= at.end {
			s = append(s, splice{shifted(e.span, -at.start), e.text})
		}
	}
	if changed := s.apply(at.of(body)); changed != nil {
		return changed
	}
	return at.of(body)
}
