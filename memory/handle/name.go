package handle

import (
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
)

const (
	// maxType is the length of the longest type in a handle.
	maxType = 32
	// maxNumber is the largest number in a handle.
	maxNumber = 999_999
	// maxBranch is the length of the longest branch in a handle.
	maxBranch = 8
)

// name is a handle in its parts: page#7, or page#7a in a branch.
type name struct {
	typ    string
	number int
	branch string
}

func (n name) String() string { return n.typ + "#" + strconv.Itoa(n.number) + n.branch }

// Is reports whether a text has the form of a handle.
func Is(text string) bool {
	n, size := parse(text)
	return size == len(text) && n.number > 0
}

// parse reads the handle that a text begins with. Its size is 0 if there is none.
func parse(text string) (n name, size int) {
	i := 0
	for i < len(text) && i <= maxType && (isSmall(text[i]) || i > 0 && (isDigit(text[i]) || text[i] == '_')) {
		i++
	}
	if i < 2 || i > maxType || i == len(text) || text[i] != '#' {
		return name{}, 0
	}
	n.typ = text[:i]
	i++
	for i < len(text) && isDigit(text[i]) && n.number <= maxNumber {
		n.number = 10*n.number + int(text[i]-'0')
		if n.number == 0 {
			return name{}, 0
		}
		i++
	}
	if n.number == 0 || n.number > maxNumber {
		return name{}, 0
	}
	start := i
	for i < len(text) && isSmall(text[i]) && i-start <= maxBranch {
		i++
	}
	n.branch = text[start:i]
	if i-start > maxBranch || i < len(text) && isWordByte(text[i]) {
		return name{}, 0
	}
	return n, i
}

// typeOf returns the type of an entity's handles.
func typeOf(typ string) string {
	if Is(typ + "#1") {
		return typ
	}
	return memory.FallbackType
}

// letters returns the letters of the n-th branch, from 0 on. None is the beginning of another,
// but of branches that have too many letters for handles.
func letters(n int) string {
	n = min(n, 25*maxBranch)
	return strings.Repeat("z", n/25) + string(rune('a'+n%25))
}

func isSmall(c byte) bool        { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool        { return '0' <= c && c <= '9' }
func isAlphanumeric(c byte) bool { return isSmall(c|0x20) || isDigit(c) }

// isWordByte reports whether a byte next to an id or a handle makes it a part of a longer word.
func isWordByte(c byte) bool { return isAlphanumeric(c) || c == '_' || c == '-' }

// isStart reports whether a word can begin at a position of a text.
func isStart(text string, at int) bool {
	return at == 0 || !isWordByte(text[at-1]) || endsEscape(text[:at])
}

// isEscape reports whether what a text has at a position is the letter of an escape such as \f: an
// id that begins there would leave an invalid one behind.
func isEscape(text string, at int) bool {
	return at > 0 && text[at-1] == '\\' && strings.IndexByte("nrtbfu", text[at]) >= 0
}

// isEnd reports whether a word can end at a position of a text.
func isEnd(text string, at int) bool { return at == len(text) || !isWordByte(text[at]) }

// endsEscape reports whether a text ends in an escape such as \n, \u000a or %2F.
func endsEscape(text string) bool {
	n := len(text)
	switch {
	case n >= 2 && text[n-2] == '\\':
		return strings.IndexByte("nrtbf", text[n-1]) >= 0
	case n >= 6 && text[n-6] == '\\' && text[n-5] == 'u':
		return isHex(text[n-4:])
	case n >= 3 && text[n-3] == '%':
		return isHex(text[n-2:])
	}
	return false
}

func isHex(text string) bool { return strings.Trim(text, "0123456789abcdefABCDEF") == "" }
