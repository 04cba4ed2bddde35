package rest

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/service"
)

const (
	// slowestBytes is how many bytes a second extend Options.BodyTimeout.
	slowestBytes = 64 << 10
	// renewEvery is how many bytes are read before the deadline is extended.
	renewEvery = 16 << 10
)

// checkMedia checks by the header that a body is JSON. A body without a type counts as JSON. A
// compressed one is refused, since its length does not bound its content.
func checkMedia(header http.Header) error {
	if coding := header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return refuse(http.StatusUnsupportedMediaType, "Compressed bodies are not supported").with("Accept-Encoding", "identity")
	}
	text := header.Get("Content-Type")
	if text == "" {
		return nil
	}
	media, params, err := mime.ParseMediaType(text)
	json := media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
	charset := strings.ToLower(params["charset"])
	if err != nil || !json || charset != "" && charset != "utf-8" && charset != "us-ascii" {
		return refuse(http.StatusUnsupportedMediaType, "Content-Type must be application/json")
	}
	return nil
}

// read reads the whole body. Its memory counts until the request ends.
func (c *call) read() ([]byte, error) {
	if err := checkMedia(c.request.Header); err != nil {
		return nil, err
	}
	most, length := c.handler.opts.MaxBodyBytes, c.request.ContentLength
	if length > most {
		return nil, tooLarge()
	}
	if length >= 0 {
		most = length
	}
	body, err := service.ReadBody(c.request.Body, most, func(bytes int64) error { return c.reserve(bodyPart, bytes) })
	refused := new(refusal)
	switch {
	case err == nil || errors.As(err, &refused):
		return body, err
	case errors.Is(err, service.ErrTooLong):
		return nil, tooLarge()
	}
	return nil, c.readError(err)
}

// loanPart is a part of the memory of a request, besides those of stores.
type loanPart string

const (
	bodyPart    loanPart = "body"
	decodedPart loanPart = "decoded"
	answerPart  loanPart = "answer"
)

// reserve sets the memory of a part of the request. It returns 413 for a request that could never
// fit, and 503 for one that may be repeated.
func (c *call) reserve(part loanPart, bytes int64) error {
	switch err := c.loan.Resize(part, bytes); {
	case errors.Is(err, service.ErrTooMuch):
		return refuse(http.StatusRequestEntityTooLarge, "Request body would take too much memory")
	case err != nil:
		return busy("Memory for request bodies is exhausted: try again")
	}
	return nil
}

// timedBody is the body of a request. It counts the bytes, and limits the time until the next
// ones, as far as the client is too slow.
type timedBody struct {
	io.ReadCloser
	answer  *answer
	renewAt int64
}

// limitReading returns a request whose body must arrive in time.
func (a *answer) limitReading(r *http.Request) *http.Request {
	if r.ContentLength == 0 {
		return r
	}
	a.readUntil(a.bodyDeadline())
	limited := *r
	limited.Body = &timedBody{r.Body, a, renewEvery}
	return &limited
}

// bodyDeadline returns the deadline for the next bytes of the body.
func (a *answer) bodyDeadline() time.Time {
	return a.start.Add(min(a.patience+atSlowest(a.in), a.timeout))
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (int, error) {
	a := b.answer
	if a.in >= b.renewAt {
		b.renewAt = a.in + renewEvery
		a.readUntil(a.bodyDeadline())
	}
	n, err := b.ReadCloser.Read(p)
	a.in += int64(n)
	if errors.Is(err, io.EOF) {
		a.whole = true
		a.readUntil(time.Time{})
	}
	return n, err
}

// atSlowest returns the time by which so many bytes extend Options.BodyTimeout.
func atSlowest(bytes int64) time.Duration { return time.Duration(bytes) * time.Second / slowestBytes }

func tooLarge() *refusal {
	return refuse(http.StatusRequestEntityTooLarge, "Request body is too large")
}

// readError converts an error of reading the body. The context of the request is canceled after
// any such error, including a timeout, so it is checked last.
func (c *call) readError(err error) error {
	var wait net.Error
	var most *http.MaxBytesError
	switch {
	case errors.As(err, &most):
		return tooLarge()
	case errors.As(err, &wait) && wait.Timeout():
		return refuse(http.StatusRequestTimeout, "Request body took too long")
	case c.request.Context().Err() != nil:
		return context.Canceled
	}
	return refuse(http.StatusBadRequest, "Request body is incomplete")
}
