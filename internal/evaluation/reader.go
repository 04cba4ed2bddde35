package evaluation

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/jsonlines"
)

// ErrForm is returned for a line that is none of the forms of Episodes.
var ErrForm = errors.New(`neither an episode with "steps", a conversation with "messages", nor a line of a session with a "type" or a "role"`)

// Episodes reads traces, and conversations as agents record them. A file has one episode per line:
//
//	{"id", "steps": […]}    the form of traces
//	{"messages": […]}       a conversation with OpenAI or Anthropic
//
// or it is one episode: a list of messages, an object with them over several lines, or the lines of a
// coding agent's session (see message). Blank lines are skipped. An unusable line, such as one longer
// than jsonlines.MaxBytes, yields a *TraceError and reading continues; an error of the reader ends the
// sequence. A file that is one episode has at most that length.
func Episodes(r io.Reader) iter.Seq2[*Episode, error] {
	return func(yield func(*Episode, error) bool) {
		head, in, err := wholeDocument(r)
		if err != nil {
			yield(nil, &TraceError{Line: 1, Err: err})
			return
		}
		if head != nil {
			ep, line, err := parseDocument(head)
			if err != nil {
				ep, err = nil, &TraceError{Line: line, Err: err}
			}
			yield(ep, err)
			return
		}
		var session transcript
		size := 0
		for ep, err := range records(in, func(line jsonlines.Line) (*Episode, error) {
			ep, err := session.line(line)
			if err == nil && ep == nil {
				if size += len(line.Text); size > jsonlines.MaxBytes {
					session, err = transcript{}, jsonlines.ErrTooLong
				}
			}
			return ep, err
		}) {
			if (ep != nil || err != nil) && !yield(ep, err) {
				return
			}
		}
		if len(session.steps) > 0 {
			yield(session.episode("session"), nil)
		}
	}
}

// wholeDocument returns a file that is a list, or an object over several lines, and else a reader of all
// of it.
func wholeDocument(r io.Reader) (document []byte, rest io.Reader, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var head bytes.Buffer
	first := byte(' ')
	for strings.IndexByte(" \t\r\n", first) >= 0 && head.Len() < jsonlines.MaxBytes {
		if first, err = in.ReadByte(); err != nil {
			break // a reader repeats its error
		}
		head.WriteByte(first)
	}
	start, lines := max(0, head.Len()-1), io.MultiReader(&head, in)
	for err = bufio.ErrBufferFull; first == '{' && errors.Is(err, bufio.ErrBufferFull) && head.Len() <= jsonlines.MaxBytes; {
		var part []byte
		part, err = in.ReadSlice('\n')
		head.Write(part)
	}
	if first != '[' && first != '{' || first == '{' && json.Valid(head.Bytes()[start:]) {
		return nil, lines, nil
	}
	_, _ = io.CopyN(&head, in, int64(max(0, jsonlines.MaxBytes+1-head.Len())))
	switch tooLong := head.Len() > jsonlines.MaxBytes; {
	case first == '[' && tooLong:
		return nil, nil, jsonlines.ErrTooLong
	case first == '[', !tooLong && json.Valid(head.Bytes()[start:]):
		return head.Bytes(), nil, nil
	}
	return nil, lines, nil
}

// line parses a line: an episode or a conversation, or one of a session, for which it returns nil.
func (t *transcript) line(line jsonlines.Line) (*Episode, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line.Text), &fields); err != nil || fields == nil {
		return nil, ErrNotJSON
	}
	if ep, err := parseConversation(fields, line.Text, strconv.Itoa(line.Number)); ep != nil || err != nil {
		return ep, err
	}
	_, typed := fields["type"]
	_, spoken := fields["role"]
	if !typed && !spoken {
		return nil, ErrForm
	}
	_ = t.add(json.RawMessage(line.Text)) // lines of other kinds are ignored
	return nil, nil
}

// records parses each line of a file.
func records[T any](r io.Reader, parse func(line jsonlines.Line) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for line, err := range jsonlines.Read(r, 0) {
			var record T
			if err == nil {
				record, err = parse(line)
			}
			if err != nil {
				err = &TraceError{Line: line.Number, Err: err}
			}
			if !yield(record, err) {
				return
			}
		}
	}
}
