package wire

import "bytes"

// MaxDepth is how deep lists and objects of a body may be nested.
const MaxDepth = 1000

// What a value takes in memory at most, in bytes: an object is a map with room for eight
// members.
const (
	objectBytes = 336
	valueBytes  = 48
)

// Beside its texts, a body may become bodyFactor times as large in memory as it is, and freeBytes
// more:
// what people send is far below, and what is far above is a list of many tiny objects or
// numbers, sent to fill the memory.
const (
	bodyFactor = 12
	freeBytes  = 16 << 20
)

// weigh says what a body would take in memory, its texts included, at most but for a little, and where its nesting is deeper
// than MaxDepth, else -1. It reads any bytes, and looks at no more of the grammar than it
// needs.
func weigh(data []byte) (weight int64, deep int) {
	depth := 0
	weight = int64(len(data))
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = closing(data, i+1)
		case '{', '[':
			if depth++; depth > MaxDepth {
				return weight, i
			}
			weight += valueBytes
			if data[i] == '{' {
				weight += objectBytes
			}
		case '}', ']':
			depth--
		case ',':
			weight += valueBytes
		}
	}
	return weight, -1
}

// closing is where the string that begins at i ends: at the first quote that no odd number of
// backslashes stands before.
func closing(data []byte, i int) int {
	for begin := i; ; i++ {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			return len(data)
		}
		i += n
		escapes := 0
		for k := i - 1; k >= begin && data[k] == '\\'; k-- {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}
