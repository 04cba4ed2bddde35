package plaintext

import (
	"bytes"
	"iter"
	"math/bits"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
)

// language is a language that is written with spaces between words.
type language struct {
	stem func(*snowballstem.Env) bool // nil: words are not changed
	// stops are words of questions that do not name their subject. They also tell the language of
	// a text; shared are those that do not, since they are words of English with a meaning.
	stops, shared string
	// months are the names of the months in dates; "" if they are in English.
	months string
}

// languageSet is a set of languages, by bit.
type languageSet uint16

const (
	inEnglish languageSet = 1 << iota
	inGerman
	inFrench
	inSpanish
	inItalian
	inPortuguese
	inRussian
	inHindi             // also stands for any language whose words are not changed
	inAny   languageSet = 1<<iota - 1
	// inLatin are the languages in Latin script.
	inLatin = inEnglish | inGerman | inFrench | inSpanish | inItalian | inPortuguese
)

// languages returns the languages in the order of their bits. The algorithms of Snowball remove
// endings, that of English being Porter2.
func languages() [bitsOfLanguages]language {
	return [...]language{
		{stem: english.Stem, stops: `a about after all also am an and any are as at be because been before being but by can could
	did do does doing don during each for from give had has have he her here him his how i if in into is isn it its just
	let many me more most much my no not of on only or other our out please shall she should show so some such tell than
	that the their them then there these they this those to too up us very was we were what when where which while who
	whom whose why will with would you your`},
		{stem: german.Stem, stops: `aber alle als am an auch auf aus bei bin bist bitte da damit dann das dass dein deine dem der des
	dich dies diese dieser dieses dir doch du durch ein eine einem einen einer eines er es für gab gib gibt habe haben
	habt hast hatte hatten hier ich ihm ihn ihnen ihr ihre im ist jetzt kann kannst kein keine können machen mein meine
	meinem meinen meiner mich mir nach nicht noch nur ob oder ohne sein seine sei seit sich sie sind soll sollen um und
	uns unser viel vom von vor wann warum weil welche welchem welchen welcher welches wem wen wenn wer werden wie wieder wir
	wird wo woher wohin worden wurde wurden zeig zu zum zur zwischen über`, shared: `also den die hat mit so war waren was will`,
			months: `Januar Februar März April Mai Juni Juli August September Oktober November Dezember`},
		{stem: french.Stem, stops: `au aux avec avez avons ce ces cet cette comment dans de des du elle elles en entre est et eux il
	ils je la le les leur leurs lui ma mais me mes moi mon ne nos notre nous où ont par pas pendant plus pourquoi puis
	qu quand que quel quelle quelles quels qui quoi sa se ses si sommes sont suis sur ta te tes toi ton tu un une vers
	vos votre vous y à ça été être était`, shared: `a as elle on pour sans son`,
			months: `janvier février mars avril mai juin juillet août septembre octobre novembre décembre`},
		{stem: spanish.Stem, stops: `al como con cual cuando cuál cuándo cuánto cuántos cómo de del desde donde dónde e el ella ellas
	ellos en entre era es esa ese eso esta estaba estado estas este esto estos está están fue fueron ha han hay hasta
	la las le les lo los mi mis muy más nos nosotros nuestra nuestro o para pero por porque puede que quien quién qué se
	según ser si sido sobre son su sus también te tengo tiene tienen tu tus un una uno unos y ya yo él`,
			shared: `a has he me no sin`,
			months: `enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre`},
		{stem: italian.Stem, stops: `agli ai al alla alle allo anche che chi ci come con così cosa cui da dagli dai dal dalla dalle
	degli dei del della delle dello di dopo dove e ed era fa gli ha hanno ho i il io la le lei lo loro lui ma mi mia mie
	miei mio nei nel nella nelle noi non nostra nostro o ogni per perché più poi qual quale quali quando quanti quanto quella
	quello questa questo qui se sei si sia siamo sono stata stato su sua sue sul sulla suo tra tu tua tuo un una uno vi voi
	è`, shared: `a in me no`,
			months: `gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre`},
		{stem: portuguese.Stem, stops: `ao aos as até com como da das de dela dele deles depois do dos e ela elas ele eles em entre era
	essa esse esta este estou está estão eu foi foram há isso isto já la lhe mais mas me mesmo meu meus minha muito na nas
	nem no nos nossa nosso não nós o onde os ou para pela pelo por porque qual quais quando que quem se sem ser seu seus
	sobre sua suas são também te tem tenho teu tinha tu um uma você vocês à às é`, shared: `a as do me no`,
			months: `janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro`},
		{stem: russian.Stem, stops: `а без бы был была были было быть в вам вас ваш вот вы где да для до его ее если есть еще ещё же
	за и из или им их к как какая какие какой когда который кто куда ли мне мои мой моя моё мы на надо нам нас наш не него
	нее ней нет ни них но о об он она они оно от откуда очень по под пока после почему при про с сколько со так там тебе
	то того тоже только тот ты у уже чего чем через что чтобы эта эти это этот я`,
			months: `января февраля марта апреля мая июня июля августа сентября октября ноября декабря`},
		{stops: `ऐसा कब कहाँ कहां का किस की के को कैसा कैसी कैसे कौन क्या क्यों गया तथा नहीं ने पर बहुत में मुझे मेरा मेरी मेरे यह यहाँ रहा
	रही रहे लिए वह वाला साथ से हुआ हुई हूँ है हैं हो होगा होगी होता होती`},
	}
}

