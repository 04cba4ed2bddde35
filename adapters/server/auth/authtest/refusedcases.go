package authtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

func refusedCases() []testCase {
	return []testCase{{
		Name:  "unique ids",
		About: "Adding a token whose id is taken returns ErrExists, even for an equal token, and changes nothing.",
		Run: func(e *env) {
			t := e.add(token(1))
			other := token(2)
			other.ID = t.ID
			for _, again := range []auth.Token{t, other} {
				err := e.store.Add(e.ctx, again)
				require.ErrorIs(e, err, auth.ErrExists)
				withoutHash(e, err, again)
			}
			e.has(e.store, t)
		},
	}, {
		Name:  "missing token",
		About: "Get and Remove of an unknown id return ErrNotFound and change nothing.",
		Run: func(e *env) {
			t := e.add(token(1))
			e.absent(token(2).ID)
			e.has(e.store, t)
		},
	}, {
		Name:  "malformed ids",
		About: "Get and Remove return ErrNotFound for a text that is not a ValidID, even if it has a meaning in the store's query language.",
		Run: func(e *env) {
			t := token(1)
			t.ID = "abcdefghij0123456789"
			e.add(t)
			for _, id := range append([]string{
				"", "\x00", "\xff", t.ID + "\x00", t.ID[:16], t.ID + "0", " " + t.ID, strings.ToUpper(t.ID), "%", "*", "abcdefghij%", "abcdefghij__________",
				"' OR '1'='1", strings.Repeat("a", 1<<20),
			}, oddTexts...) {
				e.absent(id)
			}
			e.has(e.store, t)
		},
	}, {
		Name:  "malformed tokens",
		About: "Add returns ErrToken for a token that Token.Check refuses, and stores nothing.",
		Run:   badTokens,
	}}
}

// absent requires that the store has no token with an id.
func (e *env) absent(id string) {
	e.Helper()
	t, err := e.store.Get(e.ctx, id)
	require.ErrorIs(e, err, auth.ErrNotFound, "%q", id)
	require.Equal(e, auth.Token{}, t)
	require.NotErrorIs(e, err, auth.ErrUnavailable)
	require.ErrorIs(e, e.store.Remove(e.ctx, id), auth.ErrNotFound, "%q", id)
}

// withoutHash requires that an error does not contain the hash of a token.
func withoutHash(e *env, err error, t auth.Token) {
	e.Helper()
	for _, form := range []string{hex.EncodeToString(t.Hash[:4]), base64.StdEncoding.EncodeToString(t.Hash[:3]), string(t.Hash[:4])} {
		require.NotContains(e, strings.ToLower(err.Error()), strings.ToLower(form))
	}
}

func badTokens(e *env) {
	for name, spoil := range map[string]func(t *auth.Token){
		"no id":                   func(t *auth.Token) { t.ID = "" },
		"short id":                func(t *auth.Token) { t.ID = t.ID[:auth.MinIDBytes-1] },
		"long id":                 func(t *auth.Token) { t.ID = strings.Repeat("a", auth.MaxIDBytes+1) },
		"upper-case id":           func(t *auth.Token) { t.ID = "A" + t.ID[1:] },
		"id with an underscore":   func(t *auth.Token) { t.ID = "_" + t.ID[1:] },
		"long description":        func(t *auth.Token) { t.Description = strings.Repeat("d", auth.MaxDescriptionBytes+1) },
		"description with NUL":    func(t *auth.Token) { t.Description = "secret\x00" },
		"description not UTF-8":   func(t *auth.Token) { t.Description = "secret\xff" },
		"namespace with NUL":      func(t *auth.Token) { t.Tenant.Namespace = "\x00secret" },
		"namespace not UTF-8":     func(t *auth.Token) { t.Tenant.Namespace = "secret\xed\xa0\x80" },
		"user with NUL":           func(t *auth.Token) { t.Tenant.UserID = "\x00secret" },
		"user not UTF-8":          func(t *auth.Token) { t.Tenant.UserID = "secret\xc3" },
		"long tenant":             func(t *auth.Token) { t.Tenant.UserID = strings.Repeat("u", auth.MaxTenantBytes) },
		"no hash":                 func(t *auth.Token) { t.Hash = [sha256.Size]byte{} },
		"no creation":             func(t *auth.Token) { t.CreatedAt = time.Time{} },
		"created before 1970":     func(t *auth.Token) { t.CreatedAt = time.Unix(-1, 0) },
		"created after 9999":      func(t *auth.Token) { t.CreatedAt = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"expires before 1970":     func(t *auth.Token) { t.ExpiresAt = time.Unix(-1, 0) },
		"expires after all years": func(t *auth.Token) { t.ExpiresAt = time.Unix(1<<60, 0) },
	} {
		t := token(1)
		spoil(&t)
		err := e.store.Add(e.ctx, t)
		require.ErrorIs(e, err, auth.ErrToken, name)
		require.NotContains(e, err.Error(), "secret", name)
		withoutHash(e, err, token(1))
	}
	e.has(e.store)
}
