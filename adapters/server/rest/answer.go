package rest

import (
	"net/http"
	"strconv"
	"time"
)

const (
	mediaJSON = "application/json"
	mediaText = "text/plain; charset=utf-8"
	mediaHTML = "text/html; charset=utf-8"
)

// answer writes an answer and collects what is logged of its request.
type answer struct {
	http.ResponseWriter
	control *http.ResponseController
	start   time.Time // by the machine's clock, as deadlines of connections are
	status  int       // 0 before the header is written
	in, out int64     // bytes of the bodies
	whole   bool      // the body of the request was read to its end
	head    bool      // the method is HEAD
	route   string
	token   string // public id of the token
	request string // id of the request
	cause   string // of an internal error
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	if a.head {
		return len(p), nil
	}
	n, err := a.ResponseWriter.Write(p)
	a.out += int64(n)
	if err != nil {
		a.status = statusGone
	}
	return n, err
}

// readUntil sets the deadline of the rest of the body; the zero time means none. A writer that
// does not support deadlines has none.
func (a *answer) readUntil(t time.Time) { _ = a.control.SetReadDeadline(t) }

// limitWriting aborts writes that take longer than after. It sets a past deadline when the time
// is over, since one set in advance could replace an earlier one of the http.Server. The caller
// must call release before the handler returns the connection to the server.
func (a *answer) limitWriting(after time.Duration) (release func()) {
	done := make(chan struct{})
	timer := time.AfterFunc(after, func() {
		defer close(done)
		_ = a.control.SetWriteDeadline(time.Unix(1, 0))
	})
	return func() {
		if !timer.Stop() {
			<-done
		}
	}
}

// deliver sends an answer. The memory of a large one counts until the client has read it, in
// place of that of the request, which is no longer needed; a small one fits the buffers of the
// connection.
func (c *call) deliver(media string, data []byte) error {
	if size := int64(len(data)); size > firstBytes && !c.answer.head {
		switch {
		case size > c.handler.memory.room(size):
			return refuse(http.StatusRequestEntityTooLarge, "Answer would take too much memory; a write has been done")
		case !c.loan.resize(size):
			return busy("Memory for answers is exhausted; a write has been done")
		}
		defer c.answer.limitWriting(c.handler.opts.BodyTimeout + atSlowest(size))()
	}
	send(c.answer, http.StatusOK, media, data)
	return nil
}

// send writes a whole answer, which ends in a newline unless it is empty. It ignores write
// errors, which mean that the client is gone.
func send(w http.ResponseWriter, status int, media string, body []byte) {
	var end []byte // written apart: appending could copy the body
	if len(body) > 0 && body[len(body)-1] != '\n' {
		end = []byte{'\n'}
	}
	header := w.Header()
	header.Set("Content-Type", media)
	header.Set("Content-Length", strconv.Itoa(len(body)+len(end)))
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)
	if end != nil {
		_, _ = w.Write(end)
	}
}
