package plaintext_test

import (
	"iter"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

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
		{"words in lower case, without their endings", "The RED Shirts were dying", "the red shirt were die", "red shirt shirts die"},
		{"words of two letters", "is AI it? a!", "is ai it", "ai"},
		{"a stop word in one language, a word in another", "Her son in the war", "her son in the war", "son war"},
		{"the endings of each language, if nothing tells which", "Buchungen running", "buchungen run", "buchungen buchung run running"},
		{"an identifier, also as a word", "Where is order #W123?", "where is order #W123 w123", "order #W123 w123"},
		{"a short number", "the first 3", "the first 3", "first 3"},
		{
			"of a date the whole is looked for", "on 2026-01-02",
			"on 2026-01-02 2026 01 02 20260102", "2026-01-02 20260102",
		},
		{"words beside an identifier", "customer:42", "customer:42 custom 42", "customer:42 custom customer 42"},
		{"hyphens without digits", "T-Shirt", "shirt tshirt", "shirt tshirt"},
		{"Cyrillic, without the ending of a case", "Где ЗАКАЗЫ", "где заказ", "заказ"},
		{"German", "Wo sind die Bestellungen der Straße", "wo sind die bestell der strass", "bestell bestellung bestellungen strass"},
		{"French", "Où sont mes commandes ?", "où sont me command", "command"},
		{"Spanish", "¿Dónde están mis pedidos?", "dond estan mis ped", "pedido ped"},
		{"Italian", "Dove sono i miei ordini?", "dov son mie ordin", "ordini ordin"},
		{"Portuguese", "Onde estão os meus pedidos?", "onde estã os meus ped", "pedido ped"},
		{"a capital sharp s, and wide letters", "STRAẞE Ｗ１２３", "strass w123", "strass w123"},
		{"Hindi with its vowel signs", "मेरा ऑर्डर कहाँ है?", "मेरा ऑर्डर कहाँ है", "ऑर्डर"},
		{"an identifier before other words", "W123 parcel", "W123 w123 parcel", "W123 w123 parcel"},
		{"an identifier with vowel signs", "ऑर्डर7", "ऑर्डर7 ऑर्डर7", "ऑर्डर7 ऑर्डर7"},
		{"a joiner within a word", "पक्\u200dका", "पक्\u200dका", "पक्\u200dका"},
		{"numbers of four and five digits", "1234 12345", "1234 12345 12345", "1234 12345 12345"},
		{"Korean syllables alone", "제 주문", "제 주 문 주문", "주문"},
		{"an accent of its own", "Zu\u0308rich", "zu\u0308rich", "zu\u0308rich zu\u0308ric"},
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

// TestQueryFindsText: a word is found whatever the language of the text around it, by some form of
// it. The iteration may end at any term.
func TestQueryFindsText(t *testing.T) {
	t.Parallel()
	around := []string{"%s", "This is the %s that you were looking for.", "Das ist die %s von gestern, aber nicht für dich.",
		"C'est la %s dans cette maison, avec nous.", "Esta es la %s que está en el armario.", "Questa è la %s che era nella casa.",
		"Esta é a %s que não estava em casa.", "Это моя %s, которая была под столом."}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(
			rapid.StringOf(rapid.Rune().Filter(unicode.IsLetter)),
			rapid.StringMatching(`[a-z]{1,12}|[а-яё]{2,9}|[a-zäöüßéèàçñãõ]{2,12}|[A-Z]{2}-[0-9]{1,6}|退货|주문|ส้ม|カード|ऑर्डर`),
		).Draw(t, "word")
		query := texts(plaintext.Query(word))
		text := strings.ReplaceAll(rapid.SampledFrom(around).Draw(t, "text"), "%s", word)
		terms := texts(plaintext.Terms(text))
		if len(query) > 0 {
			require.True(t, slices.ContainsFunc(query, func(term string) bool { return slices.Contains(terms, term) }), "%q in %q", query, terms)
		}
		n := rapid.IntRange(0, len(query)).Draw(t, "n")
		i := 0
		for term := range plaintext.Query(word) {
			if i == n {
				break
			}
			require.Equal(t, query[i], string(term))
			i++
		}
	})
}

func TestIsEnglish(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "I think I saw pizza": true, "Invoice of stripe.com": true, "/la/casa": true, "Her son died in the war.": true,
		"Der Termin ist am Montag.": false, "Rechnung für Anna": false, "C'est l'heure du thé.": false, "La casa de mi hermana.": false,
	} {
		require.Equal(t, want, plaintext.IsEnglish(text), "%q", text)
	}
}

func TestDate(t *testing.T) {
	t.Parallel()
	at := time.Date(2023, 5, 8, 1, 0, 0, 0, time.FixedZone("", 2*60*60))
	for text, want := range map[string]string{
		"":                        "7 May 2023 2023-05-07",
		"We went to the dentist":  "7 May 2023 2023-05-07",
		"Wir waren beim Zahnarzt": "7 May 2023 2023-05-07 Mai",
		"Мы были у врача":         "7 May 2023 2023-05-07 мая",
	} {
		require.Equal(t, want, plaintext.Date(at, text), "%q", text)
	}
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
