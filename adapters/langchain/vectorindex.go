package langchain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tmc/langchaingo/vectorstores"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

const (
	// DefaultMaxDocuments is how many documents a search asks a vector store for at most.
	DefaultMaxDocuments = 1024
	// maxDocuments is the most that can be asked for.
	maxDocuments = 1 << 20
)

// ErrStoreEmbeds says that a vector store embeds texts by itself, where it was to ask
// the Embedder of the VectorIndex.
var ErrStoreEmbeds = errors.New("langchain: vector store does not ask the Embedder: make it with that")

// VectorIndexOptions configures a VectorIndex. The zero value is useful.
type VectorIndexOptions struct {
	// NameSpace returns the name space of the vector store that an owner's documents go
	// to (vectorstores.WithNameSpace), "" for none: then searches need not look through
	// those of others. A search in a wider scope is then the base's. nil means none.
	NameSpace func(namespace, userID string) string
	// Filters narrows a search in the vector store's own language
	// (vectorstores.WithFilters), by the metadata that VectorIndex names. Where it lets
	// too little pass, records are missed. nil, also as what it returns, means none.
	Filters func(s driver.Search) any
	// StoreOptions go with each call of the vector store. With
	// vectorstores.WithEmbedder(embedder), an Embedder of this package, a store that takes
	// that option can have been made with another embedder. Some stores refuse it.
	StoreOptions []vectorstores.Option
	// MaxDocuments is how many documents a search asks the vector store for at most, first
	// for a page and some more, then for twice as many each time. Where that is not enough,
	// the base answers. 0 means DefaultMaxDocuments, more than 1<<20 means 1<<20.
	MaxDocuments int
	// Logger is told where the vector store failed in a search, never of contents. nil
	// means none.
	Logger *slog.Logger
}

// VectorIndex is a driver.Index that lets a vector store of langchaingo find what is
// near, which is faster than to compare all vectors where there are many. The records
// and their vectors live in another index, the base:
//
//	Write ──> vector store, then base        Search ──> vector store: what may be near
//	                                                    base: the records, filtered and compared
//
// Make the vector store with the Embedder that the longterm.Memory has, or give it in
// StoreOptions: the vectors that the memory made reach the store through it, and nothing
// is embedded twice.
//
// All of the contract of driver.Index holds but this: a page of nearest records is as
// complete as the vector store's searches are. What a search finds is there, in its
// scope, passes the whole filter, and is scored by the vectors of the base, whatever the
// store calls its Score. Where the store fails, or cannot fill the page with MaxDocuments,
// the base answers, exactly. Where it fills it,
//
//   - with driver.Ranking.Recency, records that are far but fresh may be missed,
//   - in a longterm.ModeHybrid, records that are neither near nor among the best by
//     words may be missed, and of what is near only the best by words have a Keyword,
//   - where more than MaxDocuments records pass the filter, driver.HitPage.Total is their number,
//     or with driver.Ranking.MaxDistance that of the records that were found near enough.
//
// A vector store of langchaingo can only be added to. A document there has no text: its
// content is a digest of the record's key, its text, the model and the vector, and its
// metadata the strings wm_namespace, wm_user and wm_id, as url.QueryEscape writes them.
// Those of records that were changed or deleted, and of writes that failed, stay there, cost room, and are
// never found. To be rid of them, fill an empty collection: see Fill. Vectors of another
// model or dimension belong in a collection of their own.
//
// It is as safe for concurrent use as its parts are.
type VectorIndex struct {
	base  driver.Index
	store vectorstores.VectorStore
	opts  VectorIndexOptions
}

var _ driver.Index = (*VectorIndex)(nil)

