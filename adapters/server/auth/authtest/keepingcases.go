package authtest

import (
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

func keepingCases() []testCase {
	return []testCase{{
		Name:  "all fields are stored",
		About: "Get and List return what was added, to the last bit of the hash.",
		Run: func(e *env) {
			t := token(1)
			t.ExpiresAt = created.Add(time.Hour)
			e.add(t)
			e.has(e.store, t)
		},
	}, {
		Name:  "empty fields stay empty",
		About: "A token without description, namespace, user or expiry is stored as it is.",
		Run: func(e *env) {
			bare := token(1)
			bare.Description, bare.Tenant = "", auth.Tenant{}
			user, namespace := token(2), token(3)
			user.Tenant.Namespace, namespace.Tenant.UserID = "", ""
			for _, t := range []auth.Token{bare, user, namespace} {
				e.add(t)
			}
			e.has(e.store, bare, user, namespace)
		},
	}, {
		Name:  "unusual texts",
		About: "Descriptions, namespaces and user ids are stored byte by byte, without trimming, folding, normalising or escaping.",
		Run:   unusualTexts,
	}, {
		Name:  "longest texts",
		About: "A description of MaxDescriptionBytes, a tenant of MaxTenantBytes, and ids of MinIDBytes and MaxIDBytes are stored.",
		Run: func(e *env) {
			t := token(1)
			t.ID = strings.Repeat("z", auth.MaxIDBytes)
			t.Description = strings.Repeat("é", auth.MaxDescriptionBytes/2)
			t.Tenant = auth.Tenant{Namespace: strings.Repeat("n", auth.MaxTenantBytes/2), UserID: strings.Repeat("u", auth.MaxTenantBytes/2)}
			short := token(2)
			short.ID = strings.Repeat("0", auth.MinIDBytes)
			e.add(t)
			e.add(short)
			e.has(e.store, short, t)
		},
	}, {
		Name:  "unusual hashes",
		About: "A hash is bytes: it may begin and end with zeros, and need not be valid text.",
		Run: func(e *env) {
			var all []auth.Token
			for n, hash := range [][]byte{{0, 1}, {0xff, 0xfe, 0}, {'\n', '\'', '"'}} {
				t := token(n)
				t.Hash = [32]byte{}
				copy(t.Hash[n:], hash)
				all = append(all, e.add(t))
			}
			e.has(e.store, all...)
		},
	}, {
		Name:  "millisecond times",
		About: "Times are truncated to the millisecond and returned in UTC; 1970 and 9999 are stored, and an expiry in 1970 is not mistaken for none.",
		Run:   millisecondTimes,
	}, {
		Name:  "expired tokens stay",
		About: "The store returns an expired token until it is removed: expiry is the verifier's concern.",
		Run: func(e *env) {
			t := token(1)
			t.CreatedAt, t.ExpiresAt = created, created.Add(-time.Hour)
			e.add(t)
			e.has(e.store, t)
		},
	}, {
		Name:  "shared handles",
		About: "If the store is shared, all handles see at once what one of them adds or removes.",
		Run:   otherHandles,
	}}
}

// oddTexts are texts that a store might misinterpret.
var oddTexts = []string{
	" ", " a ", "a", "A", "é", "e\u0301", "\uFFFD", "\u202e", "\ufeffa", "😀", "\n", "\r\n", "\t", "\x01", "\x7f", `\`, `\x00`, `\u0000`, "'", `"`, "''; --",
	"%", "%00", "{x}", "$1", "?", ":a", "/", "null", "NULL", "0", "true", "{}", "[]", "<a>&amp;", "\u2028",
}

func unusualTexts(e *env) {
	all := make([]auth.Token, 0, len(oddTexts))
	for n, text := range oddTexts {
		t := token(n)
		t.Description = text
		switch n % 3 {
		case 0:
			t.Tenant.Namespace = text
		case 1:
			t.Tenant.UserID = text
		default:
			t.Tenant = auth.Tenant{Namespace: text, UserID: text}
		}
		all = append(all, e.add(t))
	}
	e.has(e.store, all...)
}

func millisecondTimes(e *env) {
	east := time.FixedZone("east", 5*60*60)
	epoch := time.Unix(0, 0).UTC()
	last := time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC)
	given, want := token(1), token(1)
	given.CreatedAt = created.Add(999_999 * time.Nanosecond).In(east)
	given.ExpiresAt = created.Add(time.Hour + 999_999*time.Nanosecond).In(east)
	want.ExpiresAt = created.Add(time.Hour)
	e.add(given)
	early, late := token(2), token(3)
	early.CreatedAt, early.ExpiresAt = epoch, epoch
	late.CreatedAt, late.ExpiresAt = last, last
	e.add(early)
	e.add(late)
	e.has(e.store, early, want, late)
}

func otherHandles(e *env) {
	if !e.harness.Shared {
		return
	}
	other := e.harness.Open(e.TB)
	first, second := e.add(token(1)), token(2)
	e.has(other, first)
	require.ErrorIs(e, other.Add(e.ctx, first), auth.ErrExists)
	require.NoError(e, other.Add(e.ctx, second))
	e.has(e.store, first, second)
	require.NoError(e, other.Remove(e.ctx, first.ID))
	e.has(e.store, second)
	_, err := e.store.Get(e.ctx, first.ID)
	require.ErrorIs(e, err, auth.ErrNotFound)
}
