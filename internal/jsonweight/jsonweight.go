// Package jsonweight estimates what JSON takes in memory when it is decoded.
package jsonweight

import (
	"bytes"
	"math"
)

// Maximum sizes of values in memory, in bytes. An object is a map with room for eight members.
const (
	objectBytes = 336
	valueBytes  = 48
)

// Of estimates the maximum memory of decoded JSON, including its texts, in bytes. deep is the
// offset at which the nesting exceeds maxDepth, or -1. The data need not be valid JSON.
func Of(data []byte, maxDepth int) (weight int64, deep int) {
	depth := 0
	weight = int64(len(data))
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = closing(data, i+1)
		case '{', '[':
			if depth++; depth > maxDepth {
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

// Stored estimates the maximum memory of JSON of any depth, encoded and decoded, in bytes.
func Stored(data []byte) int64 {
	weight, _ := Of(data, math.MaxInt)
	return weight + int64(len(data))
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
