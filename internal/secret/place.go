package secret

import (
	"bytes"
	"encoding/base64"
	"slices"
)

const (
	// maxAuthority is how much of a URL is searched for a password.
	maxAuthority = 512
	// maxPrivateKey is the length in bytes of the longest private key.
	maxPrivateKey = 16 << 10
	// minUser is the length of the shortest token that is the user of a URL.
	minUser = 20
)

// findPlaced returns the secret that begins with a mark: the password in a URL behind its
// colon, or a private key.
func findPlaced(text []byte, i int) (start, end int, ok bool) {
	switch rest := text[i:]; {
	case len(rest) < 4 || rest[1] != '/' && rest[1] != '-' && rest[1] != 'u' && !isPasswordOption(rest[1]):
	case rest[0] == ':' && rest[1] == '/' && rest[2] == '/':
		return passwordIn(text, i+3)
	case rest[0] == '-' && rest[1] == '-' && rest[2] == '-' && rest[3] == '-':
		end := privateKeyEnd(text, i)
		return i, end, end > 0
	case rest[0] == '-' && (rest[1] == 'u' && rest[2] == ' ' || bytes.HasPrefix(rest, []byte("-user "))):
		return passwordOption(text, i)
	case rest[0] == '-' && isPasswordOption(rest[1]) && i > 0 && text[i-1] == ' ':
		return shortOption(text, i)
	}
	return 0, 0, false
}

// passwordPrograms are programs, or a word behind them, that take a password in a short option.
var passwordPrograms = [...]struct {
	name string
	// option is its letter; attached is set if it may be followed by the password at once, and apart if by
	// a space and the password.
	option          byte
	attached, apart bool
}{
	{"mysql", 'p', true, false}, {"mariadb", 'p', true, false}, {"sshpass", 'p', true, true},
	{"mongo", 'p', true, true}, {" login ", 'p', false, true}, {"redis-cli", 'a', false, true},
	{"useradd", 'p', false, true}, {"openssl", 'k', false, true}, {"ssh-keygen", 'N', false, true}, {"zip", 'P', true, true},
}

// isPasswordOption reports whether a letter is that of one of the options of passwordPrograms.
func isPasswordOption(letter byte) bool {
	switch letter {
	case 'p', 'a', 'k', 'N', 'P':
		return true
	}
	return false
}

// shortOption returns the password in a short option of a program before it on its line: mysql -p….
func shortOption(text []byte, at int) (start, end int, ok bool) {
	const line = 128
	before := text[max(0, at-line):at]
	before = before[bytes.LastIndexAny(before, "\n|;&")+1:]
	for _, p := range passwordPrograms {
		if p.option != text[at+1] || !bytes.Contains(before, []byte(p.name)) {
			continue
		}
		if start = at + 2; p.apart && text[start] == ' ' {
			start++
		} else if !p.attached {
			continue
		}
		start = skip(text, start, "\"'")
		end = valueEnd(text, start, maxAuthority)
		return start, end, end > start && !bytes.HasPrefix(text[start:], []byte(Mark))
	}
	return 0, 0, false
}

// passwordOption returns the password in an option of a command: -u ann:…, --user ann:….
func passwordOption(text []byte, at int) (start, end int, ok bool) {
	option := text[at:min(len(text), at+maxAuthority)]
	from := skip(option, bytes.IndexByte(option, ' '), " \"'")
	user := option[from:]
	if i := bytes.IndexAny(user, " \t\r\n\"'`"); i >= 0 {
		user = user[:i]
	}
	colon := bytes.IndexByte(user, ':')
	if colon < 1 || bytes.HasPrefix(user[colon:], []byte("://")) || len(bytes.Trim(user, "0123456789:")) == 0 {
		return 0, 0, false // a URL, or the numbers of a user and a group
	}
	return at + from + colon + 1, at + from + len(user), colon+1 < len(user)
}

