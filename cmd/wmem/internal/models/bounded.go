package models

import (
	"fmt"
	"io"
	"net/http"
)

// maxAnswerBytes is far more than summaries and memories take, and vectors of as many texts as
// are sent at once.
const maxAnswerBytes = 64 << 20

var errTooLong = fmt.Errorf("the endpoint's answer is longer than %d MiB", maxAnswerBytes>>20)

// bounded is a transport whose answers end with errTooLong if they do not end before: the
// client reads them into memory.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.next.RoundTrip(r)
	if err == nil {
		answer.Body = &boundedBody{ReadCloser: answer.Body, left: maxAnswerBytes}
	}
	return answer, err
}

type boundedBody struct {
	io.ReadCloser
	left int // bytes
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
