package wire_test

import (
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// again decodes data and, if that succeeds, checks that encoding and decoding the result changes
// nothing.
func again[T any](t *testing.T, data []byte) {
	t.Helper()
	var first, second T
	if wire.Decode(data, &first) != nil {
		return
	}
	out, err := wire.Encode(&first)
	require.NoError(t, err)
	require.NoError(t, wire.Decode(out, &second), string(out))
	twice, err := wire.Encode(&second)
	require.NoError(t, err)
	require.Equal(t, string(out), string(twice))
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `[`, `{"messages":[{"role":"user","content":"hi","created_at":1700000000.5}]}`,
		`{"memories":[{"id":"m","text":"t","topics":["a"],"event_date":"2024-01-01","pinned":1}],"data":{"a":[1.0,{"b":null}]},"tokens":"5"}`,
		`{"text":"q","limit":"10","topics":{"any":["a"]},"created_at":{"between":[0,"2024-01-01"]},"hybrid_alpha":0.5}`,
		`{"query":"q","session":{"session_id":"s","context_window_max":"4000"},"long_term_search":{"limit":1}}`,
		`{"query":"q","long_term_search":true}`, `{"entities":[{"id":"e","type":"page","timestamp":"2024-01-01T00:00:00Z","uses":1}]}`,
		`{"name":"t","arguments":{"a":1},"result":[{"id":1}],"messages":[]}`, `{"policy":{"budget":1},"pinned_ids":["a"],"memories":[]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		again[wire.SessionBody](t, data)
		again[wire.Append](t, data)
		again[wire.RecordedCall](t, data)
		again[wire.MemoryBody](t, data)
		again[wire.MemoryPatch](t, data)
		again[wire.Search](t, data)
		again[wire.Forget](t, data)
		again[wire.PromptRequest](t, data)
		again[wire.Session](t, data)
		again[wire.Results](t, data)
	})
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"limit=10&offset=0", "limit=a&limit=3", "dry_run=&x=%00", "memory_ids=a&memory_ids=b", "limit=1e3&offset=-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		values, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		q := wire.NewQuery(values)
		limit, offset, dry := q.Int("limit", 20, 1, 100), q.OptInt("offset", 0, 1<<40), q.Bool("dry_run", true)
		require.True(t, limit >= 1 && limit <= 100)
		require.Len(t, q.All("memory_ids"), len(values["memory_ids"]))
		if q.Err() != nil {
			return
		}
		plain := url.Values{"limit": {strconv.FormatInt(limit, 10)}, "dry_run": {strconv.FormatBool(dry)}}
		if offset != nil {
			plain.Set("offset", strconv.FormatInt(*offset, 10))
		}
		r := wire.NewQuery(plain)
		require.Equal(t, limit, r.Int("limit", 20, 1, 100))
		require.Equal(t, offset, r.OptInt("offset", 0, 1<<40))
		require.Equal(t, dry, r.Bool("dry_run", true))
		require.NoError(t, r.Err())
	})
}

func FuzzTime(f *testing.F) {
	for _, seed := range []string{
		"2025-01-02T03:04:05.123456Z", "2025-01-02 03:04:05", "2025-01-02", "2025-01-02T03:04:05+02:00", "2025-01-02t03:04z",
		"1700000000", "1700000000123", "-1e9", "1.5", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999-01:00", "NaN", "1e300",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := wire.ParseTime(text)
		if err != nil {
			return
		}
		data, err := read.MarshalJSON()
		require.NoError(t, err)
		var same wire.Time
		require.NoError(t, same.UnmarshalJSON(data))
		require.True(t, read.Equal(same.Time), "%q: %s is not %s", text, read, same)
	})
}
