package wire_test

import (
	stdjson "encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

func TestTimesOfAllForms(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2025-01-02T03:04:05Z":           at,
		"2025-01-02T03:04:05.123456Z":    at.Add(123456 * time.Microsecond),
		"2025-01-02T03:04:05.123456789Z": at.Add(123456 * time.Microsecond),
		"2025-01-02T05:04:05+02:00":      at,
		"2025-01-02T05:04:05+0200":       at,
		"2025-01-02T05:04:05+02":         at,
		"2025-01-02T03:04:05":            at,
		"2025-01-02 03:04:05":            at,
		"2025-01-02t03:04:05z":           at,
		"2025-01-02 03:04":               at.Truncate(time.Minute),
		"2025-01-02":                     time.Date(2025, 1, 2, 0, 0, 0, 0, time.UTC),
		"1735787045":                     at,
		"1735787045000":                  at,
		"1735787045.5":                   at.Add(500 * time.Millisecond),
		"1735787045500.25":               at.Add(500250 * time.Microsecond),
		"-1":                             time.Unix(-1, 0),
		"2025-01-02_03:04:05":            at,
		"20000000000":                    time.Date(2603, 10, 11, 11, 33, 20, 0, time.UTC),
		"30000000000":                    time.Date(1970, 12, 14, 5, 20, 0, 0, time.UTC),
		"-30000000000":                   time.Date(1969, 1, 18, 18, 40, 0, 0, time.UTC),
	} {
		got, err := wire.ParseTime(text)
		require.NoError(t, err, text)
		assert.True(t, want.Equal(got.Time), "%s: %v", text, got)
		assert.Equal(t, time.UTC, got.Location())
	}
	for _, text := range []string{"", "now", "2025-13-01", "2025-01-02T25:00:00Z", "1e300", "NaN", "Inf", "0x10", "-99999999999999", "2025-01-02X03:04:05", "12:30"} {
		_, err := wire.ParseTime(text)
		require.Error(t, err, text)
	}
}

// encoding/json and json v2 treat the types of the package alike.
func TestValuesThroughEncodingJSON(t *testing.T) {
	t.Parallel()
	type values struct {
		I *wire.Int          `json:"i"`
		F *wire.Float        `json:"f"`
		B *wire.Bool         `json:"b"`
		G *wire.Flag         `json:"g"`
		L wire.List          `json:"l"`
		T *wire.Time         `json:"t"`
		S *wire.SearchOrBool `json:"s"`
	}
	good := map[string][]string{
		"i": {`1`, `"1000"`, `-5`, `3.0`, `"3.0"`, `" 7 "`, `9223372036854775807`, `1e3`},
		"f": {`1`, `"0.7"`, `-1e-3`}, "b": {`true`, `"true"`, `"FALSE"`, `1`, `0`, `"yes"`, `"off"`},
		"g": {`"t"`, `"f"`, `true`}, "l": {`[]`, `["a","b"]`}, "t": {`"2025-01-02"`, `1700000000`, `"1700000000"`},
		"s": {`true`, `false`, `{"limit":"5"}`, `{}`},
	}
	for name, all := range good {
		for _, value := range append(all, `null`) {
			data := []byte(`{"` + name + `":` + value + `}`)
			var ours, std values
			require.NoError(t, wire.Decode(data, &ours), string(data))
			require.NoError(t, stdjson.Unmarshal(data, &std), string(data))
			assert.Equal(t, ours, std, string(data))
			a, err := wire.Encode(&ours)
			require.NoError(t, err)
			b, err := stdjson.Marshal(&std)
			require.NoError(t, err)
			assert.JSONEq(t, string(a), string(b), string(data))
		}
	}
}

