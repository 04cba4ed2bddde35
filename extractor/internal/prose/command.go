package prose

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// readEntry yields the entry of a directory's listing and reports whether the line is
// one:
//
//	[FILE] main.go
//	drwxr-xr-x 2 root root 4096 Nov 23 14:10 src
func (r *reader) readEntry(l *line) bool {
	text := trimBullet(bytes.TrimRight(l.text, " \t\r\n"))
	typ, name := bracketEntry(text)
	if typ == "" {
		typ, name = modeEntry(text)
	}
	if typ == "" || len(name) == 0 || len(name) > maxID || string(name) == "." || string(name) == ".." {
		return false
	}
	r.found++
	r.emit(Mention{ID: name, Type: typ, Sure: true, Entry: true, Start: r.start(l, 0, name)})
	return true
}

// readItem yields what an item of a list begins with, if that is a name as programs use or a
// key in bold letters, and reports whether the line is such an item:
//
//   - light.kitchen (Kitchen ceiling): off
//   - orders (9 columns)
//     **OPS** - Operations
func (r *reader) readItem(l *line) bool {
	if !r.topic.Several || r.heading == "" || l.indented {
		return false
	}
	text := trimBullet(bytes.TrimRight(l.text, " \t\r\n"))
	word, next := nextWord(text, 0)
	id, bold := marked(word)
	if !bold {
		id = word
	}
	rest := bytes.TrimSpace(text[next:])
	isKey := bold && shape.IsUpperWord(id) && len(restName(rest)) > 0
	switch kind := rankOf(id); {
	case len(id) < 2 || isPath(id) || shape.IsCoded(id) || !l.listed && !isKey:
		return false
	case kind == rankNone && !isKey, kind == rankWord && !bold && (len(rest) == 0 || rest[0] != '('):
		return false
	}
	m := Mention{ID: id, Type: r.heading, Sure: true, Row: true, Start: r.start(l, 0, id)}
	switch aside, ok := between(rest, "(", ")"); {
	case len(rest) == 0:
	case ok && rest[0] == '(':
		if key, _, keyed := bytes.Cut(aside, []byte(":")); keyed || isLabel(string(bytes.ToLower(key))) {
			return false
		}
		if !shape.HasDigit(aside) {
			m.Label = nameText(aside)
		}
	case bytes.IndexAny(rest, "-|") == 0, bytes.HasPrefix(rest, []byte("–")), bytes.HasPrefix(rest, []byte("—")):
		m.Label = restName(rest)
	default:
		return false
	}
	if len(m.Label) == 0 {
		m.Label = id
	}
	r.found++
	r.emit(m)
	return true
}

// readTab yields an open page behind the number that tools take it by, and reports whether the
// line is one:
//
//   - 0: (current) [Desks](https://oak.example/desks)
//     2: https://oak.example/lamps [selected]
func (r *reader) readTab(l *line) bool {
	const longest = 4
	number, rest, ok := bytes.Cut(trimBullet(l.text[:min(len(l.text), window)]), []byte(": "))
	if !ok || !vocabulary.ScreenNouns.Has(r.heading) || len(number) > longest || !shape.IsDigits(number) {
		return false
	}
	label, linked := between(rest, "[", "](")
	if !linked {
		_, label, ok = bytes.Cut(rest, []byte("://"))
		label = firstWord(label)
	}
	if !ok {
		return false
	}
	r.found++
	r.emit(Mention{ID: number, Type: r.heading, Label: label, Sure: true, Start: r.start(l, 0, number)})
	r.readWordsFrom(l, len(l.text)-len(bytes.TrimLeft(l.text[l.lead:], ": ")))
	return true
}

// bracketEntry reads "[FILE] main.go", and "[FILE] main.go    12 B" with its size.
func bracketEntry(text []byte) (typ string, name []byte) {
	mark, name, ok := bytes.Cut(text, []byte("] "))
	name, _, _ = bytes.Cut(name, []byte("   "))
	if !ok || len(mark) == 0 || len(mark) > 12 || mark[0] != '[' {
		return "", nil
	}
	switch string(mark) {
	case "[FILE", "[F":
		return "file", bytes.TrimSpace(name)
	case "[DIR", "[DIRECTORY", "[D":
		return "directory", bytes.TrimSpace(name)
	case "[FOLDER":
		return "folder", bytes.TrimSpace(name)
	}
	return "", nil
}

// modeEntry reads a line of ls -l.
func modeEntry(text []byte) (typ string, name []byte) {
	const fields = 8 // before the name
	if len(text) < 20 || len(bytes.Trim(text[:10], "-dlrwxsStT")) > 0 || text[1] != 'r' && text[1] != '-' || bytes.IndexByte([]byte("-dl"), text[0]) < 0 || text[0] == '-' && text[4] != '-' && text[4] != 'r' {
		return "", nil
	}
	at := 0
	for range fields {
		word, next := nextWord(text, at)
		if len(word) == 0 {
			return "", nil
		}
		at = next
	}
	name, _, _ = bytes.Cut(bytes.TrimSpace(text[at:]), []byte(" -> "))
	if text[0] == 'd' {
		return "directory", name
	}
	return "file", name
}

