package llmhttp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// maxAnswer is the size of the largest answer in which handles are decoded, in bytes: 16 MiB.
const maxAnswer = 16 << 20

// exchange is a request that was sent, for decoding the handles in its answer.
type exchange struct {
	*WorkingMemory
	recorder *middleware.Recorder
	api      api
	req      *http.Request // as the client made it
	body     []byte        // as it was sent
	next     func(*http.Request) (*http.Response, error)
}

// receive returns a response with ids in place of the handles in the arguments of calls.
func (x *exchange) receive(resp *http.Response) (*http.Response, error) {
	media := mediaOf(resp)
	switch {
	case media != mediaJSON && media != mediaEvents:
	case resp.Header.Get("Content-Encoding") != "":
		x.skipped("compressed")
	case media == mediaEvents:
		x.stream(resp, new(eventSplitter))
	case strings.HasSuffix(x.req.URL.Path, ":streamGenerateContent"):
		x.stream(resp, new(listSplitter))
	default:
		return x.receiveWhole(resp)
	}
	return resp, nil
}

const (
	mediaJSON   = "application/json"
	mediaEvents = "text/event-stream"
)

// mediaOf returns the media type of a successful response, or "".
func mediaOf(resp *http.Response) string {
	if resp.StatusCode < 200 || resp.StatusCode > 299 || resp.Body == nil {
		return ""
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" after an error
	return media
}

// skipped logs that an answer is passed as it is.
func (x *exchange) skipped(why string) {
	x.opts.Logger.LogAttrs(x.req.Context(), slog.LevelWarn, "llmhttp: handles in the answer not decoded",
		slog.String("api", x.api.name()), slog.String("reason", why))
}

// answer is a response and what it says.
type answer struct {
	resp  *http.Response
	body  []byte
	turns [][]span // the messages of each of the alternatives
	calls []answeredCall
}

// answeredCall is a call whose arguments are a span of the answer.
type answeredCall struct {
	call
	turn int
}

// errPassed is returned for a response that is passed to the client as it is.
var errPassed = errors.New("llmhttp: response passed")

// receiveWhole decodes a response that is not a stream. If a handle in it is unknown, the model is
// asked again.
func (x *exchange) receiveWhole(resp *http.Response) (*http.Response, error) {
	a := &answer{resp: resp}
	if !x.read(a) {
		return resp, nil
	}
	sent := x.body
	ids, err := x.recorder.DecodeCalls(x.req.Context(), a.arguments(), func(results []string) ([]any, error) {
		sent = x.append(sent, a, results)
		if err := x.ask(a, sent); err != nil {
			return nil, err
		}
		return a.arguments(), nil
	})
	_, unknown := errors.AsType[*handle.UnknownError](err)
	switch {
	case unknown:
		return withError(a.resp, refusal(err)), nil
	case err != nil && !errors.Is(err, errPassed):
		return nil, err
	case err == nil:
		a.change(ids)
	}
	return a.resp, nil
}

// ask sends a request and reads the answer. If it is none, the error is errPassed.
func (x *exchange) ask(a *answer, body []byte) error {
	req := withBody(x.req, body)
	req.Header.Del("Accept-Encoding")
	req.Header.Del("Idempotency-Key") // it is another request
	resp, err := x.next(req)
	if err != nil {
		return err
	}
	if a.resp = resp; mediaOf(resp) != mediaJSON || !x.read(a) {
		return errPassed
	}
	return nil
}

// read reads the body of a response. It reports false if the body is too long or if reading it
// failed; then the response has it still.
func (x *exchange) read(a *answer) bool {
	var b bytes.Buffer
	_, err := b.ReadFrom(io.LimitReader(a.resp.Body, maxAnswer+1))
	if err != nil || b.Len() > maxAnswer {
		rest := io.Reader(a.resp.Body)
		if err != nil {
			rest = failing{err}
		} else {
			x.skipped("longer than 16 MiB")
		}
		a.resp.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(&b, rest), a.resp.Body}
		return false
	}
	_ = a.resp.Body.Close()
	a.resp.Body = io.NopCloser(bytes.NewReader(b.Bytes()))
	a.body, a.turns, a.calls = b.Bytes(), x.api.answers(b.Bytes()), nil
	for i, turn := range a.turns {
		for _, m := range turn {
			for _, c := range x.api.calls(m.of(a.body)) {
				if c.arguments != (span{}) {
					c.arguments = shifted(c.arguments, m.start)
				}
				a.calls = append(a.calls, answeredCall{c, i})
			}
		}
	}
	return true
}

