package driver_test

import (
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func TestKeyString(t *testing.T) {
	t.Parallel()
	for want, key := range map[string]session.Key{
		"//s":                   {SessionID: "s"},
		"ns/user/s":             {Namespace: "ns", UserID: "user", SessionID: "s"},
		"a%2Fb/%2F/%2F%2F":      {Namespace: "a/b", UserID: "/", SessionID: "//"},
		"/a@b.example+tag/A-1_": {UserID: "a@b.example+tag", SessionID: "A-1_"},
		"//%00%FF%C3%A9%25%7B":  {SessionID: "\x00\xffé%{"},
		"/~/%3A%20%0A":          {UserID: "~", SessionID: ": \n"},
	} {
		require.Equal(t, want, key.String())
		back, err := session.ParseKey(want)
		require.NoError(t, err, want)
		require.Equal(t, key, back)
	}
}

func TestParseKeyRejectsOtherTexts(t *testing.T) {
	t.Parallel()
	for why, text := range map[string]string{
		"empty":                  "",
		"one part":               "s",
		"two parts":              "a/s",
		"four parts":             "a/b/c/d",
		"no session id":          "a/b/",
		"lower case hex":         "//%c3",
		"not hex":                "//%G0",
		"half an escape":         "//%4",
		"an escape's beginning":  "//a%",
		"a plain byte escaped":   "//%61",
		"a byte that is escaped": "//a b",
		"not ASCII":              "//é",
		"a NUL":                  "//\x00",
		"in the namespace":       "%/b/c",
		"in the user":            "a/b:/c",
		"too long":               "//" + strings.Repeat("s", session.MaxKeyBytes+1),
		"too long together":      strings.Repeat("n", session.MaxKeyBytes) + "//s",
	} {
		key, err := session.ParseKey(text)
		require.ErrorIs(t, err, session.ErrKey, why)
		if strings.Contains(why, "too long") || why == "no session id" {
			continue // the key is known, and refused
		}
		require.Zero(t, key, why)
	}
}

func TestKeyCheck(t *testing.T) {
	t.Parallel()
	require.NoError(t, session.Key{SessionID: "s"}.Check())
	require.NoError(t, session.Key{SessionID: strings.Repeat("\xff", session.MaxKeyBytes)}.Check())
	require.NoError(t, session.Key{Namespace: "a", UserID: "b", SessionID: strings.Repeat("s", session.MaxKeyBytes-2)}.Check())
	require.ErrorIs(t, session.Key{}.Check(), session.ErrKey)
	require.ErrorIs(t, session.Key{Namespace: "a", UserID: "b"}.Check(), session.ErrKey)
	require.ErrorIs(t, session.Key{Namespace: "ab", SessionID: strings.Repeat("s", session.MaxKeyBytes-1)}.Check(), session.ErrKey)
}

func TestKeysRoundTrip(t *testing.T) {
	t.Parallel()
	part := rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"/", "%", "%2F", "%25", "a", "A", "\x00", ":", "é"}), 0, 5),
			func(parts []string) string { return strings.Join(parts, "") }),
	)
	key := rapid.Custom(func(t *rapid.T) session.Key {
		return session.Key{Namespace: part.Draw(t, "namespace"), UserID: part.Draw(t, "user"), SessionID: part.Draw(t, "session") + "s"}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := key.Draw(t, "a"), key.Draw(t, "b")
		requireRoundTrip(t, a)
		require.Equal(t, a == b, a.String() == b.String())
	})
}

// requireRoundTrip requires that the text of a key is plain and is parsed back.
func requireRoundTrip(t require.TestingT, key session.Key) {
	text := key.String()
	namespace, user, id := key.Escaped()
	require.Equal(t, text, namespace+"/"+user+"/"+id)
	back, err := session.ParseKey(text)
	require.NoError(t, err)
	require.Equal(t, key, back)
	for i, part := range strings.Split(text, "/") {
		require.False(t, strings.ContainsFunc(part, func(r rune) bool {
			return r <= ' ' || r > '~' || strings.ContainsRune(`/{}:*?[]\'"`, r)
		}), part)
		plain, err := url.PathUnescape(part)
		require.NoError(t, err)
		require.Equal(t, []string{key.Namespace, key.UserID, key.SessionID}[i], plain)
	}
}

func FuzzParseKey(f *testing.F) {
	for _, text := range []string{"", "//s", "a/b/c", "%2F/%00/%FF", "//%61", "//%c3%a9", "a/b/c/d", "//%", "//%F"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, err := session.ParseKey(text)
		if err != nil {
			require.ErrorIs(t, err, session.ErrKey)
			return
		}
		require.NoError(t, key.Check())
		require.Equal(t, text, key.String(), "a text that String does not give was taken")
	})
}

func TestTextOfAMessage(t *testing.T) {
	t.Parallel()
	m := session.Message{Role: "assistant", Content: "wait", ToolCalls: []session.ToolCall{{Name: "f", Arguments: "{}"}, {Name: "g"}}}
	assert.Equal(t, "assistant: wait\nf({})\ng()", m.Text())
	assert.Equal(t, "user: ", (&session.Message{Role: "user"}).Text())
}

func TestTTLMillis(t *testing.T) {
	t.Parallel()
	for ttl, want := range map[time.Duration]int64{
		0: 0, session.NoExpiry: -1, 1: 1, time.Millisecond: 1, time.Millisecond + 1: 2, 1500 * time.Microsecond: 2,
		time.Hour: 3_600_000, math.MaxInt64: 9_223_372_036_855,
	} {
		ms, err := driver.TTLMillis(ttl)
		require.NoError(t, err)
		assert.Equal(t, want, ms, ttl)
	}
	for _, ttl := range []time.Duration{-2, -time.Hour, math.MinInt64} {
		_, err := driver.TTLMillis(ttl)
		require.ErrorIs(t, err, session.ErrTTL)
	}
}
