package redisstore

import (
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// layout names the keys in Redis. The text in braces determines a key's slot in a cluster.
type layout struct{ prefix string }

// A session has two lists of calls: one for Append, one for Write and Delete.
const (
	appendCalls = "appends"
	writeCalls  = "writes"
)

// session returns the keys of a session with one of its lists of calls, in the order of the
// scripts' KEYS.
func (l layout) session(key driver.Key, calls string) []string {
	base := l.prefix + ":{" + key.String() + "}:"
	keys := []string{base + "head", base + "messages", base + "ids", base + calls}
	for _, kind := range kindPrefixes {
		keys = append(keys, base+kind+"results", base+kind+"contents")
	}
	return keys
}

// kindPrefixes begin the names of the keys of the results of each kind.
var kindPrefixes = [driver.ResultKinds]string{driver.ToolResult: "", driver.JournalEntry: "journal-"}

// results returns the keys of the results of a kind of a session, and that of chunks which are being
// put, in the order of the scripts' KEYS. Of an unknown kind there are none.
func (l layout) results(key driver.Key, kind driver.ResultKind, upload string) []string {
	base := l.prefix + ":{" + key.String() + "}:"
	prefix := "unknown-"
	if kind < driver.ResultKinds {
		prefix = kindPrefixes[kind]
	}
	return []string{base + "head", base + prefix + "results", base + prefix + "contents", base + "upload:" + upload}
}

// head returns the head key of the session whose driver.Key has the given text.
func (l layout) head(text string) string { return l.prefix + ":{" + text + "}:head" }

// parseHead returns the text of the driver.Key in a head key.
func (l layout) parseHead(head string) (text string, ok bool) {
	text, ok = strings.CutPrefix(head, l.prefix+":{")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(text, "}:head")
}

// index returns the keys of the index, in the order of the scripts' KEYS. No session has these
// keys, since the text of a driver.Key contains slashes and a prefix does not.
func (l layout) index() []string {
	base := l.prefix + ":{" + l.prefix + "}:"
	return []string{
		base + "by-namespace", base + "by-user", base + "by-session",
		base + "expiring", base + "pending", base + "counter", base + "due",
	}
}

// tokens returns the key of the tokens, which is also the prefix of the marks of calls. All
// are in one slot and, like those of the index, distinct from the keys of sessions.
func (l layout) tokens() string { return l.prefix + ":{" + l.prefix + "}:tokens" }

// documents returns the keys of the documents of summary views, in the order of the scripts' KEYS.
// The first is also the prefix of the marks of calls. All are in one slot.
func (l layout) documents() []string {
	base := l.prefix + ":{" + l.prefix + "}:documents"
	return []string{base, base + "-names", base + "-due"}
}
