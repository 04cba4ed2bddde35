package auth_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/auth/authtest"
)

var (
	start  = time.Date(2026, 3, 4, 5, 6, 7, 891_234_567, time.FixedZone("east", 3600))
	tenant = auth.Tenant{Namespace: "shop", UserID: "ann"}
)

// fixedClock returns a clock that always shows the same time.
func fixedClock(at time.Time) func() time.Time { return func() time.Time { return at } }

func TestMemoryTokenStore(t *testing.T) {
	t.Parallel()
	authtest.Run(t, func(testing.TB) authtest.Harness {
		var store auth.MemoryTokenStore // the zero value works too
		return authtest.Harness{Open: func(testing.TB) auth.TokenStore { return &store }, Shared: true}
	})
}

func TestCreate(t *testing.T) {
	t.Parallel()
	made := start.UTC().Truncate(time.Millisecond)
	for ttl, expires := range map[time.Duration]time.Time{
		0: {}, 1: made.Add(time.Millisecond), time.Millisecond: made.Add(time.Millisecond), time.Millisecond + 1: made.Add(2 * time.Millisecond),
		time.Hour: made.Add(time.Hour), math.MaxInt64: made.Add(math.MaxInt64).Truncate(time.Millisecond).Add(time.Millisecond),
	} {
		store := auth.NewMemoryTokenStore()
		text, token, err := auth.Create(t.Context(), store, auth.CreateOptions{
			Description: "for the agent", Tenant: tenant, TTL: ttl, Now: fixedClock(start),
		})
		require.NoError(t, err)
		require.Regexp(t, `^wmem_[0-9a-f]{20}_[0-9a-f]{64}$`, text)
		assert.Equal(t, auth.Token{
			ID: text[5:25], Description: "for the agent", Tenant: tenant, CreatedAt: made, ExpiresAt: expires, Hash: token.Hash,
		}, token)
		stored, err := store.Get(t.Context(), token.ID)
		require.NoError(t, err)
		assert.Equal(t, token, stored)
		again, other, err := auth.Create(t.Context(), store, auth.CreateOptions{Unbound: true})
		require.NoError(t, err)
		assert.NotEqual(t, token.ID, other.ID)
		assert.NotEqual(t, text[26:], again[26:])
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	closed := auth.NewMemoryTokenStore()
	require.NoError(t, closed.Close())
	_, _, err := auth.Create(t.Context(), closed, auth.CreateOptions{Tenant: tenant})
	require.ErrorIs(t, err, auth.ErrClosed)
	for name, tc := range map[string]struct {
		opts auth.CreateOptions
		want error
	}{
		"no tenant":          {auth.CreateOptions{}, auth.ErrUnbound},
		"tenant and unbound": {auth.CreateOptions{Tenant: tenant, Unbound: true}, auth.ErrToken},
		"negative TTL":       {auth.CreateOptions{Unbound: true, TTL: -1}, auth.ErrToken},
		"long description":   {auth.CreateOptions{Unbound: true, Description: strings.Repeat("a", 201)}, auth.ErrToken},
		"clock of year 1":    {auth.CreateOptions{Unbound: true, Now: fixedClock(time.Time{})}, auth.ErrToken},
		"expires after 9999": {auth.CreateOptions{Unbound: true, TTL: time.Hour, Now: fixedClock(time.Date(9999, 12, 31, 23, 30, 0, 0, time.UTC))}, auth.ErrToken},
	} {
		store := auth.NewMemoryTokenStore()
		text, token, err := auth.Create(t.Context(), store, tc.opts)
		require.ErrorIs(t, err, tc.want, name)
		assert.Empty(t, text)
		assert.Equal(t, auth.Token{}, token)
		all, err := store.List(t.Context())
		require.NoError(t, err)
		assert.Empty(t, all)
	}
}

// recorder is a store that records what it is given, in readable form.
type recorder struct {
	auth.TokenStore
	stored string
}

func (r *recorder) Add(ctx context.Context, t auth.Token) error {
	r.stored += strings.Join([]string{t.ID, t.Description, t.Tenant.Namespace, t.Tenant.UserID, string(t.Hash[:]), hex.EncodeToString(t.Hash[:])}, "\n")
	return r.TokenStore.Add(ctx, t)
}

// The secret of a token appears only in the text that Create returns, and its hash in nothing
// that is printed, logged or encoded.
func TestSecretsDoNotLeak(t *testing.T) {
	t.Parallel()
	store := &recorder{TokenStore: auth.NewMemoryTokenStore()}
	text, token, err := auth.Create(t.Context(), store, auth.CreateOptions{Tenant: tenant, Description: "for the agent", TTL: time.Hour})
	require.NoError(t, err)
	digits := text[26:]
	raw, err := hex.DecodeString(digits)
	require.NoError(t, err)
	for _, part := range []string{text, digits[:8], string(raw[:4])} {
		assert.NotContains(t, store.stored, part)
	}

	output := tokenOutput(t, token)
	v := auth.NewVerifier(store, nil)
	for _, bad := range []string{text + " ", text[:len(text)-1], "Bearer " + text, text[:26] + strings.Repeat("0", 64)} {
		_, err := v.Verify(t.Context(), bad)
		require.ErrorIs(t, err, auth.ErrInvalid)
		output += fmt.Sprintf("%+v %#v", err, err)
	}
	for _, part := range []string{digits[:8], string(raw[:4]), hex.EncodeToString(token.Hash[:4]), string(token.Hash[:4]), fmt.Sprint(token.Hash[0], token.Hash[1], token.Hash[2])} {
		assert.NotContains(t, strings.ToLower(output), part)
	}
}

// tokenOutput returns everything that fmt, slog and encoding/json make of a token.
func tokenOutput(t *testing.T, token auth.Token) string {
	t.Helper()
	var b bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%08b", "%t"} {
		for _, value := range []any{token, &token, []auth.Token{token}, map[string]auth.Token{"a": token}, struct{ Token auth.Token }{token}} {
			fmt.Fprintf(&b, verb, value)
		}
	}
	assert.Equal(t, "token "+token.ID, fmt.Sprintf("%+v", token))
	for _, handler := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		slog.New(handler).Info("a token", "token", token, "pointer", &token, "list", []auth.Token{token})
	}
	assert.Contains(t, b.String(), "token.id="+token.ID+" token.namespace=shop token.user_id=ann")
	require.NoError(t, json.NewEncoder(&b).Encode(map[string]any{"token": token, "pointer": &token, "list": []auth.Token{token}}))
	one, err := json.Marshal(token)
	require.NoError(t, err)
	assert.JSONEq(t, fmt.Sprintf(`{"id":%q,"description":"for the agent","namespace":"shop","user_id":"ann","created_at":%q,"expires_at":%q}`,
		token.ID, token.CreatedAt.Format(time.RFC3339Nano), token.ExpiresAt.Format(time.RFC3339Nano)), string(one))
	token.Description, token.Tenant, token.ExpiresAt = "", auth.Tenant{}, time.Time{}
	bare, err := json.Marshal(token)
	require.NoError(t, err)
	assert.JSONEq(t, fmt.Sprintf(`{"id":%q,"created_at":%q}`, token.ID, token.CreatedAt.Format(time.RFC3339Nano)), string(bare))
	return b.String()
}
