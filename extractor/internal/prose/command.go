package prose

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// readEntry yields the entry of a directory's listing and reports whether the line is
// one:
//
//	[FILE] main.go
//	drwxr-xr-x 2 root root 4096 Nov 23 14:10 src
func (r *reader) readEntry(l *line) bool {
	typ, name := entry(l.body)
	if typ == "" || len(name) == 0 || len(name) > maxID || name[len(name)-1] == '.' || bytes.Count(name, []byte(" ")) > 4 || string(name) == "." || string(name) == ".." {
		return false
	}
	r.emit(Mention{ID: name, Type: typ, Sure: true, Entry: true})
	return true
}

// entry returns the type and the name of an entry, or "". Behind the name in brackets may be its size.
func entry(text []byte) (typ string, name []byte) {
	mark, next := nextWord(text, 0)
	name, _, _ = bytes.Cut(bytes.TrimSpace(text[next:]), []byte("   "))
	switch string(mark) {
	case "[FILE]", "[F]":
		return "file", name
	case "[DIR]", "[DIRECTORY]", "[D]":
		return "directory", name
	case "[FOLDER]":
		return "folder", name
	}
	const fields = 7 // between the mode and the name
	isMode := len(mark) >= 10 && strings.IndexByte("-dl", mark[0]) >= 0 && bytes.IndexByte(mark, 'r') > 0
	if !isMode || len(bytes.Trim(mark[:10], "-dlrwxsStT")) > 0 {
		return "", nil
	}
	for range fields {
		_, next = nextWord(text, next)
	}
	name, _, _ = bytes.Cut(bytes.TrimSpace(text[next:]), []byte(" -> "))
	if mark[0] == 'd' {
		return "directory", name
	}
	return "file", name
}

// IsListed reports whether a line is one of the long listing of a directory.
func IsListed(line []byte) bool {
	_, name := entry(line)
	return len(name) > 0 && line[0] != '['
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
	word, next := nextWord(l.body, 0)
	id, bold := marked(word)
	if !bold {
		id = word
	}
	rest := bytes.TrimSpace(l.body[next:])
	aside, inParentheses := between(rest, "(", ")")
	inParentheses = inParentheses && rest[0] == '('
	isKey := bold && shape.IsUpperWord(id)
	switch kind := rankOf(id); {
	case len(id) < 2 || isPath(id) || shape.IsCoded(id) || !l.listed && !isKey:
		return false
	case kind == rankNone && !isKey, kind == rankWord && !bold && !inParentheses, inParentheses && bytes.IndexByte(aside, ':') >= 0:
		return false
	}
	m := Mention{ID: id, Type: r.heading, Sure: true, Row: true, Label: id}
	switch {
	case inParentheses && !shape.HasDigit(aside):
		m.Label = nameText(aside)
	case !inParentheses && bytes.ContainsAny(firstWord(rest), "-|–—"):
		m.Label = restName(rest)
	case !inParentheses && len(rest) > 0:
		return false
	}
	r.emit(m)
	return true
}

// readTab yields an open page behind the number that tools take it by, and reports whether the
// line is one:
//
//   - 0: (current) [Desks](https://oak.example/desks)
//     2: https://oak.example/lamps [selected]
func (r *reader) readTab(l *line) bool {
	number, rest, ok := bytes.Cut(l.body[:min(len(l.body), window)], []byte(": "))
	if !ok || !vocabulary.ScreenNouns.Has(r.heading) || !shape.IsDigits(number) {
		return false
	}
	label, linked := between(rest, "[", "](")
	if !linked {
		_, label, linked = bytes.Cut(rest, []byte("://"))
		label = firstWord(label)
	}
	if !linked {
		return false
	}
	r.emit(Mention{ID: number, Type: r.heading, Label: label, Sure: true})
	r.readWordsFrom(l, offset(l.text, rest))
	return true
}

// readCommand yields the subject of a line that a command prints, and reports whether
// nothing else on the line is of interest.
func (r *reader) readCommand(l *line) bool {
	word, next := nextWord(l.body, 0)
	rest := bytes.TrimSpace(l.body[next:])
	path := bytes.TrimSuffix(l.body, []byte(":")) // the heading of what is in a file
	kind, name, isResource := kindAndName(word)
	switch {
	case string(word) == "commit" && isHash(firstWord(rest)):
		r.hold(Mention{ID: firstWord(rest), Type: "commit", Sure: true})
		return true
	case len(rest) > 0 && isHash(word) && (r.heading == "" || r.heading == "commit" || vocabulary.FileNouns.Has(r.heading) || len(word) == 40):
		r.emit(Mention{ID: word, Type: "commit", Label: nameText(rowName(rest[:min(len(rest), maxName)])), Sure: true})
		return true
	case isResource && (len(rest) == 0 || vocabulary.ResourceOutcomes.HasBytes(firstWord(rest))):
		r.emit(Mention{ID: name, Type: naming.KindNoun(kind), Sure: true})
		return true
	case vocabulary.FileNouns.Has(r.topic.Noun) && len(rest) > 0 && isRootedPath(path): // with a space
		r.emit(Mention{ID: path, Type: r.pathType(path), Sure: true})
		return true
	}
	return r.readCreation(word, rest) || r.readDefinition(l.body)
}

