package plaintext

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// script is a group of scripts that are split into terms alike.
type script uint8

const (
	spaced   script = iota // with spaces between words
	han                    // words of one or two letters
	hiragana               // mostly endings and function words
	katakana               // loan words
	hangul                 // words that begin with their stem and have endings
	syllabic               // Thai and its neighbours: a letter is a small part of a word
)

// neighbours is the number of adjacent letters that identify a word.
var neighbours = [...]int{han: 2, hiragana: 2, katakana: 3, hangul: 2, syllabic: 4}

func scriptOf(r rune) script {
	switch {
	case r < 0x0e00:
		return spaced
	case unicode.Is(unicode.Han, r):
		return han
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case r == 'ー' || unicode.Is(unicode.Katakana, r):
		return katakana
	case unicode.Is(unicode.Hangul, r):
		return hangul
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Tibetan, unicode.Myanmar, unicode.Khmer):
		return syllabic
	}
	return spaced
}

// readUnspaced yields runs of letters: of a text all up to the length that identifies
// words, of a query those of that length, or shorter ones if there are none.
func (t *termReader) readUnspaced(letters string, s script) {
	n := neighbours[s]
	if t.query {
		if t.says(letters, s) {
			t.readRuns(letters, min(n, utf8.RuneCountInString(letters)), s == hangul && !t.loose)
		}
		return
	}
	for size := 1; size <= n; size++ {
		t.readRuns(letters, size, false)
	}
}

// says reports whether a query searches for letters.
func (t *termReader) says(letters string, s script) bool {
	return t.loose || s != hiragana && (s != hangul || utf8.RuneCountInString(letters) > 1)
}

// readRuns yields all runs of n letters, or only the first.
func (t *termReader) readRuns(letters string, n int, first bool) {
	for run := range runsOf(letters, n) {
		if !t.giveText(run) || first {
			return
		}
	}
}

// runsOf returns all runs of n adjacent letters of a text.
func runsOf(letters string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		end, seen := 0, 0
		for begin := range letters {
			for ; seen < n && end < len(letters); seen++ {
				_, size := utf8.DecodeRuneInString(letters[end:])
				end += size
			}
			if seen < n || !yield(letters[begin:end]) {
				return
			}
			seen--
		}
	}
}

// phrases removes stop words from a prompt in scripts without spaces.
var phrases = strings.NewReplacer(
	// Chinese
	"请问", " ", "請問", " ", "什么", " ", "什麼", " ", "怎么办", " ", "怎么", " ", "怎麼", " ", "怎样", " ", "为什么", " ", "為什麼", " ",
	"在哪里", " ", "在哪裡", " ", "在哪儿", " ", "哪里", " ", "哪裡", " ", "哪个", " ", "多少", " ", "我的", " ", "你的", " ", "您的", " ",
	"他的", " ", "她的", " ", "我们", " ", "我們", " ", "你们", " ", "这个", " ", "這個", " ", "那个", " ", "那個", " ", "有没有", " ",
	"是不是", " ", "是否", " ", "可以", " ", "告诉我", " ", "告訴我", " ", "一下", " ", "我想", " ", "我要", " ", "没有", " ", "还没", " ",
	// Japanese, except for words in Hiragana
	"お願い", " ", "教えて", " ", "何ですか", " ", "下さい", " ",
	// Korean
	"있습", " ", "없습", " ", "합니", " ", "입니", " ", "됩니", " ", "어디", " ", "언제", " ", "무엇", " ", "어떻", " ", "어떤", " ",
	"얼마", " ", "그리고", " ", "알려", " ", "주세요", " ", "니까", " ", "니다", " ", "저의", " ", "나의", " ",
	// Thai
	"อยู่ที่ไหน", " ", "ที่ไหน", " ", "อยู่ที่", " ", "อยู่", " ", "ของฉัน", " ", "ของผม", " ", "ของ", " ", "อย่างไร", " ", "อะไร", " ", "เมื่อไร", " ",
	"เท่าไร", " ", "ทำไม", " ", "ครับ", " ", "ค่ะ", " ", "คะ", " ", "ไหม", " ", "หรือ", " ", "ช่วย", " ", "บอก", " ", "เป็น", " ",
)
