package secret_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/internal/secret"
)

func TestInProse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"":                       false,
		"Anna likes aisle seats": false,
		"Anna's key is sk-proj-abcdef0123456789.":                         true,
		"She set OPENAI_API_KEY=sk-proj-abcdef0123456789 in the shell":    true,
		`the token is "ghp_0123456789abcdefghij"`:                         true,
		"use `AKIA0123456789ABCDEF`!":                                     true,
		"log in with eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl.":  true,
		"The database is postgres://anna:hunter2@db.example.com/shop.":    true,
		"sign with ASIA0123456789ABCDEF.":                                 true,
		"post with EAAC" + strings.Repeat("b0", 60):                       true,
		"EAACPYZYOWOZABI575NBW5OEPT is a random id":                       false,
		"ASIA0123456789ABCDEFG and AKIA0123456789abcdef are longer ids":   false,
		"-----BEGIN RSA PRIVATE KEY----- MIIE":                            true,
		"Basic training begins on Monday, 7 o'clock":                      false,
		"Frodo is the ring Bearer of 3019":                                false,
		"Anna uses sk-learn-contrib-imbalanced":                           false,
		"see https://example.com/a:b@2 for 42 more":                       false,
		"order W7745234189 is on its way, and so is SKU sk-1":             false,
		"Reach her at anna@example.com: she answers until 17:30 on a day": false,
	} {
		assert.Equal(t, want, secret.InProse(text), text)
	}
}

func TestHasShape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"ASIA PACIFIC HOLDINGS 2026": false,
		"AKIANOS ATHLETIC CLUB 1927": false,
		"EAACPYZYOWOZABI575NBW5OEPT": false,
		"AKIA0123456789ABCDEF":       true,
		"AKIA0123456789ABCDEF,rest":  true,
		"AKIA0123456789ABCDE":        false,
		"rk_live_51HxYz0aBcDeFgHiJk": true,
		"sk_test_4eC39HqLyjWDarjtT1": true,
		"rk_live_nightly_export_042": false, // the name of a key
	} {
		assert.Equal(t, want, secret.HasShape([]byte(text)), text)
	}
}
