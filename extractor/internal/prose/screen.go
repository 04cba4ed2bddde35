package prose

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// readScreen yields the element of a screen that a line of a snapshot describes, by its
// role and its name, and reports whether it is one:
//
//   - button "Add to cart" [ref=e155] [cursor=pointer]
//     uid=1_5 link "Home"
//
// Below it are properties, of which the address of a link has its name: "- /url: /cart".
func (r *reader) readScreen(l *line) bool {
	if property, isProperty := bytes.CutPrefix(l.body, []byte("/")); isProperty && r.element != nil {
		if address, isAddress := bytes.CutPrefix(property, []byte("url: ")); isAddress && len(address) > 1 {
			r.emit(Mention{ID: bytes.Trim(address, `"`), Type: "url", Label: r.element, View: true})
			return true
		}
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
