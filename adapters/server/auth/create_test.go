package auth_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

var start = time.Date(2026, 3, 4, 5, 6, 7, 891_234_567, time.FixedZone("east", 3600))

// clock is a clock that stands still.
func clock(at time.Time) func() time.Time { return func() time.Time { return at } }

var tenant = auth.Tenant{Namespace: "shop", UserID: "ann"}

func TestCreate(t *testing.T) {
	t.Parallel()
	store := auth.NewMemoryTokenStore()
	text, token, err := auth.Create(t.Context(), store, auth.CreateOptions{
		Description: "for the agent", Tenant: tenant, TTL: time.Hour, Now: clock(start),
	})
	require.NoError(t, err)
	assert.Regexp(t, `^wmem_[0-9a-f]{20}_[0-9a-f]{64}$`, text)
	assert.Equal(t, text[5:25], token.ID)
	assert.Equal(t, "for the agent", token.Description)
	assert.Equal(t, tenant, token.Tenant)
	assert.Equal(t, time.Date(2026, 3, 4, 4, 6, 7, 891_000_000, time.UTC), token.CreatedAt)
	assert.Equal(t, token.CreatedAt.Add(time.Hour), token.ExpiresAt)
	kept, err := store.Get(t.Context(), token.ID)
	require.NoError(t, err)
	assert.Equal(t, token, kept)
}

func TestCreateLasts(t *testing.T) {
	t.Parallel()
	made := start.UTC().Truncate(time.Millisecond)
	for ttl, want := range map[time.Duration]time.Time{
		0: {}, 1: made.Add(time.Millisecond), time.Millisecond: made.Add(time.Millisecond),
		time.Millisecond + 1: made.Add(2 * time.Millisecond), math.MaxInt64: made.Add(math.MaxInt64).Truncate(time.Millisecond).Add(time.Millisecond),
	} {
		_, token, err := auth.Create(t.Context(), auth.NewMemoryTokenStore(), auth.CreateOptions{Unbound: true, TTL: ttl, Now: clock(start)})
		require.NoError(t, err)
		assert.Equal(t, want, token.ExpiresAt, "%d", ttl)
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		opts auth.CreateOptions
		want error
	}{
		"bound to nothing":      {auth.CreateOptions{}, auth.ErrUnbound},
		"bound and not":         {auth.CreateOptions{Tenant: tenant, Unbound: true}, auth.ErrToken},
		"negative TTL":          {auth.CreateOptions{Unbound: true, TTL: -1}, auth.ErrToken},
		"endless description":   {auth.CreateOptions{Unbound: true, Description: strings.Repeat("a", 201)}, auth.ErrToken},
		"NUL in the tenant":     {auth.CreateOptions{Tenant: auth.Tenant{UserID: "\x00"}}, auth.ErrToken},
		"a clock out of bounds": {auth.CreateOptions{Unbound: true, Now: clock(time.Time{})}, auth.ErrToken},
		"expires after 9999":    {auth.CreateOptions{Unbound: true, TTL: time.Hour, Now: clock(time.Date(9999, 12, 31, 23, 30, 0, 0, time.UTC))}, auth.ErrToken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := auth.NewMemoryTokenStore()
			text, token, err := auth.Create(t.Context(), store, tc.opts)
			require.ErrorIs(t, err, tc.want)
			assert.Empty(t, text)
			assert.Equal(t, auth.Token{}, token)
			all, err := store.List(t.Context())
			require.NoError(t, err)
			assert.Empty(t, all)
		})
	}
}

func TestCreateInAStoreThatFails(t *testing.T) {
	t.Parallel()
	store := auth.NewMemoryTokenStore()
	require.NoError(t, store.Close())
	text, token, err := auth.Create(t.Context(), store, auth.CreateOptions{Tenant: tenant})
	require.ErrorIs(t, err, auth.ErrClosed)
	assert.Empty(t, text)
	assert.Equal(t, auth.Token{}, token)
}

func TestTokensDiffer(t *testing.T) {
	t.Parallel()
	store := auth.NewMemoryTokenStore()
	ids, hashes := map[string]bool{}, map[[32]byte]bool{}
	for range 1000 {
		_, token, err := auth.Create(t.Context(), store, auth.CreateOptions{Unbound: true})
		require.NoError(t, err)
		ids[token.ID], hashes[token.Hash] = true, true
	}
	assert.Len(t, ids, 1000)
	assert.Len(t, hashes, 1000)
}