const bitsOfLanguages = 8

// vocabulary holds the stop words of all languages.
type vocabulary struct {
	languages [bitsOfLanguages]language
	// stops are the languages of a stop word, tells those that it is evidence of.
	stops, tells map[string]languageSet
}

var words = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{languages: languages(), stops: map[string]languageSet{}, tells: map[string]languageSet{}}
	for i, l := range v.languages {
		for word := range wordsOf(l.stops) {
			v.stops[word] |= 1 << i
			v.tells[word] |= 1 << i
		}
		for word := range wordsOf(l.shared) {
			v.stops[word] |= 1 << i
		}
	}
	return v
})

// wordsOf returns the words of a list in the form of Words.
func wordsOf(list string) iter.Seq[string] { return strings.FieldsSeq(strings.Map(fold, list)) }

// sampleBytes is the beginning of a text that tells its language.
const sampleBytes = 2 << 10

// languageOf returns the language in Latin script that a text has most stop words of, English if
// none prevails, and the number of these words.
func languageOf(text string) (in languageSet, told int) {
	tells := words().tells
	var counts [bitsOfLanguages]int
	var word []byte // in lower case, as far as it is ASCII
	count := func() {
		for set := tells[string(word)] & inLatin; set != 0; set &= set - 1 {
			counts[bits.TrailingZeros16(uint16(set))]++
		}
		word = word[:0]
	}
	var buf [maxWordBytes]byte
	word = buf[:0]
	for i := range min(len(text), sampleBytes) {
		switch c := text[i]; {
		case 'A' <= c && c <= 'Z':
			word = append(word, c+'a'-'A')
		case 'a' <= c && c <= 'z', c >= utf8.RuneSelf, joinsIdentifier(text, i):
			word = append(word, c)
		case len(word) > 0:
			count()
		}
	}
	count()
	best := 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	return 1 << best, counts[best]
}

// joinsIdentifier reports whether a byte of a text belongs to a name such as example.com, whose parts
// tell no language.
func joinsIdentifier(text string, i int) bool {
	if text[i] == '.' {
		return i+1 < len(text) && text[i+1] > ' '
	}
	return strings.IndexByte("@/_-0123456789", text[i]) >= 0
}

// stemsIn returns the languages whose endings are to be removed from a word, of those of its text.
// The script of the word determines the language if it is not Latin. A word with a digit has none:
// it may be part of an identifier.
func stemsIn(word []byte, of languageSet) languageSet {
	r, _ := utf8.DecodeLastRune(word)
	switch {
	case bytes.ContainsAny(word, "0123456789"):
		return inHindi
	case 'а' <= r && r <= 'я':
		return inRussian
	case r > 'ɏ': // the last letter of Latin Extended-B
		return inHindi
	}
	return of
}

// stem returns a word without its ending in a language, so that one form of it matches the others.
func (t *termReader) stem(word []byte, in languageSet) string {
	apply := words().languages[bits.TrailingZeros16(uint16(in))].stem
	if apply == nil {
		return string(word)
	}
	if t.env == nil {
		t.env = snowballstem.NewEnv("")
	}
	t.env.SetCurrent(string(word))
	apply(t.env)
	return t.env.Current()
}

// Date returns a date, in UTC, in the forms that people search for: 7 May 2023 and 2023-05-07, and
// with the name of the month in the language of a text.
func Date(at time.Time, text string) string {
	at = at.UTC()
	date := at.Format("2 January 2006 2006-01-02")
	in, _ := languageOf(text)
	if strings.ContainsFunc(text, func(r rune) bool { return 'а' <= r && r <= 'я' }) {
		in = inRussian
	}
	if months := words().languages[bits.TrailingZeros16(uint16(in))].months; months != "" {
		date += " " + strings.Fields(months)[at.Month()-1]
	}
	return date
}

// IsEnglish reports whether a text in Latin script is in English, as far as its stop words tell: it
// is not if it has more of those of another language.
func IsEnglish(text string) bool {
	in, _ := languageOf(text)
	return in == inEnglish
}