func TestQuery(t *testing.T) {
	t.Parallel()
	q := wire.NewQuery(url.Values{
		"limit": {"x", "7"}, "offset": {"3.0"}, "namespace": {""}, "dry_run": {"False"}, "memory_ids": {"a", "b"}, "other": {"?"},
	})
	assert.Equal(t, int64(7), q.Int("limit", 20, 1, 100))
	assert.Equal(t, int64(3), *q.OptInt("offset", 0, 10))
	assert.Equal(t, int64(5), q.Int("none", 5, 1, 100))
	assert.Nil(t, q.OptInt("none", 1, 2))
	assert.Empty(t, *q.OptString("namespace"))
	assert.Nil(t, q.OptString("user_id"))
	assert.Equal(t, "b", q.String("memory_ids"))
	assert.Equal(t, []string{"a", "b"}, q.All("memory_ids"))
	assert.False(t, q.Bool("dry_run", true))
	assert.True(t, q.Bool("none", true))
	require.NoError(t, q.Err())

	q = wire.NewQuery(url.Values{"namespace": {"\xff"}, "user_id": {strings.Repeat("u", 1<<10+1)}, "model_name": {strings.Repeat("u", 1<<10)}})
	assert.Nil(t, q.OptString("namespace"))
	assert.Empty(t, q.String("user_id"))
	assert.Len(t, q.String("model_name"), 1<<10)
	found := places(t, q.Err())
	require.Len(t, found, 2)
	assert.Equal(t, "string_unicode", found[0].Type)
	assert.Equal(t, "string_too_long", found[1].Type)

	q = wire.NewQuery(url.Values{"limit": {"0"}, "offset": {"101"}, "ttl": {"soon"}, "dry_run": {"perhaps"}, "huge": {"1e30"}})
	assert.Equal(t, int64(20), q.Int("limit", 20, 1, 100))
	q.OptInt("offset", 0, 100)
	q.OptInt("ttl", 0, 100)
	q.OptInt("huge", 0, 100)
	assert.True(t, q.Bool("dry_run", true))
	assert.Equal(t, []wire.FieldError{
		{Type: "greater_than_equal", Loc: []any{"query", "limit"}, Msg: "Input should be greater than or equal to 1", Input: "0"},
		{Type: "less_than_equal", Loc: []any{"query", "offset"}, Msg: "Input should be less than or equal to 100", Input: "101"},
		{Type: "int_parsing", Loc: []any{"query", "ttl"}, Msg: "Input should be a valid integer, unable to parse string as an integer", Input: "soon"},
		{Type: "int_parsing_size", Loc: []any{"query", "huge"}, Msg: "Unable to parse input string as an integer, exceeded maximum size", Input: "1e30"},
		{Type: "bool_parsing", Loc: []any{"query", "dry_run"}, Msg: "Input should be a valid boolean, unable to interpret input", Input: "perhaps"},
	}, places(t, q.Err()))
}

func TestAnswersAreStrict(t *testing.T) {
	t.Parallel()
	out, err := wire.Encode(&wire.Session{
		SessionID: "s<&", CreatedAt: wire.Time{Time: time.Date(2025, 1, 2, 3, 4, 5, 123456789, time.FixedZone("", 3600))},
		Messages: []wire.Message{{Role: "user", Content: "a\xffb"}}, Memories: []wire.Memory{{ID: "m", Text: "t", Pinned: new(wire.Bool(false))}},
	})
	require.NoError(t, err)
	assert.Equal(t, `{"session_id":"s<&","namespace":null,"user_id":null,"messages":[{"role":"user","content":"a`+"\uFFFD"+`b","persisted_at":null,"discrete_memory_extracted":"f"}],`+
		`"context":null,"memories":[{"id":"m","text":"t","topics":[],"entities":[],"namespace":null,"user_id":null,"session_id":null,"event_date":null,"access_count":0,"pinned":false,`+
		`"memory_hash":null,"discrete_memory_extracted":"f","persisted_at":null,"extracted_from":[],"extraction_strategy_config":{},"metadata":{}}],"data":{},"entities":[],"long_term_memory_strategy":{"strategy":"","config":{}},`+
		`"tokens":0,"ttl_seconds":null,"created_at":"2025-01-02T02:04:05.123456Z","updated_at":"0001-01-01T00:00:00Z","last_accessed":"0001-01-01T00:00:00Z","version":0,`+
		`"context_percentage_total_used":null,"context_percentage_until_summarization":null}`, string(out))
	out, err = wire.Encode(&wire.Prompt{})
	require.NoError(t, err)
	assert.JSONEq(t, `{"messages":[],"long_term_memories":null}`, string(out))
	_, err = wire.Encode(&wire.Search{Limit: new(wire.Int), Distance: new(wire.Float)})
	require.NoError(t, err)
	_, err = wire.Encode(map[string]any{"secret": func() {}})
	require.EqualError(t, err, "wire: map[string]interface {} has no JSON form")
}
