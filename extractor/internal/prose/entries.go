package prose

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// readScreen yields the element of a screen in a line of a snapshot, by its
// role and its name, and reports whether the line has one:
//
//   - button "Add to cart" [ref=e155] [cursor=pointer]
//     uid=1_5 link "Home"
//
// The address of a link is on a line below it, "- /url: /cart", and gets the link's name.
func (r *reader) readScreen(l *line) bool {
	if address, ok := bytes.CutPrefix(l.body, []byte("/url: ")); ok && r.element != nil && len(address) > 1 {
		r.emit(Mention{ID: bytes.Trim(address, `"`), Type: "url", Label: r.element, View: true})
		return true
	}
	rest, typ := l.body, "ref"
	id, ok := between(rest, "[ref=", "]")
	if after, found := bytes.CutPrefix(rest, []byte("uid=")); found && !ok {
		typ = "uid"
		id, rest, ok = bytes.Cut(after, []byte(" "))
	}
	if !ok || len(id) == 0 || len(id) > 32 || bytes.IndexByte(id, ' ') >= 0 {
		return false
	}
	role, label := element(rest)
	if role == "" {
		return false
	}
	sure := len(label) > 0 && vocabulary.ActedOnRoles.Has(role)
	r.element = []byte(role + " " + string(label))
	r.emit(Mention{ID: id, Type: typ, Label: r.element, View: true, Sure: sure})
	return true
}

// readCommit yields the commit that a line of a log begins with, and the rest of the line as its name:
// "7bd2c45 Raise the tide limit".
func (r *reader) readCommit(l *line) bool {
	word, rest := nextPart(l.body)
	isLog := r.heading == "" || r.heading == "commit" || vocabulary.FileNouns.Has(r.heading) || len(word) == 40
	if len(rest) == 0 || !isLog || !isHash(word) {
		return false
	}
	r.emit(Mention{ID: word, Type: "commit", Label: nameText(rest[:min(len(rest), maxName)]), Sure: true})
	return true
}

// readSpacedPath yields a path with spaces that is a whole line of a list of files, or the heading above the
// contents of one: "/srv/docs/berth plan.md:".
func (r *reader) readSpacedPath(l *line) bool {
	path := bytes.TrimSuffix(l.body, []byte(":"))
	isRooted := bytes.HasPrefix(path, []byte("/")) || bytes.HasPrefix(path, []byte("./")) || bytes.HasPrefix(path, []byte("~/")) || isDrivePath(path)
	if !vocabulary.FileNouns.Has(r.topic.Noun) || bytes.IndexByte(path, ' ') < 0 || !isRooted || len(path) > maxLoose || !isPath(path) ||
		bytes.Contains(path, []byte(" /")) || bytes.Contains(path, []byte(": ")) || path[len(path)-1] == ':' {
		return false
	}
	r.emit(Mention{ID: path, Type: r.pathType(path), Sure: true})
	return true
}

// readTab yields the number by which tools take an open page: "- 0: [Desks](https://oak.example/desks)".
// The rest of the line may have its address.
func (r *reader) readTab(l *line) {
	number, rest, _ := bytes.Cut(l.body[:min(len(l.body), window)], []byte(": "))
	if !vocabulary.ScreenNouns.Has(r.heading) || !shape.IsDigits(number) {
		return
	}
	label, linked := between(rest, "[", "](")
	if !linked {
		_, label, _ = bytes.Cut(firstWord(rest), []byte("://"))
	}
	if len(label) > 0 {
		r.emit(Mention{ID: number, Type: r.heading, Label: label, Sure: true})
	}
}

// between returns the text between two marks, the first occurrence of each.
func between(text []byte, open, end string) ([]byte, bool) {
	_, rest, _ := bytes.Cut(text, []byte(open))
	inner, _, ok := bytes.Cut(rest[:min(len(rest), window)], []byte(end))
	return inner, ok
}

// screenElement matches the role of an element and its quoted name, or the text after its attributes.
var screenElement = regexp.MustCompile(`^([A-Za-z-]+):*(?:\s+"([^"]*)|\s.*\]: (.*)|\s|$)`)

