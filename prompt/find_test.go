package prompt_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestFind(t *testing.T) {
	t.Parallel()
	b := block(`pages:`, `  - "A" (1)`, `users:`, `  - "B" (2)`)
	tests := []struct{ name, before, found, after string }{
		{"alone", "", b, ""},
		{"in a prompt", "You are helpful.\n\n", b, "\n\nBe brief."},
		{"before a header without entities", "", b, "\norders:"},
		{"before a second group of the type", "", b, "\npages:\n  - \"C\" (3)"},
		{"after the title alone", "[WORKING MEMORY]\n\nsee [WORKING MEMORY]\n", b, "\n"},
		{"before another block", "", b, "\n\n" + b},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := tt.before + tt.found + tt.after
			start, end, ok := prompt.Find(text)
			assert.True(t, ok)
			assert.Equal(t, tt.found, text[start:end])
			assert.Equal(t, len(tt.before), start)
		})
	}
}

func TestFindNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "Hello", "[WORKING MEMORY]", "[WORKING MEMORY]\npages:", "[WORKING MEMORY]\npages:\n  - A",
		"see " + block(`pages:`, `  - "A" (1)`), strings.ReplaceAll(block(`pages:`, `  - "A" (1)`), "\n", "\r\n"),
	} {
		_, _, ok := prompt.Find(text)
		assert.False(t, ok, text)
		assert.Equal(t, text, prompt.Remove(text))
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	b := block(`pages:`, `  - "A" (1)`)
	for text, want := range map[string]string{
		b:                            "",
		"Hello\n\n" + b:              "Hello",
		"Hello\n" + b + "\nBye":      "Hello\n\nBye",
		b + "\n\nBye":                "Bye",
		"Hello\n\n" + b + "\n\nBye":  "Hello\n\nBye",
		"Hello\n\n" + b + "\n\n" + b: "Hello",
		b + "\n\n" + b:               "",
		"[WORKING MEMORY]\n\n" + b + "\npages:\n  - \"B\" (2)": "",
		b + "\n\nand\n\n" + b + "\n\nBye":                      "and\n\nBye",
	} {
		assert.Equal(t, want, prompt.Remove(text))
	}
}

func TestFindIsLinear(t *testing.T) {
	t.Parallel()
	// A scan that went back over what it had read would not end in a test's time.
	text := strings.Repeat("[WORKING MEMORY]\npages:\n", 100_000) + strings.Repeat("[WORKING MEMORY] ", 100_000)
	text += strings.Repeat("[WORKING MEMORY]\n[NOTES]\n", 100_000)
	assert.Equal(t, text, prompt.Remove(text))
	blocks := strings.Repeat(block(`pages:`, `  - "A" (1)`)+"\n\n", 50_000)
	assert.Empty(t, strings.TrimSpace(prompt.Remove(blocks)))
}
