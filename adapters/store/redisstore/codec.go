package redisstore

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// encodeElement returns a message as an element of the list of messages: "tokens length
// idbody", where length is that of the id in bytes.
func encodeElement(m *driver.StoredMessage) []byte {
	e := make([]byte, 0, len(m.ID)+len(m.Body)+24)
	e = strconv.AppendInt(e, m.Tokens, 10)
	e = append(e, ' ')
	e = strconv.AppendInt(e, int64(len(m.ID)), 10)
	e = append(e, ' ')
	e = append(e, m.ID...)
	return append(e, m.Body...)
}

// parseElement parses the result of encodeElement.
func parseElement(e string) (m driver.StoredMessage, ok bool) {
	tokens, rest, ok := strings.Cut(e, " ")
	if !ok {
		return m, false
	}
	size, rest, ok := strings.Cut(rest, " ")
	if !ok {
		return m, false
	}
	n, err := strconv.ParseUint(size, 10, 31)
	if err != nil || n == 0 || int(n) > len(rest) {
		return m, false
	}
	m.Tokens, err = strconv.ParseInt(tokens, 10, 64)
	m.ID, m.Body = rest[:n], []byte(rest[n:])
	return m, err == nil
}

// positionFields are the fields of a position in the head, in the order of the scripts' replies.
var positionFields = []string{"revision", "first", "next", "tokens", "window", "updated", "expires", "due"}

// parsePosition parses the values of positionFields.
func parsePosition(values []string) (at driver.Position, err error) {
	var numbers [8]int64
	if len(values) != len(numbers) {
		return at, errors.New("missing numbers")
	}
	for i, value := range values {
		if numbers[i], err = strconv.ParseInt(value, 10, 64); err != nil {
			return at, errors.New(positionFields[i] + " is not a number")
		}
	}
	if numbers[0] < 1 || numbers[1] < 1 || numbers[2] < numbers[1] || numbers[4] < 0 || numbers[6] < 0 {
		return at, errors.New("inconsistent numbers")
	}
	at = driver.Position{
		Revision: uint64(numbers[0]), First: uint64(numbers[1]), Next: uint64(numbers[2]),
		Tokens: numbers[3], Window: numbers[4], UpdatedAt: time.UnixMilli(numbers[5]).UTC(),
	}
	if numbers[6] > 0 {
		at.ExpiresAt = time.UnixMilli(numbers[6]).UTC()
	}
	if numbers[7] != 0 {
		at.DueAt = time.UnixMilli(numbers[7]).UTC()
	}
	return at, nil
}
