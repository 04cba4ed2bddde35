package wire

import "bytes"

// MaxDepth is the maximum nesting of lists and objects in a body.
const MaxDepth = 1000

// Maximum sizes of values in memory, in bytes. An object is a map with room for eight members.
const (
	objectBytes = 336
	valueBytes  = 48
)

// Apart from its texts, a decoded body may take freeBytes plus bodyFactor times its length. Real
// bodies take far less; only a list of many tiny objects or numbers, meant to exhaust the
// memory, takes more.
const (
	bodyFactor = 12
	freeBytes  = 16 << 20
)

// weigh estimates the maximum memory of a decoded body, including its texts. deep is the offset
// at which the nesting exceeds MaxDepth, or -1. The body need not be valid JSON.
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

// closing returns the index of the quote that ends the string beginning at i: the first that is
// not escaped.
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
