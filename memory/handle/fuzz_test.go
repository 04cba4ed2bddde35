package handle_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
)

// maxHandle is the length of the longest handle: its type, "#", its number and its branch.
const maxHandle = 32 + 1 + 6 + 8

// tableFor returns a table as a recorder fills it with ids, one a line.
func tableFor(ids string) *handle.Table {
	opts := &handle.Options{Readable: true, MinTokens: 1}
	e := memory.Entity{Type: "page", Aliases: strings.Split(ids, "\n")}
	table := handle.NewTable(opts)
	table.Apply(opts.ChangeFor(ids, []memory.Entity{e}, nil))
	return table
}

func FuzzEncode(f *testing.F) {
	f.Add(`{"id":"`+uuid(1)+`","x":"a\n`+uuid(1)+`"}`, uuid(1))
	f.Add(`"\f47ac10b-58cc" \u00e9-58cc-4372 %2f`, "f47ac10b-58cc\nu00e9-58cc-4372\n2f")
	f.Add("a.b.c.d a.b.x /a/ 資料1", "a.b\na.b.c\n/a/\n資料1\n#\npage#1")
	f.Add(`[1, 2,true, -1e5]`, "1, 2\ntrue\n-1e5\n, \n]")
	f.Fuzz(func(t *testing.T, text, ids string) {
		table := tableFor(ids)
		encoded := table.Encode(text)
		if json.Valid([]byte(text)) {
			require.True(t, json.Valid([]byte(encoded)), "%q", encoded)
		}
		require.LessOrEqual(t, len(encoded), maxHandle*len(text))
		if table.Decode(text) == text {
			require.Equal(t, text, table.Decode(encoded))
		}
		_ = table.EncodeValue([]any{text, []byte(text), json.RawMessage(text)})
		state, err := table.MarshalJSON()
		require.NoError(t, err)
		again := new(handle.Table)
		require.NoError(t, again.UnmarshalJSON(state))
		require.Equal(t, encoded, again.Encode(text))
	})
}

func FuzzDecodeArguments(f *testing.F) {
	f.Add(`{"__arg1":"{\"id\":\"page#1\"}","page#2":["Page#1","page#9"]}`)
	f.Add(`"page\u00231"`)
	f.Add("page#1\x00\xff \u212aage#1")
	f.Fuzz(func(t *testing.T, text string) {
		table := pages(uuid(1), uuid(2))
		decoded, err := table.DecodeArguments(text, nil)
		if err != nil {
			var unknown *handle.UnknownError
			require.True(t, errors.As(err, &unknown) && handle.Is(unknown.Handle), "%v", err)
			return
		}
		require.LessOrEqual(t, len(decoded.(string)), len(text)+strings.Count(text, "1")*len(uuid(1))+strings.Count(text, "2")*len(uuid(2)))
		if json.Valid([]byte(text)) {
			require.True(t, json.Valid([]byte(decoded.(string))), "%q", decoded)
			var value any
			require.NoError(t, json.Unmarshal([]byte(decoded.(string)), &value))
			eachText(value, func(s string) { require.False(t, handle.Is(strings.TrimSpace(s)), "%q went through", s) })
		}
	})
}

func FuzzState(f *testing.F) {
	f.Add([]byte(`{"next":{"page":3},"known":[["page#1a","x"],["page#2","y"]],"literals":["page#7"],"branch":"a","branches":2}`))
	f.Fuzz(func(t *testing.T, state []byte) {
		table := new(handle.Table)
		if table.UnmarshalJSON(state) != nil {
			return
		}
		before, known := table.ID("page#1")
		table.Apply(handle.Change{IDs: refs("page", uuid(1)), Literals: []string{"page#5"}})
		table.Branch().Apply(handle.Change{IDs: refs("page", uuid(1))})
		if known {
			require.Equal(t, before, table.Decode("page#1"), "what was given out is not given out again")
		}
		written, err := table.MarshalJSON()
		require.NoError(t, err)
		require.NoError(t, new(handle.Table).UnmarshalJSON(written), string(written))
	})
}
