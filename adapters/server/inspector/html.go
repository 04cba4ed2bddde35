package inspector

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// A page is built from parts, because html/template would keep all methods of all types of a
// program in it. Text is escaped wherever it is written, and nothing is written unescaped.

// part is an attribute of an element, or something in it.
type part interface{ write(b *bytes.Buffer) }

// attribute is written into the start tag.
type attribute struct{ name, value string }

// txt is text in an element. What has no visible shape is made visible.
type txt string

// group is several parts in a row. Attributes in it are not allowed.
type group []part

type element struct {
	name  string
	parts []part
}

// el returns an element. A nil part is left out.
func el(name string, parts ...part) element { return element{name, parts} }

// at returns an attribute. Its value is fixed, or from query.
func at(name, value string) attribute { return attribute{name, value} }

func class(names string) attribute { return at("class", names) }

// when returns parts if a condition holds, or else nothing.
func when(condition bool, parts ...part) part {
	if !condition {
		return group(nil)
	}
	return group(parts)
}

// whenAt returns an attribute if a condition holds, or else nil.
func whenAt(condition bool, name, value string) part {
	if !condition {
		return nil
	}
	return at(name, value)
}

// txtf returns a formatted text.
func txtf(format string, args ...any) txt { return txt(fmt.Sprintf(format, args...)) }

func number(n int) txt { return txt(strconv.Itoa(n)) }

func (a attribute) write(b *bytes.Buffer) {
	b.WriteByte(' ')
	b.WriteString(a.name)
	b.WriteString(`="`)
	escape(b, a.value, false)
	b.WriteByte('"')
}

func (t txt) write(b *bytes.Buffer) { escape(b, string(t), true) }

func (g group) write(b *bytes.Buffer) {
	for _, p := range g {
		if p != nil {
			p.write(b)
		}
	}
}

func (e element) write(b *bytes.Buffer) {
	b.WriteByte('<')
	b.WriteString(e.name)
	for _, p := range e.parts {
		if a, ok := p.(attribute); ok {
			a.write(b)
		}
	}
	b.WriteByte('>')
	switch e.name {
	case "input", "link", "meta", "br":
		return
	case "pre", "textarea":
		b.WriteByte('\n') // a first line break would be dropped
	}
	for _, p := range e.parts {
		if _, ok := p.(attribute); !ok && p != nil {
			p.write(b)
		}
	}
	b.WriteString("</")
	b.WriteString(e.name)
	b.WriteByte('>')
}

// escape writes a text for an element or an attribute in double quotes.
func escape(b *bytes.Buffer, text string, visibly bool) {
	for i, r := range text {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&#34;")
		case r == '\'':
			b.WriteString("&#39;")
		case r == 0:
			b.WriteString("\u2400")
		case r == utf8.RuneError:
			b.WriteString("\uFFFD") // also for a byte that is not UTF-8
		case visibly && isUnseen(r):
			writeVisibly(b, r)
		default:
			_, size := utf8.DecodeRuneInString(text[i:])
			b.WriteString(text[i : i+size])
		}
	}
}

// isUnseen reports whether a character has no visible shape, or turns the direction of what follows.
func isUnseen(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
	}
	return !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// writeVisibly writes the picture of a control character, or the number of another one.
func writeVisibly(b *bytes.Buffer, r rune) {
	switch {
	case r < ' ':
		b.WriteRune(0x2400 + r)
	case r == 0x7f:
		b.WriteRune(0x2421)
	default:
		fmt.Fprintf(b, `\u{%04x}`, r)
	}
}
