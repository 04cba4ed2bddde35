package secret

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// The rules of gitleaks, and those that it does not have. See internal/secret/gitleaks.
var (
	//go:embed gitleaks.txt
	gitleaksRules string
	//go:embed own.txt
	ownRules string
)

// rule describes the form of a kind of secret. If expression is empty, the keyword is a prefix
// that no other ids have.
type rule struct {
	// end returns the end of a secret at an offset, or 0. If nil, the other fields decide.
	end        func(text []byte, at int) int
	expression string
	// back is the number of bytes that a match has before the keyword.
	back     int
	once     sync.Once
	compiled *regexp.Regexp
}

// entry is a keyword. If it has no rule, it is a label.
type entry struct {
	keyword string
	// lead is the number of bytes before the keyword's first letter: 0 or 1.
	lead int
	rule *rule
	// before are the words behind which a label is one; empty if it always is.
	before []string
}

// ruleTable finds the keywords by their first bytes.
type ruleTable struct {
	// begun has a bit for each hash of the first three bytes of a keyword.
	begun [1 << 15 / 64]uint64
	// entries are those of a hash of the first two bytes.
	entries    [1 << 10][]entry
	vocabulary vocabulary
}

// hash2 hashes two bytes, letters without regard to case.
func hash2(a, b byte) int { return int(a&31)<<5 | int(b&31) }

// begins reports whether a keyword may begin at an offset.
func (t *ruleTable) begins(text []byte, i int) bool {
	if i+2 >= len(text) {
		return false
	}
	hash := hash2(text[i], text[i+1])<<5 | int(text[i+2]&31)
	return t.begun[hash/64]&(1<<(hash%64)) != 0
}

// table returns all rules. They are read on first use.
var table = sync.OnceValue(func() *ruleTable {
	t := new(ruleTable)
	t.fill()
	return t
})

func (t *ruleTable) fill() {
	for line := range strings.Lines(gitleaksRules + ownRules) {
		t.addLine(strings.TrimSuffix(line, "\n"))
	}
	t.add(entry{keyword: "eyJ", rule: &rule{end: webTokenEnd}})
	t.addLabels()
}

// addLine adds the rule of a line: a prefix, or keywords, back and an expression.
func (t *ruleTable) addLine(line string) {
	if line == "" || line[0] == '#' {
		return
	}
	keywords, form, ok := strings.Cut(line, "\t")
	r := &rule{}
	if ok {
		back, expression, _ := strings.Cut(form, "\t")
		r.back, _ = strconv.Atoi(back)
		r.expression = expression
	}
	for keyword := range strings.SplitSeq(keywords, ",") {
		t.add(entry{keyword: keyword, rule: r})
	}
}

// addLabels adds the words of the vocabulary.
func (t *ruleTable) addLabels() {
	t.vocabulary = newVocabulary()
	for _, list := range [...]string{secretWords, aloneWords, tokenWords, schemes} {
		for word := range strings.FieldsSeq(list) {
			t.add(entry{keyword: word})
		}
	}
	tails := map[string][]string{}
	for pair := range strings.FieldsSeq(secretPairs) {
		before, tail, _ := strings.Cut(pair, "_")
		tails[tail] = append(tails[tail], before)
	}
	for tail, before := range tails {
		t.add(entry{keyword: tail, before: before})
	}
}

func (t *ruleTable) add(e entry) {
	if !isWordByte(e.keyword[0]) {
		e.lead = 1
	}
	begin := e.keyword[e.lead:]
	first := hash2(begin[0], begin[1])
	t.entries[first] = append(t.entries[first], e)
	for third := range 1 << 5 {
		if len(begin) == 2 || int(begin[2]&31) == third {
			hash := first<<5 | third
			t.begun[hash/64] |= 1 << (hash % 64)
		}
	}
}

const (
	// maxForm is how much of a text an expression sees.
	maxForm = 256
	// minTail is the shortest text behind a prefix, and maxTail how much of it decides.
	minTail, maxTail = 16, 64
)

// match returns the secret with a keyword at an offset.
func (r *rule) match(text []byte, at int, keyword string) (start, end int, ok bool) {
	if at < 0 || at+len(keyword) > len(text) || !equalFold(text[at:at+len(keyword)], keyword) {
		return 0, 0, false
	}
	switch {
	case r.end != nil:
		end = r.end(text, at)
		return at, end, end > 0
	case r.expression == "":
		end = at + len(keyword)
		n := tokenLen(text[end:min(len(text), end+maxTail)])
		if n < minTail || !isGenerated(text[end:end+n]) {
			return 0, 0, false
		}
		return at, end + tokenLen(text[end:]), true
	}
	return r.matchExpression(text, at)
}

// matchExpression returns the match of the rule's expression around a keyword. If another
// letter or digit follows, it is the beginning of a longer id.
func (r *rule) matchExpression(text []byte, keyword int) (start, end int, ok bool) {
	if start = keyword - r.back; start < 0 {
		return 0, 0, false
	}
	r.once.Do(func() { r.compiled = regexp.MustCompile("^(?:" + r.expression + ")") })
	form := text[start:min(len(text), start+maxForm)]
	found := r.compiled.FindIndex(form)
	if found == nil {
		return 0, 0, false
	}
	end = start + found[1]
	if end < start+maxForm && end < len(text) && isWordByte(text[end]) {
		return 0, 0, false
	}
	return start, end + tokenLen(text[end:]), true
}
