package auth_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

// create makes a token in a store.
func create(tb testing.TB, store auth.TokenStore, ttl time.Duration) (string, auth.Token) {
	tb.Helper()
	text, token, err := auth.Create(tb.Context(), store, auth.CreateOptions{Tenant: tenant, TTL: ttl, Now: fixedClock(start)})
	require.NoError(tb, err)
	return text, token
}

// changed returns text with another digit at a place.
func changed(text string, at int) string {
	c := "0"
	if text[at] == c[0] {
		c = "1"
	}
	return text[:at] + c + text[at+1:]
}

// A token has exactly one text.
func TestVerify(t *testing.T) {
	t.Parallel()
	store := auth.NewMemoryTokenStore()
	text, token := create(t, store, 0)
	another, _ := create(t, store, 0)
	v := auth.NewVerifier(store, nil)
	got, err := v.Verify(t.Context(), text)
	require.NoError(t, err)
	require.Equal(t, token, got)

	secret := text[26:]
	bad := []string{
		"", " ", "wmem_", text[:25], text[:26], text[:len(text)-1], text + "0", " " + text, text + "\n", text + "\x00", text + "\xff", "Bearer " + text,
		"WMEM_" + text[5:], "wmem_" + strings.ToUpper(token.ID+"a") + "_" + secret, text[:26] + strings.ToUpper(secret[1:]+"a"), text[:len(text)-1] + "g",
		text[:25] + "-" + secret, text[:25] + "__" + secret[1:], "wmem__" + secret, "wmem_" + token.ID[:15] + "_" + secret,
		"wmem_" + strings.Repeat("a", 65) + "_" + secret, "wmem_" + token.ID + "_" + string(token.Hash[:]), "wmem_" + token.ID + "_" + strings.Repeat("０", 64),
		strings.Repeat("a", 1<<20), "wmem_" + strings.Repeat("a", 1<<20) + "_" + secret, text + strings.Repeat("0", 1<<20), text[:26] + another[26:],
	}
	for at := range text {
		bad = append(bad, changed(text, at))
	}
	for _, presented := range bad {
		got, err := v.Verify(t.Context(), presented)
		require.ErrorIs(t, err, auth.ErrInvalid, "%.100q", presented)
		require.Equal(t, auth.Token{}, got)
	}
	require.NoError(t, store.Remove(t.Context(), token.ID))
	_, err = v.Verify(t.Context(), text)
	require.ErrorIs(t, err, auth.ErrInvalid, "revoked")
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	store := auth.NewMemoryTokenStore()
	text, token := create(t, store, time.Hour)
	for after, want := range map[time.Duration]error{
		-time.Hour: nil, 0: nil, time.Hour - 1: nil, time.Hour: auth.ErrExpired, 1000 * time.Hour: auth.ErrExpired,
	} {
		v := auth.NewVerifier(store, &auth.VerifierOptions{Now: fixedClock(token.CreatedAt.Add(after))})
		got, err := v.Verify(t.Context(), text)
		require.ErrorIs(t, err, want, "%s", after)
		require.Equal(t, want == nil, got != auth.Token{})
		_, err = v.Verify(t.Context(), changed(text, len(text)-1))
		require.ErrorIs(t, err, auth.ErrInvalid, "a wrong secret does not reveal the expiry")
		require.NotErrorIs(t, err, auth.ErrExpired)
	}
	_, err := auth.NewVerifier(store, nil).Verify(t.Context(), text)
	require.ErrorIs(t, err, auth.ErrExpired, "the default clock is time.Now")
}

// fakeStore is a store whose Get returns a fixed result.
type fakeStore struct {
	auth.TokenStore
	token auth.Token
	err   error
}

func (f fakeStore) Get(context.Context, string) (auth.Token, error) { return f.token, f.err }

func TestVerifyWithoutAStore(t *testing.T) {
	t.Parallel()
	text, token := create(t, auth.NewMemoryTokenStore(), 0)
	for _, cause := range []error{auth.ErrUnavailable, auth.ErrClosed, context.Canceled, errors.New("broken")} {
		v := auth.NewVerifier(fakeStore{err: cause}, nil)
		_, err := v.Verify(t.Context(), text)
		require.ErrorIs(t, err, auth.ErrUnavailable)
		require.ErrorIs(t, err, cause)
		require.NotErrorIs(t, err, auth.ErrInvalid)
		require.Equal(t, 1, strings.Count(err.Error(), auth.ErrUnavailable.Error()))
		_, err = v.Verify(t.Context(), text+" ")
		require.ErrorIs(t, err, auth.ErrInvalid, "a malformed text needs no store")
	}
	_, err := auth.NewVerifier(fakeStore{token: token}, nil).Verify(t.Context(), changed(text, 7))
	require.ErrorIs(t, err, auth.ErrInvalid, "a store may fold the case of ids")
	_, err = auth.NewVerifier(fakeStore{token: token, err: auth.ErrNotFound}, nil).Verify(t.Context(), text)
	require.ErrorIs(t, err, auth.ErrInvalid, "an error takes precedence over the token")
}

// FuzzVerify checks that only the exact text of a token is accepted.
func FuzzVerify(f *testing.F) {
	store := auth.NewMemoryTokenStore()
	right, _ := create(f, store, 0)
	v := auth.NewVerifier(store, nil)
	for _, seed := range []string{"", "wmem__", right, right + "0", strings.ToUpper(right), "wmem_" + strings.Repeat("_", 85), "\xff\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := v.Verify(context.Background(), text)
		if text == right {
			require.NoError(t, err)
			return
		}
		require.ErrorIs(t, err, auth.ErrInvalid)
		require.Equal(t, auth.Token{}, got)
		require.False(t, len(text) >= 16 && strings.Contains(err.Error(), text))
	})
}
