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

// RecallFunc returns what is remembered beyond the conversation and bears on what the
// user said, the most relevant first. The items are the recorder's, which reads of them
// Type, Text and Position alone. It must be safe for concurrent use and give up when the context
// ends: give it a time limit of its own where the context may have none.
type RecallFunc func(ctx context.Context, said string) ([]items.Item, error)

// maxSaid is how many bytes of what the user said are searched for: its end, as of a
// prompt.Focus.
const maxSaid = 8 << 10

// recollection is what a recorder remembers beyond its conversation. The mutex of the
// recorder guards it, but for ask and busy.
type recollection struct {
	ask RecallFunc // nil: nothing is recalled
	// busy holds one value while ask runs, so that the same is not asked twice.
	busy chan struct{}
	most int // how many items compete for the block

	said    string       // the user's last words
	asked   string       // the words that items bear on, "" after a failure
	items   []items.Item // the most relevant first
	version uint64       // of items
}

func newRecollection(ask RecallFunc, block prompt.Options) recollection {
	return recollection{ask: ask, busy: make(chan struct{}, 1), most: notesFor(block)}
}

// updateSaid takes in what the user said.
func (c *recollection) updateSaid(m prompt.Message) {
	if c.ask == nil || m.Role != "user" {
		return
	}
	text := prompt.Remove(m.Content)
	text = text[max(0, len(text)-maxSaid):]
	if text = strings.TrimSpace(strings.ToValidUTF8(text, string(utf8.RuneError))); text != "" {
		c.said = text
	}
}

// recall asks what is remembered of the user's last words, once for the same words. The
// Logger receives a failure: the block goes without, and the next Refresh asks again.
func (r *Recorder) recall(ctx context.Context) {
	c := &r.recollection
	if c.ask == nil {
		return
	}
	select {
	case c.busy <- struct{}{}:
		defer func() { <-c.busy }()
	case <-ctx.Done():
		return // the call that runs may still recall it
	}
	r.mu.Lock()
	said, asked := c.said, c.asked
	r.mu.Unlock()
	if said == asked {
		return
	}
	var items []items.Item
	err := callee.Survive(func() (err error) {
		items, err = c.ask(ctx, said)
		return err
	})
	if err != nil {
		r.logger.LogAttrs(ctx, slog.LevelWarn, "long-term memory was not recalled", slog.String("error", callee.Loggable(err)))
		said, items = "", nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c.asked = said
	c.setItems(items)
}

// setItems replaces the items. In the order of their positions, they stand before the notes
// of the conversation, which is younger than they are.
func (c *recollection) setItems(list []items.Item) {
	list = slices.Clone(list[:min(len(list), c.most)])
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

// forgetRecalled lets the next Refresh ask again.
func (r *Recorder) forgetRecalled() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recollection.asked = ""
	r.recollection.setItems(nil)
}

// remembered are all items that a block may show.
func (r *Recorder) remembered(yield func(items.Item) bool) {
	if r.notes > 0 {
		for item := range r.workspace.Items().All() {
			if !yield(item) {
				return
			}
		}
	}
	r.mu.Lock()
	recalled := r.recollection.items // never changed, but replaced
	r.mu.Unlock()
	for _, item := range recalled {
		if !yield(item) {
			return
		}
	}
}

// noteworthy are the items that compete for the block: what was recalled and the
// Workspace's own take turns. Of the same text the Workspace's is shown, where the first of
// both stands.
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
