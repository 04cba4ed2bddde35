package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word returns the text of a word without quotes, and reads the commands in its substitutions.
func (r *reader) word(w *syntax.Word) string {
	var b strings.Builder
	r.parts(&b, w.Parts, false)
	return b.String()
}

// document returns the text of a here-document.
func (r *reader) document(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		if text, ok := part.(*syntax.Lit); ok {
			b.WriteString(text.Value)
		} else {
			b.WriteString(r.text(part))
		}
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
				b.WriteString(text)
				dir := r.dir
				r.statements(p.Stmts, place{piped: true})
				r.dir = dir
			}
		case *syntax.ProcSubst:
			b.WriteString(r.text(p))
			r.statements(p.Stmts, place{piped: true})
		default:
			b.WriteString(r.text(p))
		}
	}
}

// parameter returns the value of a variable by the text of its expansion, or the text if it is not known.
func (r *reader) parameter(text string) string {
	name := strings.TrimPrefix(text, "$")
	if strings.HasPrefix(name, "{") {
		name = strings.Trim(name, "{}")
	}
	if value, ok := r.variables[name]; ok {
		return value
	}
	if name == "PWD" {
		if r.dir == "" {
			return "."
		}
		return r.dir
	}
	return text
}

// unescape writes a literal without the backslashes that quote. Those before letters and digits stay
// outside of quotes, as in C:\src.
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

// split reads a line that is no script of a shell: words between blanks, and commands between
// |, ;, & and line breaks, outside of quotes.
func (r *reader) split(line string, at place) {
	var words []string
	var word strings.Builder
	var quote byte
	inWord := false
	endWord := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	endCommand := func(piped bool) {
		endWord()
		if len(words) > 0 {
			r.run(words, Command{Piped: at.piped || piped, Background: at.background, Conditional: at.conditional})
		}
		words = nil
	}
	for i := range len(line) {
		switch c := line[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteByte(c)
			}
		case (c == '"' || c == '\'') && strings.IndexByte(line[i+1:], c) >= 0:
			quote, inWord = c, true
		case c == ' ' || c == '\t' || c == '\r':
			endWord()
		case strings.IndexByte("|;&\n", c) >= 0:
			endCommand(c == '|')
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	endCommand(false)
}
