package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheFileIsWhatIsWritten(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../gitleaks.txt")
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, write(&got))
	assert.Equal(t, string(want), got.String(), "go run . > ../gitleaks.txt")
}

func TestCondense(t *testing.T) {
	t.Parallel()
	const assigned = `(?i)[\w.-]{0,50}?(?:vendor)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|:)[\x60'"\s=]{0,5}`
	for expression, want := range map[string]condensed{
		`\b(vnd_[0-9a-z]{36})(?:[\x60'"\s;]|\\[nr]|$)`:          {prefixes: []string{"vnd_"}},
		`(?:vna|vnb)_[0-9a-z]{36}`:                              {prefixes: []string{"vna_", "vnb_"}},
		`\b(VNDA[0-9A-Z]{16})(?:[\x60'"\s;]|\\[nr]|$)`:          {expressions: []string{"vnda\t0\tVNDA[0-9A-Z]{16}"}},
		`vn-[0-9a-f]{40}`:                                       {expressions: []string{"vn-\t0\tvn-[0-9a-f]{40}"}},
		`[0-9a-f]{14}\.vendorv1\.[0-9a-f]{60,70}`:               {expressions: []string{".vendorv1.\t14\t[0-9a-f]{14}\\.vendorv1\\.[0-9a-f]{60,70}"}},
		`[0-9a-f]{10,14}\.vendorv1\.[0-9a-f]{60,70}`:            {},
		assigned + `([a-f0-9]{32})(?:[\x60'"\s;]|\\[nr]|$)`:     {},
		assigned + `(vnd-[a-f0-9]{32})(?:[\x60'"\s;]|\\[nr]|$)`: {expressions: []string{"vnd-\t0\t(?i:VND-[0-9A-Fa-f]{32})"}},
		`\b(vnd_[0-9a-z]{36}|[0-9a-f]{40})\b`:                   {prefixes: []string{"vnd_"}},
	} {
		got, err := condense(expression)
		require.NoError(t, err)
		assert.Equal(t, want, got, expression)
	}
}
