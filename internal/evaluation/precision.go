package evaluation

import (
	"iter"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// uses holds the index of the last tool call of an episode that takes a text or a
// number as an argument. Values that the user typed count too: a block is right to show
// them.
type uses map[string]int

func usesOf(ep *Episode) uses {
	last := make(uses)
	for i := range ep.Steps {
		step := &ep.Steps[i]
		if step.Kind != KindTool {
			continue
		}
		for s := range step.arguments().scalars() {
			if s.kind == document.String || s.kind == document.Number {
				last[s.text] = i
			}
		}
	}
	return last
}

// precision counts the ids in blocks and those among them that are used: taken as an
// argument by the call after the block or by a later one of the episode.
type precision struct {
	// Ids of an episode, each counted once, at the first block that shows it: a use
	// after a later block is also one after the first.
	shown, used int
	// Ids of each block.
	shownInBlocks, usedInBlocks int

	uses uses                // of the episode
	seen map[string]struct{} // in its blocks so far
}

func (p *precision) begin(uses uses) {
	p.uses, p.seen = uses, make(map[string]struct{})
}

// add counts the distinct ids of the block before a step.
func (p *precision) add(step int, ids iter.Seq[string]) {
	for id := range ids {
		last, ok := p.uses[id]
		used := 0
		if ok && last >= step {
			used = 1
		}
		p.shownInBlocks++
		p.usedInBlocks += used
		if _, ok := p.seen[id]; !ok {
			p.seen[id] = struct{}{}
			p.shown++
			p.used += used
		}
	}
}
