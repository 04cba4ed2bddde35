// Package longterm keeps memories beyond their sessions and finds them again. Facts that
// a session holds are promoted: extracted from its messages by a model, or from its tool
// calls without one. Whatever fits the user's next question returns to the prompt, in any
// session of that user.
//
//	session.Manager ──► Promoter ──┐                ┌──► memindex, SQLite, PostgreSQL,
//	                               ├──► Memory ──► Index     a vector store of langchaingo
//	Put, Update, Delete, Forget ───┘      │
//	Search, Recall ◄──────────────────────┼──► Embedder
//
// A Memory works on an index, which package driver defines. The Memory decides which
// records are the same memory, how they merge and when they are forgotten; the index
// stores, filters and ranks. Neither needs a model: without an Embedder, searches use
// keywords, and that of package wordvectors is part of this module.
//
//	m, err := longterm.New(memindex.New(nil), nil)
//	anna := longterm.Of("shop", "anna")
//	_, err = m.Put(ctx, anna, []longterm.Record{{ID: "seat", Text: "Anna likes window seats."}}, nil)
//	results, err := m.Search(ctx, anna, longterm.Query{Text: "Which seat shall I book?"})
//
// The types around them:
//
//   - Scope names the owner of the records of a call. Every call needs one.
//   - RecordFilter selects records within the scope. No index ignores a condition.
//   - Recency weighs how fresh a record is against how well it matches.
//   - Policy selects the records to forget.
//   - Promoter promotes the sessions of a session.Manager.
//
// # From one session to the next
//
// A Promoter lets a session.Manager fill the Memory in the background, and RecallFor
// brings matching memories into the blocks of all sessions of the user:
//
//	promoter, err := longterm.NewPromoter(m, &longterm.PromoterOptions{Entities: true})
//	manager, err := session.NewManager(store, &session.Options{LongTerm: promoter})
//	sessions, err := middleware.NewSessions(manager, &middleware.SessionsOptions{Recall: m.RecallFor})
//	block, err := sessions.Block(ctx, key, prompt.Message{Role: "user", Content: "Which seat?"})
//
// Close them in reverse order: the Manager, whose Close promotes what is due, then the
// Memory, then the store and the index. What could not be promoted by then remains noted
// in the store for the next process.
//
// # One memory, one record
//
// A record replaces the one with its id. A record merges with another that has the same
// text, owner, session, type and event date; with an Embedder, nearly the same text is
// enough. Memory.Put documents the rules. Putting a record again, after a crash or a lost
// reply, changes nothing.
//
// A write is a compare-and-swap of all records involved, and is retried after a conflict.
// Any number of memories, in any number of processes, may therefore put the same texts
// concurrently and end up with one record of each. Two texts that are only nearly the
// same, put at the same moment, may remain two records until Memory.Compact merges them.
//
// # Costs
//
// Memory.Put takes two lookups and a write for each 250 records, and in a wide scope one
// lookup for each owner. With an Embedder, each new text is embedded, and one more call
// compares the 250 with what the index has of their owners; records that are put again cost
// neither. A negative Options.MergeDistance avoids the comparison.
//
// Memory.Search is one search and, with an Embedder, one embedding; if it may find messages,
// it reads 100 hits and their neighbours. Uses are written in batches, once a second. Memory.Forget reads no more records than its limit.
// Memory.Compact and Memory.Reembed read all records of their scope; Compact searches once
// for each record that has a vector.
//
// # Trust
//
// Records are untrusted text. They are bounded and valid UTF-8, or refused with a
// RecordError. Errors and logs name records by id only. The error of a caller's Embedder,
// LanguageModel or Strategy is returned unchanged, but only its type is logged.
package longterm
