// Package jsonlines reads files with one JSON value per line. A bad line does not
// affect the others.
//
//	reader ──> Read ──> Line{Number, Text} | ErrTooLong | ErrNotUTF8, line by line
package jsonlines

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"unicode/utf8"
)

// MaxBytes is the default length limit of a line, 64 MiB.
const MaxBytes = 64 << 20

var (
	// ErrTooLong is returned for a line that exceeds the limit. The line is skipped.
	ErrTooLong = errors.New("line is too long")
	// ErrNotUTF8 is returned for a line that is not valid UTF-8.
	ErrNotUTF8 = errors.New("line is not valid UTF-8")
)

// Line is a non-blank line.
type Line struct {
	// Number is the line number from 1, counting blank lines.
	Number int
	// Text is the line without its line break.
	Text string
}

// Read yields the non-blank lines of r, with ErrTooLong or ErrNotUTF8 in place of
// lines that are unusable. Any other error of the reader ends the sequence. One line
// of at most max bytes is in memory at a time; a max of 0 or less means MaxBytes.
func Read(r io.Reader, max int) iter.Seq2[Line, error] {
	if max <= 0 {
		max = MaxBytes
	}
	return func(yield func(Line, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		var buf []byte
		for number := 1; ; number++ {
			var tooLong bool
			var err error
			buf, tooLong, err = readLine(in, buf[:0], max)
			if err != nil && err != io.EOF {
				yield(Line{Number: number}, err)
				return
			}
			line := Line{Number: number}
			text := bytes.TrimRight(buf, "\r\n")
			var bad error
			switch {
			case tooLong:
				bad = ErrTooLong
			case !utf8.Valid(text):
				bad = ErrNotUTF8
			case len(bytes.TrimSpace(text)) > 0:
				line.Text = string(text)
			}
			if (bad != nil || line.Text != "") && !yield(line, bad) {
				return
			}
			if err == io.EOF {
				return
			}
		}
	}
}

// readLine appends a line to buf. It skips the rest of a line that is too long.
func readLine(in *bufio.Reader, buf []byte, max int) (line []byte, tooLong bool, err error) {
	for {
		chunk, err := in.ReadSlice('\n')
		if len(buf)+len(chunk) > max {
			tooLong = true
		}
		if !tooLong {
			buf = append(buf, chunk...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, tooLong, err
		}
	}
}