// readDefinition yields what a line defines, in SQL or as the head of a block:
//
//	CREATE TABLE IF NOT EXISTS loans (
//	+ resource "aws_sqs_queue" "returns" {
func (r *reader) readDefinition(text []byte) bool {
	words := bytes.Fields(bytes.TrimLeft(text[:min(len(text), window)], "+-~ "))
	if len(words) > 2 && bytes.EqualFold(words[0], []byte("create")) {
		for i, word := range words[1 : len(words)-1] {
			noun := strings.ToLower(string(word))
			if !vocabulary.DefinedNouns.Has(noun) {
				continue
			}
			rest := words[i+2:]
			for len(rest) > 1 && vocabulary.TableModifiers.HasBytes(bytes.ToLower(rest[0])) {
				rest = rest[1:]
			}
			name, _, _ := bytes.Cut(rest[0], []byte("("))
			name = bytes.Trim(name, "`\"';")
			r.emit(Mention{ID: name, Type: noun, Label: name, Sure: true, Row: true})
			r.defining = bytes.IndexByte(text, ';') < 0
			return true
		}
	}
	if len(words) == 4 && string(words[3]) == "{" && words[1][0] == '"' && words[2][0] == '"' {
		kind, name := bytes.Trim(words[1], `"`), bytes.Trim(words[2], `"`)
		_, noun, _ := strings.Cut(string(kind), "_")
		r.emit(Mention{ID: slices.Concat(kind, []byte("."), name), Type: cmp.Or(noun, "resource"), Label: name, Sure: true})
		return true
	}
	return false
}

// readColumn yields the column that a line below the head of a table's definition begins with, and
// reports whether the line belongs to one.
func (r *reader) readColumn(l *line) bool {
	if !r.defining {
		return false
	}
	name, rest := nextPart(l.body)
	r.defining = !bytes.HasPrefix(l.body, []byte(")")) && !bytes.HasSuffix(l.body, []byte(";"))
	if id := bytes.Trim(name, "`\""); len(rest) > 0 && l.indented && bytes.ContainsAny(id, "_") && hasLetter(id) {
		r.emit(Mention{ID: id, Type: "column"})
	}
	return true
}

// isRootedPath reports whether a text is a path that begins at a root, even if it has spaces.
func isRootedPath(text []byte) bool {
	isRooted := bytes.HasPrefix(text, []byte("/")) || bytes.HasPrefix(text, []byte("./")) || bytes.HasPrefix(text, []byte("~/")) || isDrivePath(text)
	return isRooted && len(text) <= maxLoose && isPath(text) && utf8.Valid(text) &&
		!bytes.Contains(text, []byte(" /")) && !bytes.Contains(text, []byte(": ")) && text[len(text)-1] != ':'
}

// readCreation reads "aws_instance.web: Creation complete after 10s [id=i-0abc]".
func (r *reader) readCreation(address, rest []byte) bool {
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
	r.emit(Mention{ID: id, Type: kind, Label: address, Sure: true})
	return true
}

// firstWord returns the first word of a text.
func firstWord(text []byte) []byte {
	word, _ := nextWord(text, 0)
	return word
}

// isHash reports whether a word is the hash of a commit, abbreviated or not.
func isHash(word []byte) bool {
	isLong := len(word) == 40 || len(word) >= 7 && len(word) <= 10
	return isLong && len(bytes.Trim(word, "0123456789abcdef")) == 0 && shape.HasDigit(word) && bytes.ContainsAny(word, "abcdef")
}

// kindAndName splits a word that names a kind of resource and a resource: pod/web-7d9f8b,
// deployment.apps/web.
func kindAndName(word []byte) (kind string, name []byte, ok bool) {
	before, name, _ := bytes.Cut(word, []byte("/"))
	before, _, _ = bytes.Cut(before, []byte("."))
	ok = len(name) > 1 && len(bytes.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.")) == 0 && !isPath(name)
	return string(before), name, ok && vocabulary.ResourceKinds.HasBytes(before)
}
