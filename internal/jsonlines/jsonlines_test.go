package jsonlines_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/internal/jsonlines"
)

// read formats each line that Read yields.
func read(r io.Reader, max int) []string {
	var got []string
	for line, err := range jsonlines.Read(r, max) {
		got = append(got, fmt.Sprintf("%d %q %v", line.Number, line.Text, err))
	}
	return got
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, in string
		max      int
		want     []string
	}{
		{"empty", "", 0, nil},
		{"blank lines are skipped and counted", "\na\n \r\nb", 0, []string{`2 "a" <nil>`, `4 "b" <nil>`}},
		{"CRLF", "a\r\nb\r\n", 0, []string{`1 "a" <nil>`, `2 "b" <nil>`}},
		{"a bad line does not affect the others", "a\n\xff\nb\n", 0, []string{`1 "a" <nil>`, `2 "" line is not valid UTF-8`, `3 "b" <nil>`}},
		{"a long line is skipped", "aaa\n" + strings.Repeat("x", 200_000) + "\nb", 100_000,
			[]string{`1 "aaa" <nil>`, `2 "" line is too long`, `3 "b" <nil>`}},
		{"a long last line", "aaaa", 3, []string{`1 "" line is too long`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, read(strings.NewReader(tc.in), tc.max))
			assert.Equal(t, tc.want, read(iotest.HalfReader(strings.NewReader(tc.in)), tc.max))
		})
	}
}

func TestReadEndsWithTheReadersError(t *testing.T) {
	t.Parallel()
	broken := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(errors.New("broken")))
	assert.Equal(t, []string{`1 "a" <nil>`, `2 "" broken`}, read(broken, 0))
}

func TestReadStops(t *testing.T) {
	t.Parallel()
	n := 0
	for range jsonlines.Read(strings.NewReader("a\nb\nc"), 0) {
		if n++; n == 2 {
			break
		}
	}
	assert.Equal(t, 2, n)
}
