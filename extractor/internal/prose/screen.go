package prose

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// readScreen yields the element of a screen that a line of a snapshot describes, by its
// role and its name, and reports whether it is one:
//
//   - button "Add to cart" [ref=e155] [cursor=pointer]
//     uid=1_5 link "Home"
func (r *reader) readScreen(l *line) bool {
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
	r.emit(Mention{ID: id, Type: typ, Label: []byte(role + " " + string(label)), View: true, Sure: sure})
	return true
}

// readTab yields the number that tools take an open page by: "- 0: [Desks](https://oak.example/desks)".
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

// element returns the role of an element and its label: its quoted name, or the text
// behind its attributes.
func element(text []byte) (role string, label []byte) {
	word, next := nextWord(text, 0)
	word = bytes.TrimRight(word, ":")
	if len(bytes.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-")) > 0 {
		return "", nil
	}
	role = string(bytes.ToLower(word))
	rest := bytes.TrimSpace(text[min(next, len(text)):])
	if len(rest) > 1 && rest[0] == '"' {
		label, _, _ = bytes.Cut(rest[1:], []byte(`"`))
	} else if i := bytes.LastIndex(rest, []byte("]: ")); i >= 0 {
		label = bytes.Trim(rest[i+3:], `"`)
	}
	if role == "generic" || role == "none" || role == "statictext" {
		role = "element"
	}
	return role, nameText(label[:min(len(label), maxName)])
}
