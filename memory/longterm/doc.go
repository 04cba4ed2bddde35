// Package longterm keeps memories beyond their sessions, and finds them again: facts
// that a session holds are promoted, extracted from its messages by a model or from its
// tool calls without one, and what fits the user's next question comes back into the
// prompt, in whichever session.
//
//	session.Manager ──► Promoter ──┐                ┌──► memindex, SQLite, PostgreSQL,
//	                               ├──► Memory ──► Index     a vector store of langchaingo
//	Put, Update, Delete, Forget ───┘      │
//	Search, Recall ◄──────────────────────┼──► Embedder
//
// A Memory works on an index, as package driver defines it. It decides what is the same
// memory, what is merged and what is forgotten; the index stores, filters and ranks. Neither
// needs a model: without an Embedder searches are by keywords.
//
//	m, err := longterm.New(memindex.New(nil), nil)
//	anna := longterm.Of("shop", "anna")
//	_, err = m.Put(ctx, anna, []longterm.Record{{ID: "seat", Text: "Anna likes window seats."}}, nil)
//	results, err := m.Search(ctx, anna, longterm.Query{Text: "Which seat shall I book?"})
//
// Around both:
//
//   - Scope says whose records a call is about. There is no call without one.
//   - RecordFilter says which of them; a condition is never left out.
//   - Recency weighs how fresh a record is against how well it matches.
//   - Policy says what is forgotten.
//   - Promoter promotes the sessions of a session.Manager.
//
// # From one session to the next
//
// A Promoter lets a session.Manager fill the Memory, in the background, and RecallFor
// brings what fits into the blocks of all sessions of the user:
//
//	promoter, err := longterm.NewPromoter(m, &longterm.PromoterOptions{Entities: true})
//	manager, err := session.NewManager(store, &session.Options{LongTerm: promoter})
//	sessions, err := middleware.NewSessions(manager, &middleware.SessionsOptions{Recall: m.RecallFor})
//	block, err := sessions.Block(ctx, key, prompt.Message{Role: "user", Content: "Which seat?"})
//
// They are closed in the reverse order: the Manager, which waits until the promotions
// that have begun are done, then the Memory, then the store or index. What is not
// promoted by then stays noted in the store, for the next process.
//
// # One memory, one record
//
// What is put under the id of a record replaces it. What has the text of another record
// of its owner, session, type and event date is one with it; with an Embedder so is
// what says nearly the same. Memory.Put says what becomes of such records. Who puts the
// same again, after a crash or an answer that got lost, changes nothing.
//
// A write is a compare-and-swap of all records that it is about, and is tried again with
// what is there then. So any number of memories, in any number of processes, may put
// the same texts at once, and there is one record of each. Of texts that are only near
// each other, two may stay where they are put at the same moment: Memory.Compact merges
// them.
//
// # What costs what
//
// Memory.Put takes two lookups and a write for 250 records, and in wide scopes a lookup
// for each owner. With an Embedder each text that is new is embedded, and searched for
// among those of its owner, session and type; records that are put again cost neither.
// What an index without a vector index of its own reads for that grows with what is there:
// thousands of records of one owner and session cost milliseconds each, so that an import
// of all of them takes minutes. Options.MergeDistance below 0 saves it. Memory.Search is one
// search, and with an Embedder embeds the question. Uses are written once a second, many
// at a time. Memory.Forget reads as many records as it may look at. Memory.Compact and
// Memory.Reembed read all records of their scope; Compact searches for each that has
// a vector.
//
// # Trust
//
// Records are texts of strangers. They are bounded and valid UTF-8 or refused (RecordError).
// No error and no log has anything of them but ids. What an Embedder, a
// LanguageModel or a Strategy of yours fails with is passed on as it is, but only its type
// is logged.
package longterm
