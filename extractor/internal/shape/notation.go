package shape

import (
	"bytes"
	"encoding/base64"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// IsNotation reports whether a word is notation rather than the name of a thing: a flag, a port, a
// platform, a package with its version, a colour, an address in memory, a range, a part of a
// program or of a formula, encoded text, or a word that was cut off.
func IsNotation(s []byte) bool {
	if len(s) == 0 {
		return false
	}
	for _, mark := range [...]string{"…", "->", "=>", "→", "a-z", "A-Z", "0-9", `"`, "'", "`"} {
		if bytes.Contains(s, []byte(mark)) {
			return true
		}
	}
	n, _ := countChars(s)
	switch c := s[0]; {
	case c == '-', c == ':', c == '[', bytes.HasSuffix(s, []byte("...")), c == '/' && bytes.Contains(s, []byte(":/")): // PATH
		return true
	case c == '#' && len(s) > 1:
		return s[1] == '/' || isColour(s[1:])
	case c == '~' && bytes.HasPrefix(s[1:], []byte("[")), bytes.HasPrefix(s, []byte("HTTP/")), s[len(s)-1] == ')' && bytes.IndexByte(s, '(') > 0:
		return true
	case bytes.HasPrefix(s, []byte("0x")):
		return len(s) <= 18
	case n.digits+n.seps == len(s) && len(s) > 4 && bytes.IndexByte(s, '_') == len(s)-4: // 15_000
		return true
	}
	return isModeOrPort(s) || isPlatform(s) || isRelease(s) || isHexRange(s) || isEncodedText(s) || isAction(s) || isProgram(s) || isExpression(s)
}

// isExpression reports whether s is a number after another one or a letter, n+4 or 2518#2518, or a length in a
// style, font-size:0.9em.
func isExpression(s []byte) bool {
	i := bytes.IndexAny(s, "+#:")
	if i < 1 {
		return false
	}
	number := bytes.TrimLeft(s[i+1:], "0123456789.")
	switch {
	case len(number) == len(s)-i-1:
		return false
	case s[i] == ':':
		return styleUnits.HasBytes(number)
	}
	return len(number) == 0 && (i == 1 || s[i] == '#' && IsDigits(s[:i]))
}

// isColour reports whether digits after a # are a colour: 3b6fd4, fff.
func isColour(s []byte) bool {
	return (len(s) == 3 || len(s) == 6 || len(s) == 8) && every(s, isHex) && bytes.ContainsFunc(s, unicode.IsLetter)
}

// isModeOrPort reports whether s is the mode of a file, 100644, or a port, 6379/tcp.
func isModeOrPort(s []byte) bool {
	port, protocol, ok := bytes.Cut(s, []byte("/"))
	return fileModes.HasBytes(s) || ok && len(port) <= 5 && IsDigits(port) && protocols.HasBytes(bytes.ToLower(protocol))
}

// isPlatform reports whether s names a platform or a size of a machine: linux/amd64, ubuntu-24.04,
// t3.medium.
func isPlatform(s []byte) bool {
	if i := bytes.IndexAny(s, "-/_"); i > 0 && systems.HasBytes(s[:i]) {
		return bytes.Count(s, []byte("/")) < 2
	}
	size := bytes.TrimLeft(s[bytes.LastIndexByte(s, '.')+1:], "0123456789")
	return len(s) <= 20 && bytes.IndexByte(s, '.') > 0 && machineSizes.HasBytes(size) || architectures.HasBytes(s)
}

// isRelease reports whether s is software with its version: Flask-3.1.1, vite@5.4.11,
// numpy=1.22.0, python3.12. Branches such as release-1.4 are not, nor versions of parts of a design, Header-v1.4.
func isRelease(s []byte) bool {
	i := bytes.IndexFunc(s, unicode.IsDigit)
	for ; i > 0 && i < len(s); i++ {
		if !isDigit(s[i]) || isDigit(s[i-1]) || s[i-1] == '.' {
			continue
		}
		head := s[:i]
		if bytes.IndexFunc(head, unicode.IsUpper) < 0 {
			head = bytes.TrimSuffix(head, []byte("v"))
		}
		rest := bytes.TrimLeft(s[i:], "0123456789")
		if len(head) == 0 || len(rest) < 2 || rest[0] != '.' || !isDigit(rest[1]) && rest[1] != 'x' {
			continue
		}
		file := s[bytes.LastIndexByte(s, '.')+1:]
		switch last := head[len(head)-1]; {
		case last == '@' || last == '=' || last == ':' && bytes.Count(s, []byte(":")) > 2 || last == '~' || last == '<' || last == '>':
			return true
		case bytes.IndexByte(s, '/') >= 0, vocabulary.FileExtensions.HasBytes(file) && !packageFiles.HasBytes(file), branchWords.HasBytes(head[:len(head)-1]):
			return false
		case last == '-' || last == '_' || i == len(head) && every(head, IsLetter):
			return true
		}
	}
	return false
}

// isProgram reports whether s is part of a program or of its environment: render/2, PGDATA=/data,
// org.opentest4j.AssertionFailedError, or a version with its build: 2.36-9+deb12u9.
func isProgram(s []byte) bool {
	key, _, assigned := bytes.Cut(s, []byte("="))
	function, arity, _ := bytes.Cut(s, []byte("/"))
	major, rest, _ := bytes.Cut(s, []byte("."))
	minor := bytes.TrimLeft(rest, "0123456789.")
	switch {
	case assigned:
		return len(key) > 1 && every(key, func(c byte) bool { return isUpper(c) || isDigit(c) || c == '_' })
	case len(arity) == 1 && isDigit(arity[0]):
		return every(function, func(c byte) bool { return IsLetter(c) || c == '_' || c == '.' || c == '?' || c == '!' })
	case len(minor) < len(rest) && len(minor) > 0 && IsDigits(major):
		return bytes.IndexByte([]byte("-+~"), minor[0]) >= 0
	}
	return bytes.Count(s, []byte(".")) > 1 && (bytes.HasSuffix(s, []byte("Error")) || bytes.HasSuffix(s, []byte("Exception")))
}

// isHexRange reports whether s is a range of commits: 4be19c2..a07d5f1.
func isHexRange(s []byte) bool {
	from, to, ok := bytes.Cut(s, []byte(".."))
	return ok && len(from) >= 4 && every(from, isHex) && every(bytes.TrimPrefix(to, []byte(".")), isHex)
}

// isEncodedText reports whether s is text in Base64. Encoded objects, which are cursors of lists, do not count.
func isEncodedText(s []byte) bool {
	const shortest = 16
	if len(s) < shortest || len(s)%4 != 0 || bytes.HasPrefix(s, []byte("eyJ")) || bytes.ContainsAny(s, "-_.:") {
		return false
	}
	text := make([]byte, base64.StdEncoding.DecodedLen(len(s)))
	n, err := base64.StdEncoding.Decode(text, s)
	return err == nil && utf8.Valid(text[:n]) && bytes.IndexFunc(text[:n], func(r rune) bool { return !unicode.IsPrint(r) && !unicode.IsSpace(r) }) < 0
}

// isAction reports whether s is an action in a policy: s3:ListAllMyBuckets.
func isAction(s []byte) bool {
	service, action, _ := bytes.Cut(s, []byte(":"))
	return len(action) > 3 && isUpper(action[0]) && every(action, IsLetter) && !IsUpperWord(action) &&
		len(service) < 20 && every(service, func(c byte) bool { return isLower(c) || isDigit(c) || c == '-' })
}

var (
	fileModes     = vocabulary.Set{List: `100644 100755 120000 040000 160000`}
	protocols     = vocabulary.Set{List: `tcp udp sctp tcp6 udp6 http https`}
	systems       = vocabulary.Set{List: `linux darwin windows macos ubuntu debian alpine fedora centos win manylinux`}
	architectures = vocabulary.Set{List: `x86_64 amd64 arm64 aarch64 i386 i686 python3 python2 pip3 utf8 utf-8 iso-8859-1`}
	machineSizes  = vocabulary.Set{List: `nano micro small medium large xlarge metal`}
	styleUnits    = vocabulary.Set{List: `px em rem pt vh vw %`}
	packageFiles  = vocabulary.Set{List: `whl gz tgz deb rpm`}
	branchWords   = vocabulary.Set{List: `release releases hotfix support rc stable`}
)
