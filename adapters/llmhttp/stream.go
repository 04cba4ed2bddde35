package llmhttp

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
)

// fragments are the parts of calls in an event. All spans are of the event's data.
type fragments struct {
	pieces []piece
	whole  []span   // values with all the arguments of a call
	ended  []string // calls that end with the event: their keys, or what these begin with
}

// piece is a piece of the arguments of a call.
type piece struct {
	key    string // of the call
	value  span   // a JSON string
	isText bool   // the arguments are not JSON
	// rest is the part of the event that has the piece and nothing of others, once head is put
	// before the piece and tail behind it.
	rest       span
	head, tail string
}

// stream decodes the body of a streamed response. What it holds back are unfinished events, and
// words that may be the beginning of a handle.
type stream struct {
	exchange *exchange
	body     io.ReadCloser
	splitter splitter
	buffer   []byte
	in, out  []byte
	err      error // once out is read

	calls  []*streamedCall
	opened map[string]bool // Anthropic's blocks with calls of the client's tools
}

// streamedCall is a call whose arguments have not ended.
type streamedCall struct {
	key string
	arguments
	unit  []byte // the last event with a piece of them
	piece piece
}

// addPiece adds a piece of arguments, if it is there.
func (f *fragments) addPiece(event []byte, at span, p piece) {
	if at = present(event, at); at == (span{}) {
		return
	}
	if p.value = at; !isString(event, at) {
		f.whole = append(f.whole, at) // of a server that sends objects
		return
	}
	f.pieces = append(f.pieces, p)
}

// addCalls adds the calls in a message of an event.
func (f *fragments) addCalls(api api, event []byte, message span) {
	for _, c := range api.calls(message.of(event)) {
		if c.arguments != (span{}) {
			f.whole = append(f.whole, shifted(c.arguments, message.start))
		}
	}
}

// splitter splits a stream.
type splitter interface {
	// next returns the size of the first unit, such as an event, or 0 if it is not complete.
	// The text is that of the call before, and more, or what follows the unit.
	next(text []byte) int
	// data returns the JSON in a unit, or an empty span.
	data(unit []byte) (data []byte, at span)
	// replace returns a unit with other JSON.
	replace(unit []byte, at span, data []byte) []byte
}

// stream makes a response decode its body.
func (x *exchange) stream(resp *http.Response, by splitter) {
	resp.Body = &stream{exchange: x, body: resp.Body, splitter: by, buffer: make([]byte, 16<<10), opened: make(map[string]bool)}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
}

// Close closes the body.
func (s *stream) Close() error { return s.body.Close() }

// Read returns what is decoded. Errors: those of the body, and a wrapped *handle.UnknownError.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.out) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		if len(p) == 0 {
			return 0, nil
		}
		s.fill()
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

// fill reads from the body.
func (s *stream) fill() {
	n, err := s.body.Read(s.buffer)
	s.in, s.out = append(s.in, s.buffer[:n]...), s.out[:0]
	passed := 0
	for {
		n := s.splitter.next(s.in[passed:])
		if n == 0 {
			break
		}
		if s.err = s.pass(s.in[passed : passed+n]); s.err != nil {
			return
		}
		passed += n
	}
	if passed > 0 {
		s.in = append(s.in[:0], s.in[passed:]...)
	}
	switch {
	case err == io.EOF:
		s.end()
	case err != nil:
		s.err = err
	case len(s.in) > maxAnswer:
		s.exchange.skipped("event longer than 16 MiB")
		s.err = s.close("")
		s.out, s.in, s.splitter = append(s.out, s.in...), nil, wholeSplitter{}
	}
}

// end passes what is left at the end of the body.
func (s *stream) end() {
	s.err = s.pass(s.in)
	if s.err == nil {
		s.err = s.close("")
	}
	if s.err == nil {
		s.err = io.EOF
	}
}

// pass passes a unit on, decoded.
func (s *stream) pass(unit []byte) error {
	api := s.exchange.api
	data, at := s.splitter.data(unit)
	switch {
	case bytes.HasPrefix(data, []byte("[DONE]")):
		if err := s.close(""); err != nil {
			return err
		}
	case len(data) > 0 && (len(s.calls) > 0 || api.mayCall(data)):
		changed, err := s.decode(unit, data, at)
		if err != nil {
			return err
		}
		unit = changed
	}
	s.out = append(s.out, unit...)
	return nil
}

// decode returns an event with its parts of calls decoded.
func (s *stream) decode(unit, data []byte, at span) ([]byte, error) {
	var changes splices
	f := s.exchange.api.readEvent(s, data)
	rec, ctx := s.exchange.recorder, s.exchange.req.Context()
	for _, v := range f.whole {
		ids, err := rec.DecodeArguments(ctx, argumentsOf(v.of(data)))
		if err != nil {
			return nil, refusal(err)
		}
		addArguments(&changes, data, v, ids)
	}
	for _, p := range f.pieces {
		text := textOf(p.value.of(data))
		c, err := s.call(p)
		if err != nil {
			return nil, err
		}
		decoded, err := c.write(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(f.ended, func(key string) bool { return strings.HasPrefix(p.key, key) }) {
			last, err := c.close()
			if err != nil {
				return nil, err
			}
			decoded = slices.Concat(decoded, last)
			s.calls = slices.DeleteFunc(s.calls, func(other *streamedCall) bool { return other == c })
		}
		if string(decoded) != text {
			changes.add(p.value, quote(string(decoded)))
		}
		c.unit, c.piece = bytes.Clone(unit), p
	}
	for _, key := range f.ended {
		if err := s.close(key); err != nil {
			return nil, err
		}
	}
	if changed := changes.apply(data); changed != nil {
		return s.splitter.replace(unit, at, changed), nil
	}
	return unit, nil
}

// maxCalls is the number of calls that may arrive by turns.
const maxCalls = 256

// call returns the call of a piece.
func (s *stream) call(p piece) (*streamedCall, error) {
	if i := slices.IndexFunc(s.calls, func(c *streamedCall) bool { return c.key == p.key }); i >= 0 {
		return s.calls[i], nil
	}
	if len(s.calls) == maxCalls {
		if err := s.close(s.calls[0].key); err != nil {
			return nil, err
		}
	}
	rec, ctx := s.exchange.recorder, s.exchange.req.Context()
	decode := func(text string) (string, error) {
		decoded, err := rec.DecodeArguments(ctx, text)
		if err != nil {
			return "", refusal(err)
		}
		return decoded.(string), nil // as given
	}
	c := &streamedCall{key: p.key, arguments: newArguments(p.isText, decode)}
	s.calls = append(s.calls, c)
	return c, nil
}

// close ends the calls whose keys begin with a text. What was held back of them is sent in a copy
// of their last event.
func (s *stream) close(prefix string) error {
	for _, c := range s.calls {
		if !strings.HasPrefix(c.key, prefix) {
			continue
		}
		last, err := c.close()
		if err != nil {
			return err
		}
		if len(last) > 0 {
			data, at := s.splitter.data(c.unit)
			text := quote(string(last))
			data = splices{{c.piece.rest, slices.Concat([]byte(c.piece.head), text, []byte(c.piece.tail))}}.apply(data)
			s.out = append(s.out, s.splitter.replace(c.unit, at, data)...)
		}
	}
	s.calls = slices.DeleteFunc(s.calls, func(c *streamedCall) bool { return strings.HasPrefix(c.key, prefix) })
	return nil
}
