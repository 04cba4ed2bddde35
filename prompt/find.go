package prompt

import "strings"

// Find returns where in a text the first block is: text[start:end]. A block
// begins at the start of a line and goes on as long as Parse would take it.
func Find(text string) (start, end int, ok bool) {
	for {
		i := strings.Index(text[start:], Title)
		if i < 0 {
			return 0, 0, false
		}
		start += i
		if start == 0 || text[start-1] == '\n' {
			s := scanner{rest: text[start:], more: true}
			_ = s.scan() // why the block ends is of no interest
			if s.end > 0 {
				return start, start + s.end, true
			}
		}
		start += len(Title)
	}
}

// Remove returns a text without the blocks in it, and without the blank line
// that InSystem put before each. It serves to keep recalled entities from being
// taken for new ones.
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

// maxRemovals is how often blocks are removed that come about where one is
// removed from between the parts of another.
const maxRemovals = 4

func removeOnce(text string) string {
	start, end, ok := Find(text)
	if !ok {
		return text
	}
	var b strings.Builder
	for ; ok; start, end, ok = Find(text) {
		head, tail := text[:start], text[end:]
		if b.Len() == 0 && head == "" {
			tail = strings.TrimPrefix(tail, blankLine)
		}
		b.WriteString(strings.TrimSuffix(head, blankLine))
		text = tail
	}
	b.WriteString(text)
	return b.String()
}
