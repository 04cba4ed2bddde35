package rest

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// bufferBytes is what fits the buffers of a connection.
const bufferBytes = 4 << 10

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
	// patience is Options.BodyTimeout, and timeout Options.Timeout.
	patience, timeout time.Duration
	began             time.Time // to write a large answer
	status            int       // 0 before the header is written
	in, out           int64     // bytes of the bodies
	whole             bool      // the body of the request was read to its end
	head              bool      // the method is HEAD
	route             string
	token             string // public id of the token
	request           string // id of the request
	cause             string // of an internal error
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

// Write implements http.ResponseWriter. A client must read the bytes of a large answer within
// the time that it has for those of a body.
func (a *answer) Write(p []byte) (n int, err error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	if a.head {
		return len(p), nil
	}
	for n < len(p) && err == nil {
		var written int
		written, err = a.writePiece(p[n:min(n+slowestBytes, len(p))])
		n += written
	}
	return n, err
}

func (a *answer) writePiece(p []byte) (int, error) {
	if size := a.out + int64(len(p)); size > bufferBytes {
		if a.began.IsZero() {
			a.began = time.Now()
		}
		defer a.limitWriting(time.Until(a.began.Add(a.patience + atSlowest(size))))()
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
// place of that of the request and of what was read for it, which are no longer needed; a small
// one fits the buffers of the connection.
func (c *call) deliver(media string, body wire.Pieces) error {
	if size := body.Size(); size > bufferBytes && !c.answer.head {
		switch err := c.loan.Replace(answerPart, size); {
		case errors.Is(err, service.ErrTooMuch):
			return refuse(http.StatusRequestEntityTooLarge, "Answer would take too much memory; a write has been done")
		case err != nil:
			return busy("Memory for answers is exhausted; a write has been done")
		}
	}
	send(c.answer, http.StatusOK, media, body...)
	return nil
}

// send writes a whole answer, which ends in a newline unless it is empty. It ignores write
// errors, which mean that the client is gone.
func send(w http.ResponseWriter, status int, media string, body ...[]byte) {
	if n := len(body); n > 0 && len(body[n-1]) > 0 && !bytes.HasSuffix(body[n-1], []byte("\n")) {
		body = append(body, []byte("\n")) // apart: appending to the last piece could copy it
	}
	header := w.Header()
	header.Set("Content-Type", media)
	header.Set("Content-Length", strconv.FormatInt(wire.Pieces(body).Size(), 10))
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	for _, piece := range body {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}
