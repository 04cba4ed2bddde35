package excerpt_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/excerpt"
)

var (
	numberedLine = regexp.MustCompile(`(?s)^(\d+)([:+]) (.*)$`)
	next         = regexp.MustCompile(`continue with offset (\d+)`)
)

// TestPagesAreTheText: the pages of a text by lines, one after the other, are the text.
func TestPagesAreTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		runes := rapid.RuneFrom([]rune("ab é😀\n\n"))
		text := strings.Repeat(rapid.StringOfN(runes, 0, 60, -1).Draw(t, "part"), rapid.IntRange(0, 300).Draw(t, "times"))
		limit := rapid.IntRange(0, 30).Draw(t, "limit")
		size := rapid.IntRange(excerpt.MinBytes, 20_000).Draw(t, "size")
		var got strings.Builder
		for offset, n := 1, 0; offset > 0; {
			page, err := excerpt.Read(t.Context(), strings.NewReader(text), int64(len(text)), excerpt.Request{Offset: offset, Limit: limit}, size)
			require.NoError(t, err)
			lines := strings.Split(page, "\n")
			for _, line := range lines[:len(lines)-1] {
				n++
				parts := numberedLine.FindStringSubmatch(line)
				require.NotNil(t, parts, line)
				require.Equal(t, strconv.Itoa(n), parts[1])
				if parts[2] == ":" && n > 1 {
					got.WriteByte('\n')
				}
				got.WriteString(parts[3])
			}
			offset = 0
			if parts := next.FindStringSubmatch(lines[len(lines)-1]); parts != nil {
				offset, _ = strconv.Atoi(parts[1])
			}
		}
		require.Equal(t, strings.TrimSuffix(text, "\n"), got.String())
	})
}

// value generates a JSON value without equal keys.
func value(depth int) *rapid.Generator[any] {
	text := rapid.StringN(0, 8, -1)
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), text.AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	inner := rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) })
	return rapid.OneOf(append(leaves, rapid.SliceOfN(inner, 0, 5).AsAny(), rapid.MapOfN(text, inner, 0, 5).AsAny())...)
}

// TestPathsAreThoseOfJSON: the value at each path of a document is that of encoding/json.
func TestPathsAreThoseOfJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		root := rapid.Custom(func(t *rapid.T) any {
			return map[string]any{"a": value(4).Draw(t, "a"), "list": []any{value(3).Draw(t, "b"), 1.5}}
		}).Draw(t, "root")
		text, err := json.MarshalIndent(root, "", strings.Repeat(" ", rapid.IntRange(0, 2).Draw(t, "indent")))
		require.NoError(t, err)
		at, path := root, "$"
		for {
			require.Equal(t, plain(t, at), readValue(t, text, path))
			var steps []string
			var values []any
			switch v := at.(type) {
			case map[string]any:
				for _, key := range slices.Sorted(maps.Keys(v)) {
					quoted, _ := json.Marshal(key)
					steps, values = append(steps, "["+string(quoted)+"]"), append(values, v[key])
				}
			case []any:
				for i := range v {
					steps, values = append(steps, fmt.Sprintf("[%d]", i)), append(values, v[i])
				}
			}
			if len(steps) == 0 {
				return
			}
			i := rapid.IntRange(0, len(steps)-1).Draw(t, "step")
			at, path = values[i], path+steps[i]
		}
	})
}

// plain returns a value as encoding/json reads it.
func plain(t *rapid.T, v any) (out any) {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

// readValue reads the value at a path as a match of a path with a slice around it.
func readValue(t *rapid.T, text []byte, path string) (v any) {
	wrapped := `[` + string(text) + `]`
	got, err := excerpt.Read(t.Context(), strings.NewReader(wrapped), int64(len(wrapped)), excerpt.Request{Path: "[0:1]" + strings.TrimPrefix(path, "$")}, 1<<20)
	require.NoError(t, err)
	body, note, ok := strings.Cut(got, "\n[values 1–1 of 1 of $]")
	require.True(t, ok, got)
	require.Empty(t, note)
	require.NoError(t, json.Unmarshal([]byte(body[labelEnd(body):]), &v), body)
	return v
}

// labelEnd returns where the value begins in an item: after the colon that follows the
// path, whose keys may have colons in quotes.
func labelEnd(item string) int {
	for i := 0; i < len(item); i++ {
		switch item[i] {
		case ':':
			return i + 1
		case '"':
			for i++; item[i] != '"'; i++ {
				if item[i] == '\\' {
					i++
				}
			}
		}
	}
	return 0
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"", shop, events, numbered(30), `{"a":[1,2,{"b":"xy`, "[[[[", `["\ud800\u0000", tru`, "a\xffb\r\n\xf0\x9f"} {
		f.Add(text, "$.orders[*].id", 0, 0, "shoe Ann", 4096)
		f.Add(text, "$", 2, 1, "", 100)
		f.Add(text, "", 1, 3, "line disk", 2048)
		f.Add(text, "", 2, 0, "", 7)
	}
	f.Fuzz(func(t *testing.T, text, path string, offset, limit int, query string, maxBytes int) {
		maxBytes = min(maxBytes, 1<<20)
		got, err := read(t, text, excerpt.Request{Path: path, Offset: offset, Limit: limit, Query: query}, maxBytes)
		require.True(t, utf8.ValidString(got))
		require.LessOrEqual(t, len(got), max(maxBytes, 0))
		if err != nil {
			require.Empty(t, got)
		}
	})
}
