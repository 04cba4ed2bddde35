package endpoint

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
)

// defaultMaxAnswer is far more than summaries and memories take, and vectors of as many texts
// as are sent at once. In bytes.
const defaultMaxAnswer = 64 << 20

func (c Config) maxAnswer() int { return cmp.Or(c.MaxAnswerBytes, defaultMaxAnswer) }

// tooLongError says that an answer has more than so many bytes.
type tooLongError int

func (e tooLongError) Error() string {
	return fmt.Sprintf("the endpoint's answer is longer than %d bytes", int(e))
}

// bounded is a transport whose answers end with a tooLongError if they do not end before: the
// client reads them into memory.
type bounded struct {
	next http.RoundTripper
	max  int // bytes
}

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.next.RoundTrip(r)
	if err == nil {
		answer.Body = &boundedBody{ReadCloser: answer.Body, left: b.max, max: b.max}
	}
	return answer, err
}

type boundedBody struct {
	io.ReadCloser
	left, max int // bytes
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, tooLongError(b.max)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
