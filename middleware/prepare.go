package middleware

import (
	"context"
	"hash/maphash"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Prepare returns the block for the next call of the model, or "" if there is nothing to show:
// it updates the focus with the last messages of the user and of the model (see UpdateFocus),
// refreshes the recorder and renders the block. Hearing the same messages again changes
// nothing, so that adapters may pass them at every step of an agent. If refreshing fails, which
// the Logger receives, the block shows what is known.
func (r *Recorder) Prepare(ctx context.Context, said ...prompt.Message) string {
	_ = r.prepare(ctx, said) // the Logger has the error
	return r.Block()
}

func (r *Recorder) prepare(ctx context.Context, said []prompt.Message) error {
	for _, m := range said {
		r.hear(m)
	}
	err := r.Refresh(ctx)
	r.hold() // in the context that Refresh loaded
	return err
}

// UpdateFocus adds a message of the conversation. The block shows entities that the last
// messages refer to before others: those whose name the user's message has, those whose id the
// user's or the assistant's message mentions, and those whose label has rare words of the user's
// message. The blocks in a message are ignored. The same message again changes nothing. See
// prompt.Focus.
//
// Entities that the user names are held in the context as those whose id is mentioned, and
// candidates whose id is mentioned become references: see memory.Change. A message of the
// assistant with more than 4 ids does neither. In a stored session this lasts until the session
// is read again.
//
// The next Refresh passes the user's message to Options.Recall, without the blocks in it
// and at most its last 8 KiB.
//
// Without UpdateFocus, the block depends on the tool calls only.
func (r *Recorder) UpdateFocus(m prompt.Message) {
	r.hear(m)
	r.hold()
}

// hear updates the focus but not the context, whose callbacks may call the recorder.
func (r *Recorder) hear(m prompt.Message) {
	r.setUpBacking()
	var heard *uint64
	switch m.Role {
	case "user":
		heard = &r.heard[0]
	case "assistant":
		heard = &r.heard[1]
	default:
		return
	}
	if m.Content = prompt.Remove(m.Content); m.Content == "" {
		return
	}
	if m.Role == "user" {
		r.typed.add(r.Handles(), m.Content)
	}
	digest := maphash.String(r.ledger.seed, m.Content)
	r.mu.Lock()
	defer r.mu.Unlock()
	if digest == *heard {
		return
	}
	*heard = digest
	r.focus, r.fresh, r.holding = r.focus.After(m), false, nil
	r.recollection.updateSaid(m)
}

// hold holds what the focus mentions in the context, once for each context and focus.
func (r *Recorder) hold() {
	wc := r.Context()
	handles := r.Handles()
	r.mu.Lock()
	focus, held := r.focus, r.holding == wc
	r.holding = wc
	r.mu.Unlock()
	if held {
		return
	}
	if handles.Len() > 0 {
		focus = focus.MapIDs(handles.Decode)
	}
	if mentioned := focus.Mentioned(wc.Recent(wc.Capacity()), wc.Candidates(wc.CandidateCapacity())); len(mentioned) > 0 {
		_ = wc.Apply(memory.Change{Mention: mentioned}) // adds nothing that could be refused
	}
}