// arguments returns the arguments of all calls.
func (a *answer) arguments() (all []any) {
	for _, c := range a.calls {
		all = append(all, argumentsOf(c.arguments.of(a.body)))
	}
	return all
}

// argumentsOf returns the text of a JSON string, or other JSON.
func argumentsOf(raw []byte) any {
	if len(raw) > 0 && raw[0] == '"' {
		return textOf(raw)
	}
	return jsontext.Value(raw)
}

// change puts decoded arguments into the response.
func (a *answer) change(ids []any) {
	var s splices
	for i, c := range a.calls {
		addArguments(&s, a.body, c.arguments, ids[i])
	}
	changed := s.apply(a.body)
	if changed == nil {
		return
	}
	a.resp.Body, a.resp.ContentLength = io.NopCloser(bytes.NewReader(changed)), int64(len(changed))
	if a.resp.Header.Get("Content-Length") != "" {
		a.resp.Header.Set("Content-Length", strconv.Itoa(len(changed)))
	}
}

// addArguments adds the change that puts in decoded arguments, if they differ.
func addArguments(s *splices, body []byte, at span, ids any) {
	switch ids := ids.(type) {
	case string:
		if ids != textOf(at.of(body)) {
			s.add(at, quote(ids))
		}
	case jsontext.Value:
		if !bytes.Equal(ids, at.of(body)) {
			s.add(at, ids)
		}
	}
}

// append returns a request followed by the first alternative of an answer that has a call with an
// unknown handle, and by the results of its calls.
func (x *exchange) append(sent []byte, a *answer, results []string) []byte {
	turn := a.calls[max(0, slices.IndexFunc(a.calls, func(c answeredCall) bool {
		_, err := x.recorder.DecodeArguments(x.req.Context(), argumentsOf(c.arguments.of(a.body)))
		return err != nil
	}))].turn
	var messages [][]byte
	for _, m := range a.turns[turn] {
		if repeated := x.api.repeat(m.of(a.body), sent); repeated != nil {
			messages = append(messages, repeated)
		}
	}
	var calls []call
	var refused []string
	for i, c := range a.calls {
		if c.turn == turn {
			calls, refused = append(calls, c.call), append(refused, results[i])
		}
	}
	return appendMessages(x.api, sent, messages, x.api.newResults(calls, refused))
}

// appendMessages returns a request with an answer and results at its end.
func appendMessages(api api, sent []byte, answer, results [][]byte) []byte {
	fields := object(sent)
	list := fields[api.listField()]
	raw := list.of(sent)
	before := [][]byte{}
	switch known := elements(raw); {
	case present(sent, fields["conversation"]) != (span{}): // of Responses: the server has the rest
		answer = nil
	case raw[0] != '[':
		before = append(before, api.(textAPI).newList(raw))
	case len(known) > 0:
		before = append(before, raw[known[0].start:known[len(known)-1].end])
	}
	all := bytes.Join(slices.Concat(before, answer, results), []byte(","))
	return splices{{list, slices.Concat([]byte("["), all, []byte("]"))}}.apply(sent)
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// withError returns a response whose body cannot be read. An error of the request itself would be
// taken for a failure of the network, after which clients make it again.
func withError(resp *http.Response, err error) *http.Response {
	resp.Header.Set("X-Should-Retry", "false") // of openai-go and anthropic-sdk-go
	resp.Header.Del("Content-Length")
	resp.Body, resp.ContentLength = io.NopCloser(failing{err}), -1
	return resp
}

// refusal returns the error for an answer with an unknown handle.
func refusal(err error) error { return fmt.Errorf("llmhttp: answer refused: %w", err) }
