package outline

import (
	"bytes"
	"regexp"
	"strings"
)

// timestamp matches the time of a log line: RFC 3339 and its variants, that of web servers,
// of syslog, and of klog.
var timestamp = regexp.MustCompile(`\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|[IWEF]\d{4} \d\d:\d\d:\d\d(?:\.\d+)?`)

// levels are the levels by name, in the order in which they are shown.
var (
	levels   = []string{"fatal", "error", "warning", "notice", "info", "debug", "trace"}
	levelOf  = map[string]int{"panic": 0, "critical": 0, "crit": 0, "fatal": 0, "error": 1, "err": 1, "warn": 2, "warning": 2, "notice": 3, "info": 4, "debug": 5, "trace": 6}
	klogWord = map[byte]int{'F': 0, 'E': 1, 'W': 2, 'I': 4}
)

const (
	timeWindow  = 80  // bytes in which the time of a line begins and ends
	levelWindow = 160 // bytes in which the level of a line is
)

// timeOf returns the time of a log line, or nil.
func timeOf(text []byte) []byte {
	head := text[:min(len(text), timeWindow)]
	if i := bytes.IndexByte(head, ':'); i < 5 { // every form has a colon after other digits
		return nil
	}
	return timestamp.Find(head)
}

// levelIn returns the level of a log line, or -1.
func levelIn(text, when []byte) int {
	if len(when) > 0 && strings.IndexByte("IWEF", when[0]) >= 0 && len(when) > 5 && when[1] <= '9' {
		return klogWord[when[0]]
	}
	head := text[:min(len(text), levelWindow)]
	for i := 0; i < len(head); i++ {
		start := i
		for i < len(head) && head[i]|0x20 >= 'a' && head[i]|0x20 <= 'z' {
			i++
		}
		if found, ok := levelWord(head[start:i]); ok && (head[start] <= 'Z' || isMarked(head[:start])) {
			return found
		}
	}
	return -1
}

// levelWord returns the level that a word names in capitals or small letters.
func levelWord(word []byte) (found int, ok bool) {
	const shortest, longest = 3, 8
	if len(word) < shortest || len(word) > longest {
		return 0, false
	}
	var lower [longest]byte
	for i, c := range word {
		if c&0x20 != word[len(word)-1]&0x20 {
			return 0, false
		}
		lower[i] = c | 0x20
	}
	found, ok = levelOf[string(lower[:len(word)])]
	return found, ok
}

// isMarked reports whether what precedes a word in small letters makes it a level: [info],
// level=info, "level": "info".
func isMarked(before []byte) bool {
	name := bytes.TrimRight(before, `=:"' `)
	return bytes.HasSuffix(before, []byte("[")) || len(name) < len(before) &&
		(bytes.HasSuffix(name, []byte("level")) || bytes.HasSuffix(name, []byte("lvl")) || bytes.HasSuffix(name, []byte("severity")))
}

// loggedOutline returns the outline of a log: a text of which at least half of the first
// lines have a time or a level.
func loggedOutline(text, sample []byte) (format, structure string) {
	const enough = 400
	n, logged := 0, 0
	for l := range lines(sample) {
		if l.part || len(l.text) == 0 || l.text[0] == ' ' || l.text[0] == '\t' { // a stack trace
			continue
		}
		if when := timeOf(l.text); when != nil || levelIn(l.text, nil) >= 0 {
			logged++
		}
		if n++; n == enough {
			break
		}
	}
	if n < 2 || 2*logged < n {
		return "", ""
	}
	return "log", logOutline(text)
}

func logOutline(text []byte) string {
	var counts [7]int
	var first, last []byte
	entries, leveled := 0, 0
	for l := range lines(text) {
		if l.part {
			continue
		}
		when := timeOf(l.text)
		if when != nil {
			if entries++; first == nil {
				first = when
			}
			last = when
		}
		if found := levelIn(l.text, when); found >= 0 {
			counts[found]++
			leveled++
		}
	}
	var out []string
	if entries > 0 {
		out = append(out, count(entries, "line")+" with a time", "first: "+quote(first), "last: "+quote(last))
	}
	if leveled > 0 {
		var parts []string
		for i, name := range levels {
			if counts[i] > 0 {
				parts = append(parts, name+" "+number(counts[i]))
			}
		}
		out = append(out, "levels: "+strings.Join(parts, ", "))
	}
	return limit(out)
}
