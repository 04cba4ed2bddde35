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
	// firstBytes is what a body gets before it has shown that it is longer.
	firstBytes = 4 << 10
	// slowestBytes a second keep a body alive beyond Options.BodyTimeout, and an answer.
	slowestBytes = 64 << 10
	// renewEvery is how many bytes are read by one deadline.
	renewEvery = 16 << 10
)

// mayRead says whether a body is JSON, by its header. A body without a type counts as JSON;
// one that is compressed is refused, since its length says nothing.
func mayRead(header http.Header) error {
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

// read reads the whole body. What it takes of the budget stays taken until the request ends.
func (c *call) read() ([]byte, error) {
	if err := mayRead(c.request.Header); err != nil {
		return nil, err
	}
	limit := c.handler.opts.MaxBodyBytes
	length := c.request.ContentLength
	if length > limit {
		return nil, tooLarge()
	}
	most := limit + 1 // one more, to see that there is more
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
			return nil, c.unread(err)
		}
	}
}

// grow makes room for more of a body, for most bytes at the most.
func (c *call) grow(buf []byte, most int64) ([]byte, error) {
	old := int64(cap(buf))
	size := min(max(2*old, firstBytes), most)
	if size <= old { // a body that is longer than it said: net/http does not let it pass
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

// reserve makes room for a request of size bytes. One that would not fit if it were alone need
// not come again.
func (c *call) reserve(size int64) error {
	switch {
	case size > c.handler.memory.room(size):
		return refuse(http.StatusRequestEntityTooLarge, "Request body would take too much memory")
	case !c.loan.resize(size):
		return busy("Too much is being sent at the moment")
	}
	return nil
}

// bodyDeadline is when the rest of the body must have come, or more of it.
func (c *call) bodyDeadline() time.Time {
	return c.answer.start.Add(min(c.handler.opts.BodyTimeout+atSlowest(c.answer.in), c.handler.opts.Timeout))
}

// atSlowest is how long so many bytes may take beyond Options.BodyTimeout.
func atSlowest(bytes int64) time.Duration { return time.Duration(bytes) * time.Second / slowestBytes }

func tooLarge() *refusal {
	return refuse(http.StatusRequestEntityTooLarge, "Request body is too large")
}

// unread says why a body could not be read. The context ends with any such error, a deadline
// included, so that it says nothing.
func (c *call) unread(err error) error {
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
