package endpoint

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
)

// defaultMaxAnswer is the default of Config.MaxAnswerBytes: far more than summaries, memories
// and the vectors of one batch of texts take.
const defaultMaxAnswer = 64 << 20

func (c Config) maxAnswer() int { return cmp.Or(c.MaxAnswerBytes, defaultMaxAnswer) }

// tooLongError is returned for an answer of more bytes than the limit, its value.
type tooLongError int

func (e tooLongError) Error() string {
	return fmt.Sprintf("the endpoint's answer is longer than %d bytes", int(e))
}

// bounded is a transport that limits the length of answers, which the client reads into
// memory. Reading beyond the limit returns a tooLongError.
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
