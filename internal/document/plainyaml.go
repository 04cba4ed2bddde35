package document

import "bytes"

// quotePlain puts quotes around the plain values of a YAML text that YAML would
// drop or refuse and that tools print nevertheless: a number sign and a word,
// which would be a comment ("order: #W1"), a colon and space within a value
// ("title: Re: offer"), a mark that may not begin one ("user: @ann").
func quotePlain(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/16)
	block := -1 // indent of the key whose block of literal text is passed over
	for line := range bytes.Lines(text) {
		indent := len(line) - len(bytes.TrimLeft(line, " "))
		body := bytes.TrimRight(line[indent:], " \t\r\n")
		if block >= 0 && (indent > block || len(body) == 0) {
			out = append(out, line...)
			continue
		}
		block = -1
		at, keyed := valueStart(body)
		value := body[at:]
		switch {
		case len(value) > 0 && (value[0] == '|' || value[0] == '>'):
			block = indent
		case at > 0 && needsQuotes(value, keyed):
			out = append(out, line[:indent+at]...)
			out = append(out, '\'')
			out = append(out, bytes.ReplaceAll(value, []byte("'"), []byte("''"))...)
			out = append(out, '\'', '\n')
			continue
		}
		out = append(out, line...)
	}
	return out
}

// valueStart is where the value begins of "key: value", "- value" and
// "- key: value", and whether there is a key; 0 if the line is none of these.
func valueStart(line []byte) (at int, keyed bool) {
	for bytes.HasPrefix(line[at:], []byte("- ")) {
		at += len(line[at:]) - len(bytes.TrimLeft(line[at+1:], " "))
	}
	if at < len(line) && bytes.IndexByte([]byte(`"'{[#&*!|>%@`+"`"), line[at]) >= 0 {
		return at, false
	}
	if i := bytes.Index(line[at:], []byte(": ")); i > 0 {
		rest := line[at+i+1:]
		return len(line) - len(bytes.TrimLeft(rest, " ")), true
	}
	return at, false
}

// needsQuotes reports whether YAML would drop or refuse a plain value.
func needsQuotes(value []byte, keyed bool) bool {
	if len(value) < 2 {
		return false
	}
	switch value[0] {
	case '#':
		return isWord(value[1])
	case '@', '`', '%':
		return true
	case '*':
		return value[1] == '*'
	case '"', '\'', '{', '[', '&', '!':
		return false
	}
	text, _, _ := bytes.Cut(value, []byte(" #")) // the rest is a comment
	return keyed && (bytes.Contains(text, []byte(": ")) || bytes.HasSuffix(text, []byte(":")))
}