// passwordIn returns the password in a URL whose authority begins at an offset, or the user
// if that is a token.
func passwordIn(text []byte, at int) (start, end int, ok bool) {
	authority := text[at:min(len(text), at+maxAuthority)]
	if i := bytes.IndexAny(authority, "/?# \t\r\n\"'`<>|\\"); i >= 0 {
		authority = authority[:i]
	}
	user := bytes.LastIndexByte(authority, '@')
	if user < 0 {
		return 0, 0, false
	}
	switch colon := bytes.IndexByte(authority[:user], ':'); {
	case colon >= 0:
		return at + colon + 1, at + user, colon+1 < user
	case user >= minUser && changes(authority[:user]) >= minChanges:
		return at, at + user, true
	}
	return 0, 0, false
}

// privateKeyEnd returns the end of the private key whose first line begins at an offset, or 0.
// Line breaks may be of any kind, or escaped. A key without an end extends to the end of the
// text, or to its greatest length.
func privateKeyEnd(text []byte, at int) int {
	head := bytes.TrimLeft(text[at:min(len(text), at+80)], "- ")
	if !bytes.HasPrefix(head, []byte("BEGIN ")) {
		return 0
	}
	kind, _, _ := bytes.Cut(head, []byte("--"))
	if !bytes.Contains(kind, []byte("PRIVATE KEY")) {
		return 0
	}
	key := text[at:min(len(text), at+maxPrivateKey)]
	if i := bytes.Index(key, []byte("END ")); i > 0 {
		if j := bytes.Index(key[i:], []byte("--")); j > 0 {
			i += j
			for i < len(key) && key[i] == '-' {
				i++
			}
			return at + i
		}
	}
	return at + len(key)
}

// Lengths in bytes of keys that have nothing but their length: the secret access keys of AWS,
// and the keys of Azure's storage, which end in "==".
const lenSecretAccessKey, lenStorageKey = 40, 88

// isKeyMaterial reports whether a run of base64 is a key that is known by its length, and no
// part of a longer id. In 40 random characters letters, capitals and digits alternate 23 times;
// in a path of as many, hardly half as often.
func isKeyMaterial(text []byte, start, end int) bool {
	const minChanges = 16
	if n := end - start; n != lenSecretAccessKey && (n != lenStorageKey-2 || !bytes.HasPrefix(text[end:], []byte("=="))) {
		return false
	}
	if start > 0 && (text[start-1] == '_' || text[start-1] == '-') || end < len(text) && (text[end] == '_' || text[end] == '-') {
		return false
	}
	var has [special]bool
	for _, c := range text[start:end] {
		has[kinds[c]] = true
	}
	return has[lower] && has[upper] && has[digit] && changes(text[start:end]) >= minChanges && !isEncodedText(text[start:end])
}

// isEncodedText reports whether base64 encodes printable characters, as ids of nodes do.
func isEncodedText(text []byte) bool {
	var decoded [lenStorageKey]byte
	n, err := base64.RawStdEncoding.Decode(decoded[:], text)
	return err == nil && !slices.ContainsFunc(decoded[:n], func(c byte) bool { return c < ' ' || c > '~' })
}

// keyMaterialEnd returns the end of a key whose base64 ends at an offset.
func keyMaterialEnd(text []byte, at int) int {
	for at < len(text) && text[at] == '=' {
		at++
	}
	return at
}

// webTokenEnd returns the end of the JSON Web Token that begins at an offset, or 0: base64 of
// JSON, and at least two further parts. One part alone may be the cursor of a list.
func webTokenEnd(text []byte, i int) int {
	const minPart = 10
	if i > 0 && (text[i-1] == '-' || text[i-1] == '_') {
		return 0
	}
	end, parts := i, 0
	for {
		n := 0
		for end+n < len(text) && (isWordByte(text[end+n]) || text[end+n] == '-' || text[end+n] == '_') {
			n++
		}
		if n < minPart && parts < 2 {
			return 0
		}
		end, parts = end+n, parts+1
		if end == len(text) || text[end] != '.' || parts == 5 {
			break
		}
		end++
	}
	if parts < 3 {
		return 0
	}
	if text[end-1] == '.' && parts > 3 {
		end--
	}
	return end
}
