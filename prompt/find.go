package prompt

import "strings"

// Find returns the position of the first block in a text, text[start:end]. A block begins
// at the start of a line and extends as far as Parse accepts it.
func Find(text string) (start, end int, ok bool) {
	for {
		i := strings.Index(text[start:], Title)
		if i < 0 {
			return 0, 0, false
		}
		start += i
		if start == 0 || text[start-1] == '\n' {
			s := scanner{rest: text[start:], more: true}
			_ = s.scan() // the error only tells where the block ends
			if s.end > 0 {
				return start, start + s.end, true
			}
		}
		start += len(Title)
	}
}

// Remove returns a text without its blocks, and without the Guidance and the blank line that
// InSystem puts before each. It prevents shown entities from being recorded as new ones.
func Remove(text string) string {
	for range maxRemovals {
		rest := removeOnce(text)
		if rest == text {
			break
		}
		text = rest
	}
	return text
}

// withoutGuidance removes the Guidance from the end of what precedes a block.
func withoutGuidance(head string) string {
	rest, ok := strings.CutSuffix(head, Guidance+"\n")
	if ok && (rest == "" || rest[len(rest)-1] == '\n') {
		return rest
	}
	return head
}

// maxRemovals limits the removal of blocks that emerge when another one is removed from
// between their parts.
const maxRemovals = 4

func removeOnce(text string) string {
	start, end, ok := Find(text)
	if !ok {
		return text
	}
	var b strings.Builder
	for ; ok; start, end, ok = Find(text) {
		head, tail := withoutGuidance(text[:start]), text[end:]
		if b.Len() == 0 && head == "" {
			tail = strings.TrimPrefix(tail, blankLine)
		}
		b.WriteString(strings.TrimSuffix(head, blankLine))
		text = tail
	}
	b.WriteString(text)
	return b.String()
}