// element returns the role of an element and its label.
func element(text []byte) (role string, label []byte) {
	m := screenElement.FindSubmatch(text)
	if m == nil {
		return "", nil
	}
	if role = string(bytes.ToLower(m[1])); role == "generic" || role == "none" || role == "statictext" {
		role = "element"
	}
	label = m[2]
	if label == nil {
		label = bytes.Trim(m[3], `"`)
	}
	return role, nameText(label[:min(len(label), maxName)])
}

// readEntry yields the entry of a directory's listing and reports whether the line is
// one:
//
//	[FILE] main.go
//	drwxr-xr-x 2 root root 4096 Nov 23 14:10 src
func (r *reader) readEntry(l *line) bool {
	typ, name := entry(l.body)
	if typ == "" || len(name) == 0 || len(name) > maxID || name[len(name)-1] == '.' || bytes.Count(name, []byte(" ")) > 4 {
		return false
	}
	r.emit(Mention{ID: name, Type: typ, Sure: true, Entry: true})
	return true
}

var (
	// longEntry matches a line of a long listing: the kind and the mode, seven words, the name.
	longEntry  = regexp.MustCompile(`^([-dl])r[w-][xsS-](?:[r-][w-][xsStT-]){2}\S*\s+(?:\S+\s+){7}(.+)`)
	entryTypes = map[string]string{
		"[FILE]": "file", "[F]": "file", "[FOLDER]": "folder", "[DIR]": "directory", "[DIRECTORY]": "directory", "[D]": "directory",
	}
)

// entry returns the type and the name of an entry, or "". The size may follow the name in brackets.
func entry(text []byte) (typ string, name []byte) {
	if m := longEntry.FindSubmatch(text); m != nil {
		name, _, _ = bytes.Cut(bytes.TrimSpace(m[2]), []byte(" -> "))
		if m[1][0] == 'd' {
			return "directory", name
		}
		return "file", name
	}
	mark, rest := nextPart(text)
	name, _, _ = bytes.Cut(rest, []byte("   "))
	return entryTypes[string(mark)], name
}

// IsListed reports whether a line is one of the long listing of a directory.
func IsListed(line []byte) bool {
	return longEntry.Match(line)
}

// readResource yields the resource on a line, alone or followed by the outcome of a command, and
// reports whether there is one: "deployment.apps/web configured".
func (r *reader) readResource(l *line) bool {
	word, rest := nextPart(l.body)
	kind, name, ok := kindAndName(word)
	if !ok || len(rest) > 0 && !vocabulary.ResourceOutcomes.HasBytes(firstWord(rest)) {
		return false
	}
	r.emit(Mention{ID: name, Type: naming.KindNoun(kind), Sure: true})
	return true
}

// readDefinition yields the table, or the like, that a line defines in SQL, or the column at the beginning of
// a line within a table's definition. It reports whether the line belongs to a definition:
//
//	CREATE TABLE IF NOT EXISTS loans (
//	  loan_id INTEGER PRIMARY KEY,
func (r *reader) readDefinition(l *line) bool {
	words := bytes.Fields(l.body[:min(len(l.body), window)])
	if r.defining {
		r.defining = !bytes.HasPrefix(l.body, []byte(")")) && !bytes.HasSuffix(l.body, []byte(";"))
		if l.indented && len(words) > 1 && bytes.IndexByte(words[0], '_') >= 0 {
			r.emit(Mention{ID: bytes.Trim(words[0], "`\""), Type: "column"})
		}
		return true
	}
	i := slices.IndexFunc(words, func(word []byte) bool { return vocabulary.SchemaNouns.HasBytes(bytes.ToLower(word)) })
	if i < 1 || i+1 == len(words) || !bytes.EqualFold(words[0], []byte("create")) {
		return false
	}
	typ, rest := string(bytes.ToLower(words[i])), words[i+1:]
	for len(rest) > 1 && vocabulary.TableModifiers.HasBytes(bytes.ToLower(rest[0])) {
		rest = rest[1:]
	}
	name, _, _ := bytes.Cut(rest[0], []byte("("))
	name = bytes.Trim(name, "`\"';")
	r.emit(Mention{ID: name, Type: typ, Label: name, Sure: true, Row: true})
	r.defining = typ == "table" && bytes.IndexByte(l.body, ';') < 0
	return true
}

// firstWord returns the first word of a text.
func firstWord(text []byte) []byte {
	word, _ := nextPart(text)
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