// readCommand yields the subject of a line that a command prints, and reports whether
// nothing else on the line is of interest.
func (r *reader) readCommand(l *line) bool {
	line := trimBullet(bytes.TrimRight(l.text, " \t\r\n"))
	word, next := nextWord(line, 0)
	rest := bytes.TrimSpace(line[next:])
	switch {
	case string(word) == "commit" && isHash(firstWord(rest)):
		id := firstWord(rest)
		r.found++
		r.hold(Mention{ID: id, Type: "commit", Sure: true, Start: r.start(l, 0, id)}, true)
		return true
	case len(rest) > 0 && isHash(word) && line[next] == ' ' && len(line) > next+1 && line[next+1] != ' ' && (r.heading == "" || r.heading == "commit" || len(word) == 40):
		r.found++
		r.emit(Mention{ID: word, Type: "commit", Label: subjectOf(rest), Sure: true, Start: r.start(l, 0, word)})
		return true
	case isKindAndName(word) && (len(rest) == 0 || vocabulary.ResourceOutcomes.HasBytes(firstWord(rest))):
		kind, name, _ := bytes.Cut(word, []byte("/"))
		kind, _, _ = bytes.Cut(kind, []byte("."))
		r.found++
		noun := cmp.Or(vocabulary.CommandSubject("kubectl "+string(kind)), string(kind))
		r.emit(Mention{ID: name, Type: noun, Sure: true, Start: r.start(l, 0, word) + len(word) - len(name)})
		return true
	}
	return r.readFilePath(l, line) || r.readPosition(l, line) || r.readCreation(l, word, rest)
}

// readFilePath reads a line that is the path of a file with a space, from a tool about files, or the
// heading of what is in that file.
func (r *reader) readFilePath(l *line, text []byte) bool {
	path := bytes.TrimSuffix(text, []byte(":"))
	isRooted := len(path) > 1 && (path[0] == '/' || bytes.IndexByte([]byte(".~"), path[0]) >= 0 && path[1] == '/' || isDrivePath(path))
	if !isRooted || len(path) > maxLoose || bytes.Contains(path, []byte(": ")) || !vocabulary.FileNouns.Has(r.topic.Noun) || bytes.IndexByte(path, ' ') < 0 || bytes.Contains(path, []byte(" /")) || !isPath(path) {
		return false
	}
	r.found++
	r.emit(Mention{ID: path, Type: r.pathType(path), Sure: true, Start: r.start(l, 0, path)})
	return true
}

// readPosition reads a line about a position in a file, "src/main.go:42:7: undefined: x",
// whose rest is a message or source code.
func (r *reader) readPosition(l *line, text []byte) bool {
	text = text[:min(len(text), window)]
	i := bytes.IndexByte(text, ':')
	if i < 0 || !isPath(text[:i]) || !isLoose(text[:i]) || bytes.IndexByte(text[:i], ' ') >= 0 {
		return false
	}
	number, _, ok := bytes.Cut(text[i+1:], []byte(":"))
	if !ok || !shape.IsDigits(number) {
		return false
	}
	r.emit(Mention{ID: text[:i], Type: r.pathType(text[:i]), Start: r.start(l, 0, text[:i])})
	return true
}

// readCreation reads "aws_instance.web: Creation complete after 10s [id=i-0abc]".
func (r *reader) readCreation(l *line, address, rest []byte) bool {
	address, ok := bytes.CutSuffix(address, []byte(":"))
	dot := bytes.LastIndexByte(address, '.')
	id, found := between(rest, "[id=", "]")
	if !ok || dot < 1 || !found || len(id) == 0 || len(id) > maxID || shape.Of(id) == shape.NotID {
		return false
	}
	kind := string(address[bytes.LastIndexByte(address[:dot], '.')+1 : dot])
	if _, noun, ok := strings.Cut(kind, "_"); ok {
		kind = noun
	}
	r.found++
	r.emit(Mention{ID: id, Type: kind, Label: address, Sure: true, Start: r.start(l, 0, id)})
	return true
}

// firstWord returns the first word of a text.
func firstWord(text []byte) []byte {
	word, _ := nextWord(text, 0)
	return word
}

// isHash reports whether a word is the hash of a commit, abbreviated or not.
func isHash(word []byte) bool {
	if n := len(word); n != 40 && (n < 7 || n > 10) {
		return false
	}
	return len(bytes.Trim(word, "0123456789abcdef")) == 0 && bytes.ContainsAny(word, "abcdef") && shape.HasDigit(word)
}

// subjectOf returns the subject of a commit without the names in front of it: "(HEAD ->
// main) Fix login".
func subjectOf(text []byte) []byte {
	if text[0] == '(' {
		if _, behind, ok := bytes.Cut(text, []byte(") ")); ok {
			text = behind
		}
	}
	return nameText(text[:min(len(text), maxName)])
}

// isKindAndName reports whether a word names a kind of resource and a resource:
// pod/web-7d9f8b, deployment.apps/web.
func isKindAndName(word []byte) bool {
	kind, name, ok := bytes.Cut(word, []byte("/"))
	if !ok || len(name) < 2 || len(name) > maxLoose || bytes.ContainsAny(name, "/:") {
		return false
	}
	kind, _, _ = bytes.Cut(kind, []byte("."))
	if len(bytes.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.")) > 0 || isPath(name) {
		return false
	}
	return vocabulary.ResourceKinds.HasBytes(kind)
}
