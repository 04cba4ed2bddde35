package prose

import (
	"bytes"
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

// readResource yields the resource that a command names alone on a line or says what it did with, and
// reports whether the line is one: "deployment.apps/web configured".
func (r *reader) readResource(l *line) bool {
	word, rest := nextPart(l.body)
	kind, name, ok := kindAndName(word)
	if !ok || len(rest) > 0 && !vocabulary.ResourceOutcomes.HasBytes(firstWord(rest)) {
		return false
	}
	r.emit(Mention{ID: name, Type: naming.KindNoun(kind), Sure: true})
	return true
}

// readDefinition yields what a line defines in SQL, and reports whether it is a definition:
//
//	CREATE TABLE IF NOT EXISTS loans (
func (r *reader) readDefinition(l *line) bool {
	words := bytes.Fields(l.body[:min(len(l.body), window)])
	if len(words) < 3 || !bytes.EqualFold(words[0], []byte("create")) {
		return false
	}
	i := slices.IndexFunc(words[:len(words)-1], func(word []byte) bool { return vocabulary.DefinedNouns.HasBytes(bytes.ToLower(word)) })
	if i < 0 {
		return false
	}
	rest := words[i+1:]
	for len(rest) > 1 && vocabulary.TableModifiers.HasBytes(bytes.ToLower(rest[0])) {
		rest = rest[1:]
	}
	name, _, _ := bytes.Cut(rest[0], []byte("("))
	name = bytes.Trim(name, "`\"';")
	r.emit(Mention{ID: name, Type: string(bytes.ToLower(words[i])), Label: name, Sure: true, Row: true})
	return true
}

// isRootedPath reports whether a text is a path that begins at a root, even if it has spaces.
func isRootedPath(text []byte) bool {
	isRooted := bytes.HasPrefix(text, []byte("/")) || bytes.HasPrefix(text, []byte("./")) || bytes.HasPrefix(text, []byte("~/")) || isDrivePath(text)
	return isRooted && len(text) <= maxLoose && isPath(text) && utf8.Valid(text) &&
		!bytes.Contains(text, []byte(" /")) && !bytes.Contains(text, []byte(": ")) && text[len(text)-1] != ':'
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
