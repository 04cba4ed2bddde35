package handle_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
)

// given returns the ids that get handles from a result with an entity.
func given(opts handle.Options, e memory.Entity) (ids []string) {
	for _, ref := range opts.ChangeFor(nil, []memory.Entity{e}, nil).IDs {
		ids = append(ids, ref.ID)
	}
	return ids
}

func TestOpaqueIDsGetHandles(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]memory.Entity{
		"UUID":                  {Type: "page", ID: "7f1d3c1e-52ab-4c0e-9a77-0d2f61b8e5aa", Name: "Home"},
		"UUID without hyphens":  {Type: "page", ID: "7f1d3c1e52ab4c0e9a770d2f61b8e5aa", Name: "Home"},
		"UUID without a name":   {Type: "page", ID: "7f1d3c1e-52ab-4c0e-9a77-0d2f61b8e5aa"},
		"ULID":                  {Type: "run", ID: "01J9ZC4T8QW3XKV5R7M2N6B0PD"},
		"AWS instance":          {Type: "instance", ID: "i-0c9a41d7be52f6a38"},
		"AWS network":           {Type: "vpc", ID: "vpc-0f3b8a6d1c5e79240"},
		"AWS security group":    {Type: "security_group", ID: "sgr-04d1f7a8c2b9e6350"},
		"Stripe payment":        {Type: "payment", ID: "pi_3Q8xJ2Lk9vT4mZ7R1cYb6WnE"},
		"Stripe customer":       {Type: "customer", ID: "cus_R4kP9xW2mT7vZb3L"},
		"MongoDB":               {Type: "order", ID: "66f0c2a94be81d7a3c95e012"},
		"Google document":       {Type: "document", ID: "1Zk8Qw3Tn5Vr7Xc9Lm2Bd4Fg6Hj0Ks1Pz3Ry5Ut7W9"},
		"SHA-256":               {Type: "image", ID: "9c1185a5c5e9fc54612808977ee8f548b2258d31c0f4e6f8a2b7d9e1c3a5f708"},
		"named digest":          {Type: "image", ID: "sha256:9c1185a5c5e9fc54612808977ee8f548b2258d31"},
		"type in front":         {Type: "invoice", ID: "invoice-8f2c-41d7-be52-f6a3-8c9a-41d7"},
		"name repeated":         {Type: "page", ID: "Home/7f1d3c1e-52ab-4c0e", Name: "Home"},
		"opaque UTF-8":          {Type: "page", ID: "№7f1d3c1e-52ab-4c0e-9a77-0d2f61b8e5aa"},
		"of the greatest size":  {Type: "page", ID: strings.Repeat("0a1", 170)},
		"word of hex letters":   {Type: "page", ID: "deadbeef-cafe-4abc-9def-feedfacebead"},
		"one consonants' group": {Type: "page", ID: "bcdf-7f1d3c1e-ghjk-9a77-0d2f61b8e5aa"},
	} {
		assert.Equal(t, []string{e.ID}, given(handle.Options{}, e), name)
	}
}

func TestReadableIDsGetHandlesIfAsked(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]string{
		"path":          "/srv/reports/2026/quarterly-summary.pdf",
		"URL":           "https://example.com/p/7f1d3c1e-52ab-4c0e-9a77-0d2f61b8e5aa",
		"e-mail":        "anna.schmidt.42@mail.example.com",
		"ARN":           "arn:aws:iam::123456789012:role/deploy-production",
		"pod":           "checkout-frontend-6d8f9c7b54-x2kqz",
		"slug":          "how-to-write-tests-that-last",
		"CJK":           "顧客サービス部門の資料一覧二〇二六年版",
		"question mark": "SELECT name FROM customers WHERE id = ?",
	} {
		e := memory.Entity{Type: "thing", ID: id, Name: "Something else"}
		assert.Empty(t, given(handle.Options{}, e), name)
		assert.Equal(t, []string{id}, given(handle.Options{Readable: true}, e), name)
	}
	e := memory.Entity{Type: "thing", ID: "how-to-write-tests-that-last", Name: "how-to-write-tests-that-last"}
	assert.Empty(t, given(handle.Options{}, e), "the id behind a handle is the only name")
}

func TestIDsWithoutHandles(t *testing.T) {
	t.Parallel()
	always := handle.Options{Readable: true, MinTokens: 1}
	for name, id := range map[string]string{
		"number":                 "123456789012345678901234567890",
		"negative number":        "-12345678901234567890.5e10",
		"list of numbers":        "1234567, 8901234, 5678901",
		"JSON literals":          "true,false,null,true,false,null",
		"quotation mark":         `7f1d3c1e-52ab"4c0e-9a77-0d2f61b8e5aa`,
		"backslash":              `7f1d3c1e-52ab\4c0e-9a77-0d2f61b8e5aa`,
		"line break":             "7f1d3c1e-52ab\n4c0e-9a77-0d2f61b8e5aa",
		"NUL":                    "7f1d3c1e-52ab\x004c0e-9a77-0d2f61b8e5aa",
		"not in UTF-8":           "7f1d3c1e-52ab\xff4c0e-9a77-0d2f61b8e5aa",
		"longer than ids can be": strings.Repeat("0a1", 200),
		"empty":                  "",
	} {
		assert.Empty(t, given(always, memory.Entity{Type: "thing", ID: id}), name)
	}
	for _, id := range []string{"W123", "ord_1001", "ED-1"} {
		assert.Empty(t, given(handle.Options{}, memory.Entity{Type: "thing", ID: id}), id)
		assert.Len(t, given(always, memory.Entity{Type: "thing", ID: id}), 1, id)
	}
}

func TestAliasesGetHandlesOfTheirOwn(t *testing.T) {
	t.Parallel()
	e := memory.Entity{Type: "page", ID: "P-1", Aliases: []string{uuid(1), "home", uuid(2)}}
	assert.Equal(t, []string{uuid(1), uuid(2)}, given(handle.Options{}, e))
}

type fixedCounter int

func (c fixedCounter) CountTokens(string) int { return int(c) }

func TestMinTokens(t *testing.T) {
	t.Parallel()
	e := memory.Entity{Type: "page", ID: uuid(1)}
	assert.Empty(t, given(handle.Options{Counter: fixedCounter(8)}, e), "up to the default")
	assert.Len(t, given(handle.Options{Counter: fixedCounter(9)}, e), 1)
	assert.Empty(t, given(handle.Options{Counter: fixedCounter(9), MinTokens: 9}, e))
	assert.Len(t, given(handle.Options{Counter: fixedCounter(9), MinTokens: -1}, e), 1, "the default")
}
