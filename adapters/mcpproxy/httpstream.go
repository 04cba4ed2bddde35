package mcpproxy

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	// maxReconnects limits the attempts to continue a stream that bring no event.
	maxReconnects = 5
	// reconnectDelay is the delay before the first attempt, unless the server sets one. It doubles
	// with each attempt that brings no event.
	reconnectDelay = time.Second
)

// position is how far a stream has been read.
type position struct {
	lastEvent string
	delay     time.Duration // that the server asks for before a stream is continued; 0 for none
}

// listen delivers the messages that the server sends without being asked, if it does.
func (h *HTTP) listen() {
	answer, err := h.do(h.ctx, http.MethodGet, nil, "")
	if err != nil {
		return
	}
	if statusError(answer) != nil || !isEventStream(answer) {
		_ = answer.Body.Close()
		return
	}
	_ = h.follow(answer.Body, nil) // without a request the end is no failure
}

// follow delivers the messages of a stream, which it continues if it ends before the answer to a
// request. Without a request it continues until the connection ends.
func (h *HTTP) follow(body io.ReadCloser, to *message) error {
	var at position
	for failures := 0; failures <= maxReconnects; failures++ {
		before := at.lastEvent
		answered := h.readEvents(body, to, &at)
		_ = body.Close()
		switch {
		case answered || h.ctx.Err() != nil:
			return nil
		case to != nil && at.lastEvent == "":
			return errNoAnswer
		case at.lastEvent != before:
			failures = 0
		}
		body = h.reconnect(at, failures)
	}
	return errNoAnswer
}

// reconnect continues a stream. The result is empty if that fails.
func (h *HTTP) reconnect(at position, failures int) io.ReadCloser {
	delay := at.delay
	if delay == 0 {
		delay = reconnectDelay << failures
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-h.ctx.Done():
		return http.NoBody
	}
	answer, err := h.do(h.ctx, http.MethodGet, nil, at.lastEvent)
	if err != nil {
		return http.NoBody
	}
	if statusError(answer) != nil || !isEventStream(answer) {
		_ = answer.Body.Close()
		return http.NoBody
	}
	return answer.Body
}

// readEvents delivers the messages of a stream until it ends, an event is too long, or the answer
// to the request has come, which it reports.
func (h *HTTP) readEvents(body io.Reader, to *message, at *position) (answered bool) {
	in := bufio.NewReaderSize(body, 64<<10)
	var data []byte
	kind := ""
	for {
		line, more, err := readLine(in, maxWhole)
		if err != nil || more || len(data)+len(line) > maxWhole {
			return false
		}
		name, value, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(name) {
		case "data":
			data = append(append(data, value...), '\n')
		case "event":
			kind = string(value)
		case "id":
			at.lastEvent = string(value)
		case "retry":
			if ms, err := strconv.Atoi(string(value)); err == nil && ms >= 0 {
				at.delay = time.Duration(ms) * time.Millisecond
			}
		case "":
			if len(value) > 0 { // a comment
				continue
			}
			if len(data) > 0 && (kind == "" || kind == "message") && h.received(bytes.TrimSuffix(data, []byte{'\n'}), to) {
				return true
			}
			data, kind = nil, ""
		}
	}
}

// received delivers a message, and reports whether it is the answer to a request, which may be nil.
func (h *HTTP) received(text []byte, to *message) bool {
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte{'\n'}, []byte{' '}), []byte{'\r'}, []byte{' '})
	m, ok := parse(text)
	if !ok {
		return false
	}
	answers := to != nil && m.isAnswer() && m.id == to.id
	if answers && to.method == methodInitialize && m.result.isPresent() {
		found, _ := members(text, m.result, "protocolVersion")
		version, _ := stringOf(text, found[0])
		h.mu.Lock()
		h.version = version
		h.mu.Unlock()
	}
	h.deliver(text)
	return answers
}
