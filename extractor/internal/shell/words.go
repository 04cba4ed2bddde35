package shell

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// word returns the text of a word without quotes, and reads the commands in its substitutions.
func (r *reader) word(w *syntax.Word) string {
	var b strings.Builder
	if w != nil {
		r.parts(&b, w.Parts, false)
	}
	return b.String()
}

// parts writes the text of the parts of a word, which may be in double quotes.
func (r *reader) parts(b *strings.Builder, parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			unescape(b, p.Value, quoted)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			r.parts(b, p.Parts, true)
		case *syntax.ParamExp:
			b.WriteString(r.parameter(r.text(p)))
		case *syntax.CmdSubst:
			if text := r.text(p); text == "$(pwd)" {
				b.WriteString(r.parameter("$PWD"))
			} else {
				r.substitute(b, text, p.Stmts)
			}
		case *syntax.ProcSubst:
			r.substitute(b, r.text(p), p.Stmts)
		default:
			b.WriteString(r.text(p))
		}
	}
}

// substitute writes a substitution unchanged, and reads its commands.
func (r *reader) substitute(b *strings.Builder, text string, commands []*syntax.Stmt) {
	b.WriteString(text)
	dir := r.dir
	r.statements(commands, Place{Piped: true, Captured: true})
	r.dir = dir
}

// parameter returns the value of a variable by the text of its expansion, or the text if it is not known.
func (r *reader) parameter(text string) string {
	name := strings.Trim(text, "${}")
	if value, ok := r.variables[name]; ok {
		return value
	}
	if name == "PWD" {
		return cmp.Or(r.dir, ".")
	}
	return text
}

// unescape writes a literal without quoting backslashes. Outside of quotes, backslashes before letters and
// digits are kept, as in C:\src.
func unescape(b *strings.Builder, text string, quoted bool) {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '\\' && i+1 < len(text) {
			switch next := text[i+1]; {
			case next == '\n':
				i++
				continue
			case quoted && strings.IndexByte("\"$`\\", next) >= 0, !quoted && !isWordByte(next):
				i++
			}
		}
		b.WriteByte(text[i])
	}
}

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// token matches a word or a separator of commands in a line that is not a shell script.
var token = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[|;&\n]|(?:'[^']*'|"[^"]*"|[^\s|;&])+`) })

// quoted matches the part of a word in quotes.
var quoted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`'([^']*)'|"([^"]*)"`) })

// split reads a line that is not a shell script: words between blanks, and commands between
// |, ;, & and line breaks, outside of quotes.
func (r *reader) split(line string, at Place) {
	var words []string
	for _, word := range append(token().FindAllString(line, -1), "\n") {
		if !strings.Contains("|;&\n", word) {
			words = append(words, quoted().ReplaceAllString(word, "$1$2"))
			continue
		}
		c := Command{Place: at}
		c.Piped = c.Piped || word == "|"
		r.run(words, c)
		words = nil
	}
}
