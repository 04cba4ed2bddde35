package providers

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
	// DefaultMaxDocuments is the largest number of documents that a search requests.
	DefaultMaxDocuments = 1024
	// maxDocuments is the upper limit of VectorIndexOptions.MaxDocuments.
	maxDocuments = 1 << 20
)

// ErrStoreEmbeds is returned when a vector store embeds texts without calling the
// Embedder.
var ErrStoreEmbeds = errors.New("providers: vector store does not call the Embedder: create the store with it")

// VectorIndexOptions configures a VectorIndex. The zero value is useful.
type VectorIndexOptions struct {
	// NameSpace returns the name space of the vector store for an owner's documents
	// (vectorstores.WithNameSpace), so that searches skip the documents of others. The
	// base answers searches in a wider scope. If nil or if it returns "", no name space
	// is used.
	NameSpace func(namespace, userID string) string
	// Filters returns a filter in the vector store's own language
	// (vectorstores.WithFilters), on the metadata that VectorIndex documents. If it
	// excludes too much, records are missed. If nil or if it returns nil, no filter is
	// used.
	Filters func(s driver.Search) any
	// StoreOptions are passed with each call of the vector store. With
	// vectorstores.WithEmbedder and an Embedder of this package, a store that supports
	// the option may have been created with another embedder.
	StoreOptions []vectorstores.Option
	// MaxDocuments is the largest number of documents that a search requests from the
	// vector store. A search first requests little more than a page, and then twice as
	// many each time. If MaxDocuments are not enough, the base answers. 0 means
	// DefaultMaxDocuments; the limit is 1<<20.
	MaxDocuments int
	// Logger receives failed searches of the vector store, never contents. If nil,
	// nothing is logged.
	Logger *slog.Logger
}

// VectorIndex is a driver.Index that finds near records with a vector store of
// langchaingo, which for many records is faster than comparing all vectors. The records
// and their vectors are in another index, the base:
//
//	Write ──> vector store, then base        Search ──> vector store: candidates
//	                                                    base: the records, filtered and compared
//
// Create the vector store with the Embedder of the longterm.Memory, or pass it in
// StoreOptions: it hands the memory's vectors to the store, and no text is embedded twice.
//
// The contract of driver.Index holds, with one exception: a page of nearest records is
// only as complete as the vector store's searches. Every record of a page exists, is in
// scope, passes the whole filter and is scored by its vector in the base. If the store
// fails, or cannot fill the page with MaxDocuments, the base gives the exact answer. If
// the store fills the page,
//
//   - with driver.Ranking.Recency, records that are far but fresh may be missed;
//   - with longterm.ModeHybrid, records that are neither near nor among the best by
//     words may be missed, and only the best by words have a Keyword;
//   - if more than MaxDocuments records pass the filter, driver.HitPage.Total is their
//     number, or with driver.Ranking.MaxDistance the number of those found near enough.
//
// Documents can only be added to a vector store of langchaingo. A document has no text: its
// content is a digest of the record's key, its text, the model and the vector, and its
// metadata the strings wm_namespace, wm_user and wm_id, escaped by url.QueryEscape. The
// documents of changed and deleted records and of failed writes remain and use space, but
// are never found. To remove them, fill an empty collection: see Fill. Vectors of another
// model or dimension belong in a separate collection.
//
// It is safe for concurrent use if the base and the vector store are.
type VectorIndex struct {
	base  driver.Index
	store vectorstores.VectorStore
	opts  VectorIndexOptions
}

var _ driver.Index = (*VectorIndex)(nil)

// NewVectorIndex returns an index that searches the vector store in front of base, which
// the caller closes. Neither may be nil. If opts is nil, the defaults are used.
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

// Lookup implements driver.Index. It calls the base.
func (x *VectorIndex) Lookup(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
	return x.base.Lookup(ctx, l)
}

// Touch implements driver.Index. It calls the base.
func (x *VectorIndex) Touch(ctx context.Context, keys []driver.RecordKey, at time.Time) error {
	return x.base.Touch(ctx, keys, at)
}

// Write implements driver.Index. It writes the vector store first, so that a failure only
// leaves documents that are never found. Errors: the base's, ErrStoreEmbeds, and
// longterm.ErrUnavailable if the vector store fails; then nothing is changed.
func (x *VectorIndex) Write(ctx context.Context, changes []driver.RecordChange) error {
	var keys []driver.RecordKey
	for _, c := range changes {
		if c.Entry != nil && c.Entry.Vector != nil {
			keys = append(keys, c.Key)
		}
	}
	if len(keys) == 0 || len(changes) > driver.MaxChanges { // the base rejects too many
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
			return fmt.Errorf("providers: writing to the index: %w", driver.ErrConflict)
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

// lookup returns the entries for any number of keys.
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

// Fill adds documents for all records of a scope that have a vector to the vector store,
// and returns their number. Use it for an empty collection, when the base already has
// records or too many stale documents have accumulated. Concurrent writes are not lost.
// Errors: those of the base's Search, and of Write; added documents remain.
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
