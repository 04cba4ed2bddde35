package document

import "bytes"

// survey counts forms of lines, to distinguish YAML and "key: value" lines from
// prose.
type survey struct {
	lines    int  // not empty
	keys     int  // "key: value"
	tokens   int  // keys whose value is a single word
	indented int  // nested keys
	opened   int  // keys with a value on the next lines
	flow     int  // keys with a value in YAML notation: [a, b], {a: b}, &a
	dashes   int  // list items
	words    int  // list items of a single word
	deeper   int  // indented lines below list items
	titles   int  // names of records with an identifier behind
	intros   int  // lines above the titles: "Tasks of Ann:"
	records  int  // rules above records: "-[ RECORD 1 ]---"
	marked   bool // begins with "---"
}

// surveyLines examines the first 200 lines.
func surveyLines(text []byte) (s survey) {
	const bound = 200
	for line := range bytes.Lines(text[:min(len(text), sniffBytes)]) {
		body := bytes.TrimSpace(line)
		switch {
		case len(body) == 0, body[0] == '#' && s.keys+s.dashes == 0:
		case isRecordRule(body):
			s.records++
		case isRule(body):
			s.marked = s.marked || s.lines == 0 && string(body) == "---"
		case s.records > 0 && isSeparator(body), cutHeading(body) != nil:
		default:
			s.line(body, line[0] == ' ')
		}
		if s.lines == bound {
			break
		}
	}
	return s
}

func (s *survey) line(body []byte, indented bool) {
	s.lines++
	switch {
	case body[len(body)-1] == ')' && namedID.Match(unmark(trimBullet(trimHashes(body)))):
		s.titles++
	case s.lines == 1 && body[len(body)-1] == ':':
		s.intros++
	}
	item, isItem := bytes.CutPrefix(body, []byte("- "))
	if isItem {
		s.dashes++
	} else if indented && s.dashes > 0 {
		s.deeper++
	}
	pair, ok := cutKey(body)
	if bar, barred := cutBar(body); barred && s.records > 0 {
		pair, ok = bar, true
	}
	if !ok {
		if isItem && len(bytes.Fields(item)) == 1 {
			s.words++
		}
		return
	}
	s.keys++
	if indented {
		s.indented++
	}
	if fields := bytes.Fields(pair.value); len(fields) == 1 {
		s.tokens++
	}
	switch {
	case len(pair.value) == 0 || len(bytes.Trim(pair.value, "|>-")) == 0:
		s.opened++
	case startsWith(pair.value, "[{&!") && bytes.IndexByte(body, ':') > 0:
		s.flow++
	}
}

// isYAML reports whether a text has structure that is meaningful only in YAML.
func (s survey) isYAML() bool {
	switch {
	case s.lines == 0 || s.records > 0 || (s.keys+s.words)*2 < s.lines || s.isTitled():
		return false
	case s.keys == 0:
		return s.words == s.lines && s.lines > 1
	case s.marked, s.flow > 0:
		return true
	default:
		return s.opened > 0 && s.indented+s.dashes > 0 || s.dashes > 0 && s.deeper > 0
	}
}

// isKeyValue reports whether at least half of the lines have a key, and either
// several do or the only value is a single word.
func (s survey) isKeyValue() bool {
	return s.keys*2 >= s.lines && (s.keys > 1 || s.tokens > 0) || s.isTitled()
}

// isTitled reports whether a text consists of titles of records and fields below them.
func (s survey) isTitled() bool {
	return s.titles > 0 && s.indented-s.opened+s.intros >= s.titles && s.titles+s.indented+s.intros == s.lines
}
