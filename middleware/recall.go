package middleware

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// RecallFunc returns memories that are relevant to the user's message, the most relevant
// first. The recorder owns the items and uses only their Type, Text and Position. A
// RecallFunc must be safe for concurrent use and return when the context ends; it needs a
// timeout of its own if the context may have none.
type RecallFunc func(ctx context.Context, said string) ([]items.Item, error)

// maxSaid is the number of bytes, at the end of the user's message, that are passed to
// the RecallFunc.
const maxSaid = 8 << 10

// recollection holds what a recorder recalled from beyond its conversation. The mutex of
// the recorder guards all fields except recall, busy and limit.
type recollection struct {
	recall RecallFunc // may be nil
	// busy holds one value while recall runs, so that a message is recalled for once.
	busy  chan struct{}
	limit int // of items that compete for the block

	said    string       // the user's last message
	asked   string       // the message that items are for, "" after a failure
	items   []items.Item // the most relevant first
	version uint64       // of items
}

func newRecollection(recall RecallFunc, block prompt.Options) recollection {
	return recollection{recall: recall, busy: make(chan struct{}, 1), limit: notesFor(block)}
}

// updateSaid sets said to a message of the user.
func (c *recollection) updateSaid(m prompt.Message) {
	if c.recall == nil || m.Role != "user" {
		return
	}
	text := m.Content[max(0, len(m.Content)-maxSaid):]
	if text = strings.TrimSpace(strings.ToValidUTF8(text, string(utf8.RuneError))); text != "" {
		c.said = text
	}
}

// recall recalls memories for the user's last message, once per message. It logs a
// failure, after which there are no memories and the next call tries again.
func (r *Recorder) recall(ctx context.Context) {
	c := &r.recollection
	if c.recall == nil {
		return
	}
	select {
	case c.busy <- struct{}{}:
		defer func() { <-c.busy }()
	case <-ctx.Done():
		return // a running call may still recall them
	}
	r.mu.Lock()
	said, asked := c.said, c.asked
	r.mu.Unlock()
	if said == asked {
		return
	}
	var items []items.Item
	ctx, observed := r.observe(ctx, Operation{Kind: OperationRecall, Query: said})
	err := callee.RecoverPanic(func() (err error) {
		items, err = c.recall(ctx, r.Decode(said))
		return err
	})
	if observed != nil {
		observed.recalled = len(items)
	}
	observed.end(nil, err)
	if err != nil {
		r.logger.LogAttrs(ctx, slog.LevelWarn, "recalling long-term memory failed", slog.String("error", callee.Loggable(err)))
		said, items = "", nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c.asked = said
	c.setItems(items)
}

// setItems replaces the items. It gives them negative positions in their order, so that
// they precede the notes of the conversation, which are newer.
func (c *recollection) setItems(list []items.Item) {
	list = slices.Clone(list[:min(len(list), c.limit)])
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].Position, list[b].Position) })
	for place, i := range order {
		list[i].Position = place - len(list)
	}
	same := func(a, b items.Item) bool {
		return a.Text == b.Text && a.Type == b.Type && a.Deleted == b.Deleted && a.Position == b.Position
	}
	if !slices.EqualFunc(list, c.items, same) {
		c.items = list
		c.version++
	}
}

// forgetRecalled removes the items, so that the next Refresh recalls them again.
func (r *Recorder) forgetRecalled() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recollection.asked = ""
	r.recollection.setItems(nil)
}

// remembered iterates over all items that a block may show.
func (r *Recorder) remembered(yield func(items.Item) bool) {
	if r.notes > 0 {
		for item := range r.workspace.Items().All() {
			if !yield(item) {
				return
			}
		}
	}
	r.mu.Lock()
	recalled := r.recollection.items // never modified, only replaced
	r.mu.Unlock()
	for _, item := range recalled {
		if !yield(item) {
			return
		}
	}
}

// shownNotes iterates over the items of remembered with handles in place of ids.
func (r *Recorder) shownNotes(yield func(items.Item) bool) {
	t := r.Handles()
	r.remembered(func(item items.Item) bool {
		item.Text = t.Encode(item.Text)
		return yield(item)
	})
}

// noteworthy returns the items that compete for the block. Recalled items and those of the
// Workspace alternate. Of two items with the same text, the Workspace's takes the position
// of the first.
func (r *Recorder) noteworthy() []items.Item {
	var own []items.Item
	recalled := r.recollection.items
	if r.notes > 0 {
		own = r.workspace.Items().Notable(r.notes)
	}
	if len(recalled) == 0 {
		return own
	}
	known := make(map[string]items.Item, len(own))
	for _, item := range own {
		known[item.Text] = item
	}
	notes := make([]items.Item, 0, len(own)+len(recalled))
	taken := make(map[string]bool, cap(notes))
	for i := range max(len(own), len(recalled)) {
		for _, list := range [...][]items.Item{recalled, own} {
			if i >= len(list) || taken[list[i].Text] {
				continue
			}
			item, ok := known[list[i].Text]
			if !ok {
				item = list[i]
			}
			taken[item.Text] = true
			notes = append(notes, item)
		}
	}
	return notes
}
