package middleware

import "github.com/go-workingmemory/workingmemory/prompt"

// UpdateQuery takes in a message of the conversation, when it is said. For a token
// budget, what was said last then counts as newer than it is, by up to 24 calls:
// of the user's last message the words count, as far as they stand in labels and
// types, and the ids that it mentions; of the assistant's last one the ids. The
// messages themselves are not kept. See prompt.Query.
//
// What the user says is also what Options.Recall receives, at the next Refresh: of
// a message of more than 8 KiB the end, without blocks that are in it.
//
// Without UpdateQuery, and without a budget, a block goes by the tool calls alone.
func (r *Recorder) UpdateQuery(m prompt.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.query, r.fresh = r.query.Said(m), false
	r.recollection.updateSaid(m)
}
