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

// answer is the writer of an answer, and what is known of its request in the end.
type answer struct {
	http.ResponseWriter
	control *http.ResponseController
	start   time.Time // by the machine's clock: deadlines of connections are
	status  int       // 0: none yet
	in, out int64     // bytes of bodies
	whole   bool      // the body was read
	head    bool      // the method is HEAD
	route   string
	token   string // its public id
	request string // the request's id
	cause   string // of an error of ours
}

// Unwrap is for http.ResponseController.
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

// readUntil sets the time until which the rest of the body may come; the zero time: for ever.
// Writers without a connection have no deadlines, which is no error.
func (a *answer) readUntil(t time.Time) { _ = a.control.SetReadDeadline(t) }

// limitWriting ends writes that wait for the client after a time, by a deadline that is past
// then; one set in advance could replace an earlier one of the http.Server. release must be
// called before the handler returns, when the connection is the server's again.
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

// deliver sends what was asked for. Its memory counts until the client has it, in place of that
// of the request, which is not needed any more; what is small is in the connection's own
// memory anyway.
func (c *call) deliver(media string, data []byte) error {
	if size := int64(len(data)); size > firstBytes && !c.answer.head {
		switch {
		case size > c.handler.memory.room(size):
			return refuse(http.StatusRequestEntityTooLarge, "Answer would take too much memory; if it was a write, it is done")
		case !c.loan.resize(size):
			return busy("Too much is being read at the moment; if it was a write, it is done")
		}
		defer c.answer.limitWriting(c.handler.opts.BodyTimeout + atSlowest(size))()
	}
	send(c.answer, http.StatusOK, media, data)
	return nil
}

// send writes a whole answer. That it cannot be written means that the client is gone.
func send(w http.ResponseWriter, status int, media string, body []byte) {
	header := w.Header()
	header.Set("Content-Type", media)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
