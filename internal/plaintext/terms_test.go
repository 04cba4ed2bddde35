package plaintext_test

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
)

func texts(terms iter.Seq[[]byte]) []string {
	var out []string
	for term := range terms {
		out = append(out, string(term))
	}
	return out
}

func TestTerms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what, text   string
		terms, query string // joined by spaces
	}{
		{"words in lower case, without the s of a plural", "The RED Shirts", "the red shirt", "red shirt"},
		{"short words and marks", "is it? a!", "", ""},
		{"an identifier, also as a word", "Order #W123.", "order #W123 w123", "order #W123 w123"},
		{"a short number says nothing", "the first 3", "the first", "first"},
		{
			"of a date the whole is looked for", "on 2026-01-02",
			"2026-01-02 2026 20260102", "2026-01-02 20260102",
		},
		{"words beside an identifier", "customer:42", "customer:42 customer", "customer:42 customer"},
		{"hyphens without digits", "T-Shirt", "shirt tshirt", "shirt tshirt"},
		{"Cyrillic, without the ending of a case", "Где ЗАКАЗЫ", "где заказ", "заказ"},
		{"German", "Wo sind die Bestellungen der Straße", "sind die bestellung der strass", "bestellung strass"},
		{"a capital sharp s, and wide letters", "STRAẞE Ｗ１２３", "strass w123", "strass w123"},
		{"an ending that would leave too little", "Kunde Жена", "kunde жен", "kunde жен"},
		{"Hindi with its vowel signs", "मेरा ऑर्डर कहाँ है?", "मेरा ऑर्डर कहाँ", "ऑर्डर"},
		{"an identifier before other words", "W123 parcel", "W123 w123 parcel", "W123 w123 parcel"},
		{"an identifier with vowel signs", "ऑर्डर7", "ऑर्डर7 ऑर्डर7", "ऑर्डर7 ऑर्डर7"},
		{"a joiner within a word", "पक्\u200dका", "पक्\u200dका", "पक्\u200dका"},
		{"numbers of four and five digits", "1234 12345", "1234 12345 12345", "1234 12345 12345"},
		{"Korean syllables alone", "제 주문", "제 주 문 주문", "주문"},
		{"an accent of its own", "Zu\u0308rich", "zu\u0308rich", "zu\u0308rich"},
		{"pairs of Han", "退货单", "退 货 退货 单 货单", "退货 货单"},
		{"a question in Chinese", "我的订单在哪里", "我 的 订 单 在 哪 里 我的 的订 订单 单在 在哪 哪里", "订单"},
		{"a question in Chinese and nothing else", "我的", "我 的 我的", "我的"},
		{"a letter on its own", "猫", "猫", "猫"},
		{"Latin within Japanese", "注文W123を", "注 文 注文 W123 w123 を", "注文 W123 w123"},
		{"Hiragana says little", "荷物はどこですか", "荷 物 荷物 は ど こ で す か はど どこ こで です すか", "荷物"},
		{"Hiragana and nothing else", "どこ", "ど こ どこ", "どこ"},
		{"Thai with its marks", "ส้ม", "ส ้ ม ส้ ้ม ส้ม", "ส้ม"},
		{"a question in Thai", "ส้มอยู่ที่ไหน", "", "ส้ม"},
		{"longer Thai", "คืนเงิน", "", "คืนเ ืนเง นเงิ เงิน"},
		{"Korean, where a word begins", "주문을", "주 문 주문 을 문을", "주문"},
		{"Katakana with a long vowel", "サーバ", "サ ー バ サー ーバ サーバ", "サーバ"},
	} {
		if test.terms != "" || test.query == "" { // else they are too many to be read
			require.ElementsMatch(t, strings.Fields(test.terms), texts(plaintext.Terms(test.text)), "terms: %s", test.what)
		}
		require.ElementsMatch(t, strings.Fields(test.query), texts(plaintext.Query(test.text)), "query: %s", test.what)
	}
}

// TestWordsPassOverMarks: callers rely on words without marks.
func TestWordsPassOverMarks(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"rich"}, texts(plaintext.Words("Zu\u0308rich ऑर्डर")))
}

// TestQueryFindsItself: the terms of a query are terms of the prompt itself, also between
// other texts. The iteration may end at any term.
func TestQueryFindsItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		prompt := rapid.OneOf(
			rapid.String(),
			rapid.StringMatching(`([a-zA-Z0-9#:.-]{1,9}[ ,]|退货|我的|在哪里|주문|있습|ส้ม|อยู่ที่ไหน|どこ|カード|ー|ऑर्डर|Straße|ẞ|Ёж|заказами|１２|\x{0308}){0,9}`),
		).Draw(t, "prompt")
		query := texts(plaintext.Query(prompt))
		require.Subset(t, texts(plaintext.Terms(prompt)), query)
		require.Subset(t, texts(plaintext.Terms("before "+prompt+" after")), query)
		n := rapid.IntRange(0, len(query)).Draw(t, "n")
		i := 0
		for term := range plaintext.Query(prompt) {
			if i == n {
				break
			}
			require.Equal(t, query[i], string(term))
			i++
		}
	})
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                                nil,
		" \n ":                            nil,
		"No end":                          {"No end"},
		"One. Two!  Three? Four…":         {"One.", "Two!", "Three?", "Four…"},
		"Version 1.2.3 of a.go is out.":   {"Version 1.2.3 of a.go is out."},
		"line\nline\r\n\nline":            {"line", "line", "line"},
		`He said "no." She (W1.) left.`:   {`He said "no."`, "She (W1.)", "left."},
		"退货。已收到！":                         {"退货。", "已收到！"},
		"wide space.\u3000next":           {"wide space.", "next"},
		"...":                             {"..."},
		"See http://a.b/?c=1!d for more.": {"See http://a.b/?c=1!d for more."},
	} {
		require.Equal(t, want, slices.Collect(plaintext.Sentences(text)), "%q", text)
	}
}

func TestSentencesKeepIdentifiersWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.String(),
			rapid.StringMatching(`([a-zA-Z0-9.!?:。！"')\n ]){0,40}`),
		).Draw(t, "text")
		var inSentences []string
		for sentence := range plaintext.Sentences(text) {
			require.Equal(t, strings.TrimSpace(sentence), sentence)
			require.NotEmpty(t, sentence)
			inSentences = slices.AppendSeq(inSentences, plaintext.Identifiers(sentence))
		}
		require.Equal(t, slices.Collect(plaintext.Identifiers(text)), inSentences)
		for range plaintext.Sentences(text) {
			break // may end at any
		}
	})
}
