package evaluation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"

	"github.com/go-workingmemory/workingmemory/internal/jsonlines"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Block is a line of a blocks file: the block before a tool call.
type Block struct {
	// Episode is the id of the episode.
	Episode ID
	// Step is the index of the tool call among the episode's steps.
	Step int
	// Text is the block.
	Text string
	// Handles maps the handles in the block to their ids.
	Handles map[string]string
}

// ErrBlockLine is returned for a line of a blocks file that is not {"episode",
// "step", "block"}, maybe with "handles".
var ErrBlockLine = errors.New("not an object with episode, step and block")

// ErrNoBlock is returned if a blocks file lacks the block of a tool call.
var ErrNoBlock = errors.New("evaluation: no block")

// Replay returns the blocks that a method shows before each tool call of an episode.
func Replay(ctx context.Context, m Method, ep *Episode) ([]Block, error) {
	memory := m.New()
	var blocks []Block
	for i := range ep.Steps {
		step := &ep.Steps[i]
		if step.Kind != KindTool {
			observeStep(memory, step)
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		block := memory.Block()
		blocks = append(blocks, Block{Episode: ep.ID, Step: i, Text: block, Handles: handlesIn(memory, block)})
		// An error is not fatal: a memory shows what it has.
		_ = memory.Record(ctx, i, step)
	}
	return blocks, nil
}

// WriteBlocks writes blocks, one JSON object per line.
func WriteBlocks(w io.Writer, blocks []Block) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, b := range blocks {
		err := enc.Encode(struct {
			Episode json.RawMessage   `json:"episode"`
			Step    int               `json:"step"`
			Block   string            `json:"block"`
			Handles map[string]string `json:"handles,omitempty"`
		}{json.RawMessage(b.Episode.JSON), b.Step, b.Text, b.Handles})
		if err != nil {
			return fmt.Errorf("evaluation: writing blocks: %w", err)
		}
	}
	return nil
}

// ReadBlocks reads blocks. An unusable line yields a *TraceError.
func ReadBlocks(r io.Reader) iter.Seq2[Block, error] { return records(r, parseBlock) }

func parseBlock(line jsonlines.Line) (Block, error) {
	var fields struct {
		Episode json.RawMessage
		Step    *int
		Block   *string
		Handles map[string]string
	}
	if err := json.Unmarshal([]byte(line.Text), &fields); err != nil || fields.Step == nil || fields.Block == nil {
		return Block{}, errors.Join(ErrBlockLine, err)
	}
	id, err := parseID(fields.Episode)
	return Block{Episode: id, Step: *fields.Step, Text: *fields.Block, Handles: fields.Handles}, err
}

// Score scores blocks on traces. It returns ErrNoBlock if a tool call has no block.
func Score(ctx context.Context, traces iter.Seq2[*Episode, error], blocks iter.Seq2[Block, error], counter prompt.TokenCounter) (Figures, error) {
	type place struct {
		episode string
		step    int
	}
	shown := make(map[place]Block)
	for b, err := range blocks {
		if err != nil {
			return Figures{}, err
		}
		shown[place{b.Episode.Text, b.Step}] = b
	}
	var t tally
	m := meter{counter: counter}
	for ep, err := range traces {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return Figures{}, err
		}
		t.precision.begin(usesOf(ep))
		tracker := newTracker()
		for i := range ep.Steps {
			step := &ep.Steps[i]
			if step.Kind == KindTool {
				block, ok := shown[place{ep.ID.Text, i}]
				if !ok {
					return Figures{}, fmt.Errorf("%w for episode %s, step %d", ErrNoBlock, ep.ID.JSON, i)
				}
				m.read(block.Text, block.Handles)
				t.size(m.chars, m.tokens)
				t.precision.add(i, maps.Keys(m.view.byID))
				for _, ref := range tracker.needed(step) {
					t.add(&ref, m.view.outcomeOf(&ref))
				}
			}
			tracker.learn(step)
		}
	}
	return t.figures(), nil
}
