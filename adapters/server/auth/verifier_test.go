package auth_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

// create makes a token in a store.
func create(tb testing.TB, store auth.TokenStore, ttl time.Duration) (string, auth.Token) {
	tb.Helper()
	text, token, err := auth.Create(tb.Context(), store, auth.CreateOptions{Tenant: tenant, TTL: ttl, Now: clock(start)})
	require.NoError(tb, err)
	return text, token
}

// other is a text with another character at a place, of the same kind.
func other(text string, at int) string {
	c := byte('0')
	if text[at] == c {
		c = '1'
	}
	return text[:at] + string(c) + text[at+1:]
}

func TestVerify(t *testing.T) {
	t.Parallel()
	store := auth.NewMemoryTokenStore()
	text, want := create(t, store, 0)
	create(t, store, time.Hour)
	v := auth.NewVerifier(store, nil)
	got, err := v.Verify(t.Context(), text)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	require.NoError(t, store.Remove(t.Context(), want.ID))
	got, err = v.Verify(t.Context(), text)
	require.ErrorIs(t, err, auth.ErrInvalid, "revoked")
	assert.Equal(t, auth.Token{}, got)
}

// A token has one text: whatever else is presented is invalid, and the store is asked for
// what looks like one alone.
func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	store := auth.NewMemoryTokenStore()
	text, token := create(t, store, 0)
	secret := text[len(text)-64:]
	bad := map[string]string{
		"empty": "", "blank": " ", "prefix": "wmem_", "no secret": text[:25], "no secret behind": text[:26],
		"short by one": text[:len(text)-1], "long by one": text + "0", "space before": " " + text, "space behind": text + " ", "line": text + "\n",
		"NUL": text + "\x00", "not UTF-8": text + "\xff", "header": "Bearer " + text, "quoted": `"` + text + `"`,
		"upper case": strings.ToUpper(text), "upper-case prefix": "WMEM_" + text[5:], "upper-case id": "wmem_" + strings.ToUpper(token.ID) + "_" + secret,
		"upper-case secret": text[:26] + strings.ToUpper(secret), "no hex": text[:len(text)-1] + "g", "another separator": text[:25] + "-" + secret,
		"two separators": text[:25] + "__" + secret[1:], "no id": "wmem__" + secret, "short id": "wmem_" + token.ID[:15] + "_" + secret,
		"long id": "wmem_" + strings.Repeat("a", 65) + "_" + secret, "secret and id swapped": "wmem_" + secret + "_" + token.ID,
		"hash": "wmem_" + token.ID + "_" + string(token.Hash[:]), "full-width": "wmem_" + token.ID + "_" + strings.Repeat("０", 64),
		"endless": strings.Repeat("a", 1<<20), "endless id": "wmem_" + strings.Repeat("a", 1<<20) + "_" + secret, "endless secret": text + strings.Repeat("0", 1<<20),
		"unknown id": other(text, 7), "zeros": "wmem_" + strings.Repeat("0", 20) + "_" + strings.Repeat("0", 64),
	}
	v := auth.NewVerifier(store, nil)
	for name, presented := range bad {
		if presented == text {
			continue // it had no letters to change
		}
		got, err := v.Verify(t.Context(), presented)
		require.ErrorIs(t, err, auth.ErrInvalid, name)
		require.Equal(t, auth.Token{}, got, name)
	}
	for at := range text {
		_, err := v.Verify(t.Context(), other(text, at))
		require.ErrorIs(t, err, auth.ErrInvalid, "character %d", at)
	}
	_, err := v.Verify(t.Context(), text)
	require.NoError(t, err)
}

