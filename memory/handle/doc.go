// Package handle gives long ids short names. A UUID takes 23 tokens and models copy it
// wrong; the handle page#1 takes 3.
//
//	tool result ── Table.Encode ──> model ── Table.DecodeArguments ──> tool
//	 550e8400-…                     page#1                             550e8400-…
//
// A handle is the type of the entity, "#" and a number that counts up for each type and is
// never used again. A Table has the handles of one conversation. Package middleware issues
// them for the ids in tool results, and commits them before a model sees the first.
//
// # What is replaced
//
// Encode replaces each whole occurrence of an id: one with no ASCII letter, digit, "_" or "-"
// next to it. The letter of an escape (\n, \u000a, %2F) in front of an id is not next to it.
// Not replaced are ids in another spelling (escaped, in other capitals), inside a longer word, or
// behind a backslash with a first letter that makes an escape of both (\f47ac10b…), and all ids in
// texts with NUL, not in UTF-8, or longer than MaxTextBytes.
//
// Decode is the inverse: Decode(Encode(text)) == text, unless the text itself contains a handle
// that was given out before. Such a literal means the handle. A literal that a result contained
// first is never given out.
package handle
