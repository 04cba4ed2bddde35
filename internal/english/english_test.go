package english_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

// read returns the words of a file in testdata. plurals.txt has pairs of a singular
// and a plural worth spelling out, unchanging.txt words without a plural of their
// own, and nouns.txt singular nouns as APIs use them.
func read(t testing.TB, name string) []string {
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return strings.Fields(string(data))
}

func TestPluralAndSingular(t *testing.T) {
	t.Parallel()
	for pair := range slices.Chunk(read(t, "plurals.txt"), 2) {
		singular, plural := pair[0], pair[1]
		assert.Equal(t, plural, english.Plural(singular), "plural of the singular")
		assert.Equal(t, plural, english.Plural(plural), "plural of the plural")
		assert.Equal(t, singular, english.Singular(plural), "singular of the plural")
		assert.Equal(t, singular, english.Singular(singular), "singular of the singular")
	}
}

func TestUnchanging(t *testing.T) {
	t.Parallel()
	for _, w := range append(read(t, "unchanging.txt"), "") {
		assert.Equal(t, w, english.Plural(w))
		assert.Equal(t, w, english.Singular(w))
	}
}

func TestRoundTripOfNouns(t *testing.T) {
	t.Parallel()
	words := read(t, "nouns.txt")
	require.Greater(t, len(words), 500)
	for _, w := range words {
		p := english.Plural(w)
		assert.Equal(t, w, english.Singular(w), "singular of singular %q", w)
		assert.Equal(t, w, english.Singular(p), "singular of plural %q", p)
		assert.Equal(t, p, english.Plural(p), "plural of plural %q", p)
		if w != "series" && w != "species" {
			assert.NotEqual(t, w, p, "plural")
		}
	}
}

func TestSecondPluralsAreRead(t *testing.T) {
	t.Parallel()
	for plural, singular := range map[string]string{
		"indices": "index", "schemata": "schema", "foci": "focus", "formulae": "formula",
		"volcanos": "volcano", "cargoes": "cargo", "zeroes": "zero", "matrixes": "matrix", "peoples": "person",
	} {
		assert.Equal(t, singular, english.Singular(plural))
	}
}

func TestOnePluralForTwoNouns(t *testing.T) {
	t.Parallel()
	for noun, other := range map[string]string{"basis": "base", "datum": "data", "axe": "axis"} {
		assert.Equal(t, noun, english.Singular(noun))
		assert.Equal(t, other, english.Singular(english.Plural(noun)))
	}
}

func FuzzInflection(f *testing.F) {
	for _, w := range append(slices.Concat(read(f, "plurals.txt"), read(f, "unchanging.txt")), "\xffs", "ies", "_ses") {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, word string) {
		s, p := english.Singular(word), english.Plural(word)
		require.Equal(t, s, english.Singular(s), "Singular is idempotent")
		require.LessOrEqual(t, len(p), len(word)+3)
		if utf8.ValidString(word) {
			require.True(t, utf8.ValidString(s) && utf8.ValidString(p))
		}
	})
}

func BenchmarkSingular(b *testing.B) {
	b.ReportAllocs()
	words := read(b, "nouns.txt")
	for i := 0; b.Loop(); i++ {
		english.Singular(words[i%len(words)])
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for identifier, want := range map[string]string{
		"getPageSections": "get page sections", "get_page-sections": "get page sections", "GET.Page/Sections": "get page sections",
		"HTTPServer": "http server", "orderIDs": "order ids", "ec2": "ec2", "aws.ec2.RunInstances": "aws ec2 run instances",
		"": "", "__": "", "Übergröße": "übergröße", "a1B2": "a1 b2", "\xff": "",
	} {
		assert.Equal(t, want, strings.Join(english.Words(identifier), " "), identifier)
	}
	assert.Len(t, english.Words(strings.Repeat("word_", 1000)), 24)
}
