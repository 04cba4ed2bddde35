package excerpt

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Defaults of Request.Limit.
const (
	DefaultLines    = 200
	DefaultElements = 100
	DefaultMatches  = 10
)

// MaxMatches is how many of the matches of a query can be read, best first.
const MaxMatches = 100

// MinBytes is the smallest excerpt whose note is complete.
const MinBytes = 2 << 10

// Request selects a part of a text. The zero value selects the first lines.
type Request struct {
	// Path selects values of JSON: $.items[3].name, $.items[10:20], $.items[*].id,
	// $["odd key"]. The leading $ may be omitted. JSON lines are an array of their values.
	// Of several equal keys of an object, the first counts. An array is read by elements,
	// an object by members, a string by lines.
	Path string
	// Offset is the first line, element, member or match of the excerpt, counted from 1
	// in all cases, also where elements have indexes from 0. 0 means 1.
	Offset int
	// Limit is the largest number of lines, elements, members or matches. 0 means
	// DefaultLines, DefaultElements or DefaultMatches.
	Limit int
	// Query holds words, in any case, singular or plural, that are searched for at the
	// beginning of words. In JSON it selects the innermost objects that hold the most of
	// them, or the elements of arrays around these, in other texts the lines. Objects come in the order of the number of different
	// words in them, then of the text. With Path, only the values of the path are searched.
	Query string
}

// Read returns an excerpt of the text of a size, in bytes, that r reads: at most maxBytes
// bytes (MinBytes or more) of valid UTF-8. Its last line tells what follows and how to read it.
//
// Lines have numbers. A line of more than 4 KiB, or of a quarter of maxBytes if that is
// less, counts as several, of which all but the first are marked with + for the colon.
// Invalid UTF-8 becomes U+FFFD. A path that leads nowhere is no error: the excerpt tells
// which part of it exists. JSON that is cut or broken is read up to there.
//
// Errors: a [*RequestError] for a request that cannot be met, [ErrNotJSON] for a Path in
// another text, and the errors of r and ctx, wrapped. Read is safe for concurrent use if r is.
func Read(ctx context.Context, r io.ReaderAt, size int64, req Request, maxBytes int) (string, error) {
	steps, err := parsePath(req.Path)
	if err == nil {
		err = req.check()
	}
	if err != nil {
		return "", err
	}
	words := parseWords(req.Query)
	if req.Query != "" && len(words) == 0 {
		return "", &RequestError{Field: "query", Reason: "has no words"}
	}
	src := newSource(ctx, r, size)
	p := newPage(req, maxBytes)
	switch {
	case req.Path == "" && len(words) == 0:
		err = readLines(src, p)
	case req.Path != "":
		err = readPath(src, sniff(src), steps, words, p)
	default:
		if f := sniff(src); f.start && !f.broken {
			err = readPath(src, f, steps, words, p)
		} else {
			err = readMatches(src, words, p)
		}
	}
	if err != nil {
		return "", err
	}
	return p.text(), nil
}

// check validates the numbers of a request.
func (r *Request) check() error {
	switch {
	case r.Offset < 0:
		return &RequestError{Field: "offset", Reason: "is negative: it counts from 1"}
	case r.Limit < 0:
		return &RequestError{Field: "limit", Reason: "is negative: leave it out for the default"}
	}
	return nil
}

// form tells what the beginning of a text looks like.
type form struct {
	start  bool // with a JSON array, object or string
	lines  bool // which another value follows
	broken bool // which is no JSON
}

// sniff examines the first chunk of a text without consuming it, except for a byte order
// mark.
func sniff(src *bufio.Reader) (f form) {
	text, _ := src.Peek(chunkBytes) // an error comes again when the text is read
	if rest, ok := bytes.CutPrefix(text, []byte("\uFEFF")); ok {
		_, _ = src.Discard(len(text) - len(rest))
		text = rest
	}
	text = bytes.TrimLeft(text, " \t\r\n")
	f.start = len(text) > 0 && strings.IndexByte(`{["`, text[0]) >= 0
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for values := 0; f.start; values++ {
		err := dec.SkipValue()
		var syntax *jsontext.SyntacticError
		switch {
		case err == nil:
			f.lines = values > 0
			continue
		case errors.Is(err, io.ErrUnexpectedEOF):
			f.lines = values > 0
		case errors.As(err, &syntax):
			f.broken = true
		}
		break
	}
	return f
}
