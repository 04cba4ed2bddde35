package plaintext_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
)

// TestNameWords is the table of the words of names, and of those of texts, which differ in
// scripts without spaces.
func TestNameWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what, text  string
		name, words string // joined by spaces; words is "" if they are those of the name
	}{
		{"nothing", "", "", ""},
		{"marks alone", " - '…' ()!", "", ""},
		{"case", "Room PLAN", "room plan", ""},
		{"accents", "Café Zoé", "cafe zoe", ""},
		{"accents of their own", "Cafe\u0301 Zoe\u0301", "cafe zoe", ""},
		{"letters with a stroke", "Øre Łódź Đorđe ILGIN ılgın", "ore lodz dorde ilgin ilgin", ""},
		{"a sharp s", "Straße STRAẞE", "strasse strasse", ""},
		{"wide letters", "Ｒｏｏｍ　１０，Ａ", "room 10 a", ""},
		{"plurals", "pages entries boxes classes churches dishes quizzes cases ties", "page entry box class church dish quizz case tie", ""},
		{"no plurals", "status class analysis bus is as gas", "status class analysis bus is as gas", ""},
		{"single letters", "Team A, b", "team a b", ""},
		{"numbers", "Room 10, #4471, 3.5", "room 10 4471 3 5", ""},
		{"numbers beside letters", "web-2 10am Q3", "web 2 10am q3", ""},
		{"hyphens", "follow-up e‑mail", "follow up e mail", ""},
		{"underscores and slashes", "src/main_test.go", "src main test go", ""},
		{"apostrophes", "Ann's O'Brien d’Arc dogs’", "ann o brien d arc dog", ""},
		{"a letter alone after a quote that closes", "'x' y", "y", ""},
		{"Cyrillic", "Заказы ЙОД Ёлка", "заказы иод елка", ""},
		{"Greek", "Άλφα", "αλφα", ""},
		{"Arabic with its vowel signs", "كِتَاب مدرسـة", "كتاب مدرسة", ""},
		{"Hebrew with its vowel signs", "שָׁלוֹם", "שלום", ""},
		{"Hindi with its vowel signs", "मेरा ऑर्डर", "मेरा ऑर्डर", ""},
		{"Chinese", "招聘页面", "招聘 聘页 页面", "招 聘 页 面 招聘 聘页 页面"},
		{"a letter of Chinese", "猫", "猫", ""},
		{"a number in Chinese", "第10章", "第 10 章", ""},
		{"Japanese", "会議ノートの", "会議 ノート の", "会 議 会議 ノ ー ト ノー ート ノート の"},
		{"Korean with a particle", "주문을", "주문 문을", "주 문 을 주문 문을"},
		{"Thai", "ส้มโอ", "ส้มโ ้มโอ", "ส ้ ม โ อ ส้ ้ม มโ โอ ส้ม ้มโ มโอ ส้มโ ้มโอ"},
		{"Latin within Japanese", "注文Wを", "注文 w を", "注 文 注文 w を"},
		{"not UTF-8", "a\xffb", "a b", ""},
		{"long ones are cut", strings.Repeat("x", 100), strings.Repeat("x", 48), ""},
	} {
		require.Equal(t, strings.Fields(test.name), append([]string{}, texts(plaintext.NameWords(test.text))...), "a name: %s", test.what)
		if test.words == "" {
			test.words = test.name
		}
		require.Equal(t, strings.Fields(test.words), append([]string{}, texts(plaintext.Words(test.text))...), "a text: %s", test.what)
	}
}

func TestStopWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, stops, others string }{
		{"delete the Home page", "the about it's a", "delete home page der 的"},
		{"Lösch die Seite über uns, bitte, und nicht die andere", "die und the", "seite home"},
		{"Где мой заказ?", "мой the", "заказ"},
		{"Open Sei.", "the", "sei"}, // one word of Italian is a name
		{"", "the is", "home"},
	} {
		isStop := plaintext.StopWords(test.text)
		for word := range plaintext.Words(test.stops) {
			require.True(t, isStop(word), "%q in %q", word, test.text)
		}
		for word := range plaintext.Words(test.others) {
			require.False(t, isStop(word), "%q in %q", word, test.text)
		}
	}
}

// TestWordsHaveThoseOfNames: a text that contains a name between spaces has its words, whatever
// the script. The iteration may end at any word.
func TestWordsHaveThoseOfNames(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`([A-Za-z0-9 '’_-]|[àéßøŁ]|\x{301}|[а-яЁ]|[招聘页面第章]|[のは会議ノー]|[주문을]|[ส้มโอ]|[كِتَاب]|[ऑर्डर]|[Ａ-Ｚ０-９，]){0,20}`),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 60), func(b []byte) string { return string(b) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		name := text.Draw(t, "name")
		words := texts(plaintext.Words(text.Draw(t, "before") + " " + name + " " + text.Draw(t, "after")))
		of := texts(plaintext.NameWords(name))
		for _, word := range of {
			require.Contains(t, words, word)
		}
		n, i := rapid.IntRange(0, len(of)).Draw(t, "n"), 0
		for word := range plaintext.NameWords(name) {
			if i == n {
				break
			}
			require.Equal(t, of[i], string(word))
			i++
		}
		require.True(t, slices.Equal(of, texts(plaintext.NameWords(strings.ToValidUTF8(name, "\ufffd")))), "what is not UTF-8 separates words")
	})
}
