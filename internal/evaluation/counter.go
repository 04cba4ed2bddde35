package evaluation

import "github.com/go-workingmemory/workingmemory/prompt"

// countOnce counts each text of an episode once, because methods show the same texts.
// It is not safe for concurrent use.
type countOnce struct {
	counter prompt.TokenCounter
	counts  map[string]int
}

func newCountOnce(counter prompt.TokenCounter) *countOnce {
	return &countOnce{counter: counter, counts: make(map[string]int)}
}

// forget discards the counts of an episode.
func (c *countOnce) forget() { clear(c.counts) }

// CountTokens implements prompt.TokenCounter.
func (c *countOnce) CountTokens(text string) int {
	n, ok := c.counts[text]
	if !ok {
		n = c.counter.CountTokens(text)
		c.counts[text] = n
	}
	return n
}
