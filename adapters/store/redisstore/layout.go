package redisstore

import (
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// layout names the keys in Redis. What stands in braces decides which slot of a
// cluster a key is in.
type layout struct{ prefix string }

// The lists of calls that a session has: those of Append, and those of Write and Delete.
const (
	appendCalls = "appends"
	writeCalls  = "writes"
)

// session returns the keys of a session with one of its lists of calls, as the scripts
// take them.
func (l layout) session(key driver.Key, calls string) []string {
	base := l.prefix + ":{" + key.String() + "}:"
	return []string{base + "head", base + "messages", base + "ids", base + calls}
}

// head returns the first of the keys of the session whose key has that text.
func (l layout) head(text string) string { return l.prefix + ":{" + text + "}:head" }

// sessionOf returns the text of the key of the session that a head belongs to.
func (l layout) sessionOf(head string) (text string, ok bool) {
	text, ok = strings.CutPrefix(head, l.prefix+":{")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(text, "}:head")
}

// index returns the keys of the index, as the scripts take them. The text of a session's
// key has slashes in it, a prefix has none: no session has these keys.
func (l layout) index() []string {
	base := l.prefix + ":{" + l.prefix + "}:"
	return []string{
		base + "by-namespace", base + "by-user", base + "by-session",
		base + "expiring", base + "pending", base + "counter", base + "due",
	}
}

// tokens returns the key of all tokens, which the marks of calls begin with: one that no
// session has, as those of the index. All are in one slot.
func (l layout) tokens() string { return l.prefix + ":{" + l.prefix + "}:tokens" }
