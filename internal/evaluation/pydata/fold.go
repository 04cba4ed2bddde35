package pydata

import (
	"strings"
	"unicode"
)

// foldings are the letters that full case folding does not just make lower
// case, each followed by what it gives. Cherokee has a rule of its own.
const foldings = "µ:μ ß:ss İ:i̇ ŉ:ʼn ſ:s ǰ:ǰ ͅ:ι ΐ:ΐ ΰ:ΰ ς:σ ϐ:β ϑ:θ ϕ:φ ϖ:π ϰ:κ ϱ:ρ ϵ:ε և:եւ " +
	"ᲀ:в ᲁ:д ᲂ:о ᲃ:с ᲄ:т ᲅ:т ᲆ:ъ ᲇ:ѣ ᲈ:ꙋ ẖ:ẖ ẗ:ẗ ẘ:ẘ ẙ:ẙ ẚ:aʾ ẛ:ṡ ẞ:ss " +
	"ὐ:ὐ ὒ:ὒ ὔ:ὔ ὖ:ὖ ᾀ:ἀι ᾁ:ἁι ᾂ:ἂι ᾃ:ἃι ᾄ:ἄι ᾅ:ἅι ᾆ:ἆι ᾇ:ἇι ᾈ:ἀι ᾉ:ἁι ᾊ:ἂι ᾋ:ἃι " +
	"ᾌ:ἄι ᾍ:ἅι ᾎ:ἆι ᾏ:ἇι ᾐ:ἠι ᾑ:ἡι ᾒ:ἢι ᾓ:ἣι ᾔ:ἤι ᾕ:ἥι ᾖ:ἦι ᾗ:ἧι ᾘ:ἠι ᾙ:ἡι ᾚ:ἢι ᾛ:ἣι " +
	"ᾜ:ἤι ᾝ:ἥι ᾞ:ἦι ᾟ:ἧι ᾠ:ὠι ᾡ:ὡι ᾢ:ὢι ᾣ:ὣι ᾤ:ὤι ᾥ:ὥι ᾦ:ὦι ᾧ:ὧι ᾨ:ὠι ᾩ:ὡι ᾪ:ὢι ᾫ:ὣι " +
	"ᾬ:ὤι ᾭ:ὥι ᾮ:ὦι ᾯ:ὧι ᾲ:ὰι ᾳ:αι ᾴ:άι ᾶ:ᾶ ᾷ:ᾶι ᾼ:αι ι:ι ῂ:ὴι ῃ:ηι ῄ:ήι ῆ:ῆ ῇ:ῆι " +
	"ῌ:ηι ῒ:ῒ ΐ:ΐ ῖ:ῖ ῗ:ῗ ῢ:ῢ ΰ:ΰ ῤ:ῤ ῦ:ῦ ῧ:ῧ ῲ:ὼι ῳ:ωι ῴ:ώι ῶ:ῶ ῷ:ῶι ῼ:ωι " +
	"ﬀ:ff ﬁ:fi ﬂ:fl ﬃ:ffi ﬄ:ffl ﬅ:st ﬆ:st ﬓ:մն ﬔ:մե ﬕ:մի ﬖ:վն ﬗ:մխ"

// foldTable maps the letters of foldings.
var foldTable = func() map[rune]string {
	table := make(map[rune]string)
	for pair := range strings.FieldsSeq(foldings) {
		from, to, _ := strings.Cut(pair, ":")
		table[[]rune(from)[0]] = to
	}
	return table
}()

// Fold is Python's str.casefold: full Unicode case folding.
func Fold(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(unicode.ToLower(r))
		case 0x13a0 <= r && r <= 0x13f5: // Cherokee folds to upper case
			b.WriteRune(r)
		case 0x13f8 <= r && r <= 0x13fd:
			b.WriteRune(r - 8)
		case 0xab70 <= r && r <= 0xabbf:
			b.WriteRune(r - 0xab70 + 0x13a0)
		default:
			if to, ok := foldTable[r]; ok {
				b.WriteString(to)
			} else {
				b.WriteRune(unicode.ToLower(r))
			}
		}
	}
	return b.String()
}

// IsSpace is what Python's str.strip and the \s of its regular expressions take
// for white space: Unicode's, and four control characters.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }
