package llmhttp

import "bytes"

// eventSplitter splits server-sent events, each with the blank line behind it.
type eventSplitter struct {
	read  int // how much was read
	start int // of the current line
}

func (e *eventSplitter) next(text []byte) int {
	for ; e.read < len(text); e.read++ {
		c := text[e.read]
		if c != '\n' && c != '\r' {
			continue
		}
		isEmpty := e.start == e.read
		if c == '\r' && e.read+1 < len(text) && text[e.read+1] == '\n' {
			e.read++
		} else if c == '\r' && e.read+1 == len(text) && !isEmpty {
			return 0 // a line feed may follow
		}
		e.start = e.read + 1
		if isEmpty {
			n := e.start
			e.read, e.start = 0, 0
			return n
		}
	}
	return 0
}

// line is a line of an event.
type line struct {
	span      // without its end
	end  int  // behind its end
	data span // the value of a field "data"
}

// linesOf returns the lines of an event.
func linesOf(event []byte) (all []line) {
	for start := 0; start < len(event); {
		n := bytes.IndexAny(event[start:], "\r\n")
		l := line{span: span{start, len(event)}, end: len(event)}
		if n >= 0 {
			l.span.end = start + n
			l.end = l.span.end + 1
			if bytes.HasPrefix(event[l.span.end:], []byte("\r\n")) {
				l.end++
			}
		}
		if value, ok := bytes.CutPrefix(l.of(event), []byte("data:")); ok {
			value = bytes.TrimPrefix(value, []byte(" "))
			l.data = span{l.span.end - len(value), l.span.end}
		}
		all = append(all, l)
		start = l.end
	}
	return all
}

func (*eventSplitter) data(event []byte) (data []byte, at span) {
	for _, l := range linesOf(event) {
		switch {
		case l.data == span{}:
		case at == span{}:
			data, at = l.data.of(event), l.data
		default: // lines are joined
			data = append(append(bytes.Clone(data), '\n'), l.data.of(event)...)
			at.end = l.data.end
		}
	}
	return data, at
}

// replace returns an event with other data. The lines of data that it had are dropped, but for the
// first.
func (*eventSplitter) replace(event []byte, at span, data []byte) []byte {
	var out []byte
	for _, l := range linesOf(event) {
		switch {
		case l.data.start == at.start && l.data != span{}:
			head := event[l.start:l.data.start]
			out = append(out, head...)
			out = append(out, bytes.ReplaceAll(data, []byte("\n"), append([]byte("\n"), head...))...)
			out = append(out, event[l.span.end:l.end]...)
		case l.data == span{}:
			out = append(out, event[l.start:l.end]...)
		}
	}
	return out
}

// listSplitter splits a list of JSON, each element with what is before it.
type listSplitter struct {
	read     int
	depth    int
	elements int // their depth
	inString bool
	escaped  bool
}

func (e *listSplitter) next(text []byte) int {
	for ; e.read < len(text); e.read++ {
		c := text[e.read]
		switch {
		case e.escaped:
			e.escaped = false
		case e.inString:
			e.inString, e.escaped = c != '"', c == '\\'
		case c == '"':
			e.inString = true
		case c == '{' || c == '[':
			if e.depth == 0 && c == '[' {
				e.elements = 1
			}
			e.depth++
		case c == '}' || c == ']':
			e.depth--
			if e.depth == e.elements && c == '}' {
				n := e.read + 1
				e.read = 0
				return n
			}
		}
	}
	return 0
}

func (*listSplitter) data(unit []byte) (data []byte, at span) {
	at = span{max(0, bytes.IndexByte(unit, '{')), len(unit)}
	return at.of(unit), at
}

func (*listSplitter) replace(unit []byte, at span, data []byte) []byte {
	return append(bytes.Clone(unit[:at.start]), data...)
}

// wholeSplitter passes a stream as it is.
type wholeSplitter struct{}

func (wholeSplitter) next(text []byte) int                         { return len(text) }
func (wholeSplitter) data([]byte) (data []byte, at span)           { return nil, span{} }
func (wholeSplitter) replace(unit []byte, _ span, _ []byte) []byte { return unit }