// NewVectorIndex puts a vector store in front of an index, which stays the caller's to
// close; neither may be nil. nil options mean the defaults.
func NewVectorIndex(base driver.Index, store vectorstores.VectorStore, opts *VectorIndexOptions) *VectorIndex {
	x := &VectorIndex{base: base, store: store}
	if opts != nil {
		x.opts = *opts
	}
	if x.opts.MaxDocuments <= 0 {
		x.opts.MaxDocuments = DefaultMaxDocuments
	}
	x.opts.MaxDocuments = min(x.opts.MaxDocuments, maxDocuments)
	if x.opts.Logger == nil {
		x.opts.Logger = slog.New(slog.DiscardHandler)
	}
	return x
}

// Lookup implements driver.Index: it is the base's.
func (x *VectorIndex) Lookup(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
	return x.base.Lookup(ctx, l)
}

// Touch implements driver.Index: it is the base's.
func (x *VectorIndex) Touch(ctx context.Context, keys []driver.RecordKey, at time.Time) error {
	return x.base.Touch(ctx, keys, at)
}

// Write implements driver.Index. The vector store is written first: what fails then
// leaves documents behind that are never found. Errors: the base's, ErrStoreEmbeds, and
// longterm.ErrUnavailable where the vector store failed; then nothing was changed.
func (x *VectorIndex) Write(ctx context.Context, changes []driver.RecordChange) error {
	var keys []driver.RecordKey
	for _, c := range changes {
		if c.Entry != nil && c.Entry.Vector != nil {
			keys = append(keys, c.Key)
		}
	}
	if len(keys) == 0 || len(changes) > driver.MaxChanges { // the base refuses so many
		return x.base.Write(ctx, changes)
	}
	known, err := x.lookup(ctx, keys)
	if err != nil {
		return err
	}
	var added []*driver.Entry
	for _, c := range changes {
		if c.Entry == nil || c.Entry.Vector == nil {
			continue
		}
		before := known[c.Key]
		if before.Version != c.If {
			return fmt.Errorf("langchain: writing to the index: %w", driver.ErrConflict)
		}
		if !sameDocument(&before, c.Entry) {
			added = append(added, c.Entry)
		}
	}
	if err := x.add(ctx, added); err != nil {
		return err
	}
	return x.base.Write(ctx, changes)
}

// lookup is Lookup of any number of keys.
func (x *VectorIndex) lookup(ctx context.Context, keys []driver.RecordKey) (map[driver.RecordKey]driver.Entry, error) {
	found := make(map[driver.RecordKey]driver.Entry, len(keys))
	for len(keys) > 0 {
		n := min(len(keys), driver.MaxChanges)
		entries, err := x.base.Lookup(ctx, driver.Lookup{Keys: keys[:n]})
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			found[driver.KeyOf(&e.Record)] = e
		}
		keys = keys[n:]
	}
	return found, nil
}

// fillPage is how many records Fill reads at once.
const fillPage = 200

// Fill adds documents to the vector store for all records of a scope that have a vector,
// and returns how many: to an empty collection, where the base was there before, or where
// too many documents were left behind. What is written meanwhile is in the store, too.
// Errors: those of the base's Search, and of Write; what was added stays.
func (x *VectorIndex) Fill(ctx context.Context, scope driver.Scope) (int, error) {
	filled := 0
	search := driver.Search{Scope: scope, Order: driver.OrderKey, Limit: fillPage}
	for {
		page, err := x.base.Search(ctx, search)
		if err != nil || len(page.Hits) == 0 {
			return filled, err
		}
		keys := make([]driver.RecordKey, len(page.Hits))
		for i := range page.Hits {
			keys[i] = driver.KeyOf(&page.Hits[i].Record)
		}
		found, err := x.lookup(ctx, keys)
		if err != nil {
			return filled, err
		}
		var entries []*driver.Entry
		for _, e := range found {
			if e.Vector != nil {
				entries = append(entries, &e)
			}
		}
		if err := x.add(ctx, entries); err != nil {
			return filled, err
		}
		filled += len(entries)
		search.After = &keys[len(keys)-1]
	}
}