// The secret of one token does not open another.
func TestSecretsOfOthers(t *testing.T) {
	t.Parallel()
	store := auth.NewMemoryTokenStore()
	first, _ := create(t, store, 0)
	second, _ := create(t, store, 0)
	_, err := auth.NewVerifier(store, nil).Verify(t.Context(), first[:26]+second[26:])
	require.ErrorIs(t, err, auth.ErrInvalid)
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	store := auth.NewMemoryTokenStore()
	text, token := create(t, store, time.Hour)
	for after, want := range map[time.Duration]error{
		-time.Hour: nil, 0: nil, time.Hour - time.Millisecond: nil, time.Hour - 1: nil,
		time.Hour: auth.ErrExpired, time.Hour + 1: auth.ErrExpired, 1000 * time.Hour: auth.ErrExpired,
	} {
		v := auth.NewVerifier(store, &auth.VerifierOptions{Now: clock(token.CreatedAt.Add(after))})
		got, err := v.Verify(t.Context(), text)
		require.ErrorIs(t, err, want, "%s", after)
		if want != nil {
			require.Equal(t, auth.Token{}, got)
		}
		_, err = v.Verify(t.Context(), other(text, len(text)-1))
		require.ErrorIs(t, err, auth.ErrInvalid, "who does not know the secret does not learn that it expired")
		require.NotErrorIs(t, err, auth.ErrExpired)
	}
}

// failing is a store that answers Get with something of its own.
type failing struct {
	auth.TokenStore
	token auth.Token
	err   error
}

func (f failing) Get(context.Context, string) (auth.Token, error) { return f.token, f.err }

func TestVerifyWithoutAStore(t *testing.T) {
	t.Parallel()
	text, _ := create(t, auth.NewMemoryTokenStore(), 0)
	closed := auth.NewMemoryTokenStore()
	require.NoError(t, closed.Close())
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		store auth.TokenStore
		want  error
	}{
		"unavailable": {failing{err: auth.ErrUnavailable}, auth.ErrUnavailable},
		"closed":      {closed, auth.ErrClosed},
		"broken":      {failing{err: broken}, broken},
		"ended":       {failing{err: context.Canceled}, context.Canceled},
	} {
		_, err := auth.NewVerifier(tc.store, nil).Verify(t.Context(), text)
		require.ErrorIs(t, err, auth.ErrUnavailable, name)
		require.ErrorIs(t, err, tc.want, name)
		require.NotErrorIs(t, err, auth.ErrInvalid, name)
		require.Equal(t, 1, strings.Count(err.Error(), auth.ErrUnavailable.Error()), name)
		_, err = auth.NewVerifier(tc.store, nil).Verify(t.Context(), text+" ")
		require.ErrorIs(t, err, auth.ErrInvalid, "what is no token needs no store")
	}
}

// A store that finds more than it was asked for, as one does that folds case, opens
// nothing.
func TestVerifyComparesIDs(t *testing.T) {
	t.Parallel()
	text, token := create(t, auth.NewMemoryTokenStore(), 0)
	_, err := auth.NewVerifier(failing{token: token}, nil).Verify(t.Context(), other(text, 7))
	require.ErrorIs(t, err, auth.ErrInvalid)
	_, err = auth.NewVerifier(failing{token: token, err: auth.ErrNotFound}, nil).Verify(t.Context(), text)
	require.ErrorIs(t, err, auth.ErrInvalid, "an error counts more than what comes with it")
}

func TestVerifyAtOnce(t *testing.T) {
	t.Parallel()
	store := auth.NewMemoryTokenStore()
	v := auth.NewVerifier(store, nil)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				text, want, err := auth.Create(t.Context(), store, auth.CreateOptions{Tenant: tenant})
				assert.NoError(t, err)
				got, err := v.Verify(t.Context(), text)
				assert.NoError(t, err)
				assert.Equal(t, want.ID, got.ID)
				assert.NoError(t, store.Remove(t.Context(), want.ID))
				_, err = v.Verify(t.Context(), text)
				assert.ErrorIs(t, err, auth.ErrInvalid)
			}
		})
	}
	all.Wait()
}

// FuzzVerify: whatever is presented, it is the token's text or invalid.
func FuzzVerify(f *testing.F) {
	store := auth.NewMemoryTokenStore()
	right, _ := create(f, store, 0)
	v := auth.NewVerifier(store, nil)
	for _, seed := range []string{
		"", "wmem_", "wmem__", right, right + "0", right[:26], strings.ToUpper(right), "wmem_" + strings.Repeat("0", 85), "wmem_" + strings.Repeat("_", 85), "\xff\x00",
	} {
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
		if len(text) >= 16 {
			require.NotContains(t, err.Error(), text)
		}
	})
}