// recorder is a store that notes what it is given to keep, byte by byte.
type recorder struct {
	auth.TokenStore
	kept []string
}

func (r *recorder) Add(ctx context.Context, t auth.Token) error {
	r.kept = append(r.kept, t.ID, t.Description, t.Tenant.Namespace, t.Tenant.UserID, string(t.Hash[:]), hex.EncodeToString(t.Hash[:]))
	return r.TokenStore.Add(ctx, t)
}

// The text of a token, and its secret part in any form, is in nothing but what Create
// returns; its hash is in nothing that people read.
func TestNothingTellsTheSecret(t *testing.T) {
	t.Parallel()
	store := &recorder{TokenStore: auth.NewMemoryTokenStore()}
	text, token, err := auth.Create(t.Context(), store, auth.CreateOptions{Tenant: tenant, Description: "for the agent", TTL: time.Hour})
	require.NoError(t, err)
	digits := text[strings.LastIndexByte(text, '_')+1:]
	raw, err := hex.DecodeString(digits)
	require.NoError(t, err)
	kept := strings.Join(store.kept, "\n")
	for _, part := range []string{text, digits[:8], string(raw[:4])} {
		assert.NotContains(t, kept, part, "the store keeps it")
	}

	said := told(t, token)
	v := auth.NewVerifier(store, nil)
	for _, bad := range []string{text + " ", text[:len(text)-1], "Bearer " + text, strings.ToUpper(text), text[:len(text)-64] + strings.Repeat("0", 64)} {
		_, err := v.Verify(t.Context(), bad)
		require.ErrorIs(t, err, auth.ErrInvalid)
		said = append(said, err.Error(), fmt.Sprintf("%+v %#v", err, err))
	}
	for _, s := range said {
		for _, part := range []string{digits[:8], string(raw[:4]), hex.EncodeToString(token.Hash[:4]), string(token.Hash[:4]), fmt.Sprint(token.Hash[0], token.Hash[1], token.Hash[2])} {
			assert.NotContains(t, strings.ToLower(s), part)
		}
	}
}

// told is a token as it is printed, logged and encoded.
func told(t *testing.T, token auth.Token) (all []string) {
	t.Helper()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%08b", "%t"} {
		for _, value := range []any{token, &token, []auth.Token{token}, map[string]auth.Token{"a": token}, struct{ Token auth.Token }{token}} {
			all = append(all, fmt.Sprintf(verb, value))
		}
	}
	assert.Equal(t, "token "+token.ID, fmt.Sprintf("%+v", token))
	assert.Equal(t, "token "+token.ID, token.String())
	var logs bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&logs, nil), slog.NewJSONHandler(&logs, nil)} {
		slog.New(handler).Info("a token", "token", token, "pointer", &token, "list", []auth.Token{token})
	}
	assert.Contains(t, logs.String(), "token.id="+token.ID+" token.namespace=shop token.user_id=ann")
	encoded, err := json.Marshal(map[string]any{"token": token, "pointer": &token, "list": []auth.Token{token}})
	require.NoError(t, err)
	one, err := json.Marshal(token)
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(one, &fields))
	assert.Len(t, fields, 6)
	assert.Equal(t, "shop", fields["namespace"])
	return append(all, logs.String(), string(encoded))
}

func TestJSONOfABareToken(t *testing.T) {
	t.Parallel()
	_, token, err := auth.Create(t.Context(), auth.NewMemoryTokenStore(), auth.CreateOptions{Unbound: true, Now: clock(start)})
	require.NoError(t, err)
	encoded, err := json.Marshal(token)
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"`+token.ID+`","created_at":"2026-03-04T04:06:07.891Z"}`, string(encoded))
}

func TestErrorsAreApart(t *testing.T) {
	t.Parallel()
	all := []error{auth.ErrNotFound, auth.ErrExists, auth.ErrToken, auth.ErrInvalid, auth.ErrExpired, auth.ErrUnavailable, auth.ErrClosed, auth.ErrUnbound}
	for i, a := range all {
		for j, b := range all {
			assert.Equal(t, i == j, errors.Is(a, b))
		}
	}
}
