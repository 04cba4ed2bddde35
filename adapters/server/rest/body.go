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
)

const (
	// firstBytes is the size of the first buffer of a body.
	firstBytes = 4 << 10
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
	limit := c.handler.opts.MaxBodyBytes
	length := c.request.ContentLength
	if length > limit {
		return nil, tooLarge()
	}
	most := limit + 1 // one more, to detect a longer body
	if length >= 0 {
		most = length + 1
	}
	var buf []byte
	for renewAt := int64(renewEvery); ; { // the first deadline has been set
		var err error
		if len(buf) == cap(buf) {
			if buf, err = c.grow(buf, most); err != nil {
				return nil, err
			}
		}
		if c.answer.in >= renewAt {
			renewAt = c.answer.in + renewEvery
			c.answer.readUntil(c.bodyDeadline())
		}
		n, err := c.request.Body.Read(buf[len(buf):cap(buf)])
		buf, c.answer.in = buf[:len(buf)+n], c.answer.in+int64(n)
		switch {
		case int64(len(buf)) > limit:
			return nil, tooLarge()
		case errors.Is(err, io.EOF):
			c.answer.whole = true
			c.answer.readUntil(time.Time{})
			return buf, nil
		case err != nil:
			return nil, c.readError(err)
		}
	}
}

// grow returns a larger copy of buf, of at most most bytes.
func (c *call) grow(buf []byte, most int64) ([]byte, error) {
	old := int64(cap(buf))
	size := min(max(2*old, firstBytes), most)
	if size <= old { // the body is longer than its header says, which net/http prevents
		return nil, tooLarge()
	}
	if err := c.reserve(c.loan.size + size); err != nil {
		return nil, err
	}
	grown := make([]byte, len(buf), size)
	copy(grown, buf)
	c.loan.resize(c.loan.size - old)
	return grown, nil
}

// reserve sets the memory of the request to size bytes. It returns 413 for a request that could
// never fit, and 503 for one that may be repeated.
func (c *call) reserve(size int64) error {
	switch {
	case size > c.handler.memory.room(size):
		return refuse(http.StatusRequestEntityTooLarge, "Request body would take too much memory")
	case !c.loan.resize(size):
		return busy("Memory for request bodies is exhausted: try again")
	}
	return nil
}

// bodyDeadline returns the deadline for the next bytes of the body.
func (c *call) bodyDeadline() time.Time {
	return c.answer.start.Add(min(c.handler.opts.BodyTimeout+atSlowest(c.answer.in), c.handler.opts.Timeout))
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
