package providers

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/url"
	"unicode/utf8"

	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// The metadata of documents.
const (
	metaNamespace = "wm_namespace"
	metaUser      = "wm_user"
	metaID        = "wm_id"
)

// documentOf returns the document of an entry in the vector store.
func documentOf(e *longtermdriver.Entry) schema.Document {
	return schema.Document{PageContent: digestOf(e), Metadata: map[string]any{
		metaNamespace: url.QueryEscape(e.Record.Namespace),
		metaUser:      url.QueryEscape(e.Record.UserID),
		metaID:        url.QueryEscape(e.Record.ID),
	}}
}

// keyOf returns the key of a document's record, and false for a document that no
// VectorIndex wrote. It checks the key, because an index may fail for an invalid one.
func keyOf(d *schema.Document) (key longtermdriver.RecordKey, ok bool) {
	for name, part := range map[string]*string{metaNamespace: &key.Namespace, metaUser: &key.UserID, metaID: &key.ID} {
		text, isText := d.Metadata[name].(string)
		plain, err := url.QueryUnescape(text)
		if !isText || err != nil || !utf8.ValidString(plain) {
			return longtermdriver.RecordKey{}, false
		}
		*part = plain
	}
	return key, key.ID != "" && len(key.ID) <= longtermdriver.MaxIDBytes && len(key.Namespace)+len(key.UserID) <= sessiondriver.MaxKeyBytes
}

// digestOf returns a digest of an entry's key, model, text and vector.
func digestOf(e *longtermdriver.Entry) string {
	sum := sha256.New()
	for _, part := range []string{e.Record.Namespace, e.Record.UserID, e.Record.ID, e.Model, e.Record.Text} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	_ = binary.Write(sum, binary.LittleEndian, e.Vector) // a hash takes everything
	return hex.EncodeToString(sum.Sum(nil))
}

// queryOf returns the text of a search for a vector: its digest.
func queryOf(vector []float32) string {
	sum := sha256.New()
	_ = binary.Write(sum, binary.LittleEndian, vector)
	return hex.EncodeToString(sum.Sum(nil))
}

// sameDocument reports whether two entries with the same key have the same document. An
// entry without a vector has none.
func sameDocument(a, b *longtermdriver.Entry) bool {
	return a.Vector != nil && digestOf(a) == digestOf(b)
}

// add adds documents to the vector store.
func (x *VectorIndex) add(ctx context.Context, entries []*longtermdriver.Entry) error {
	spaces := make(map[string][]schema.Document)
	known := &knownVectors{vectors: make(map[string][]float32, len(entries))}
	for _, e := range entries {
		space := ""
		if x.opts.NameSpace != nil {
			space = x.opts.NameSpace(e.Record.Namespace, e.Record.UserID)
		}
		document := documentOf(e)
		spaces[space] = append(spaces[space], document)
		known.vectors[document.PageContent] = e.Vector
	}
	for space, documents := range spaces {
		known.asked.Store(false)
		err := callee.Call(func() error {
			_, err := x.store.AddDocuments(context.WithValue(ctx, knownKey{}, known), documents, x.optionsOf(space)...)
			return err
		})
		switch {
		case err != nil && ctx.Err() != nil:
			return fmt.Errorf("providers: adding to the vector store: %w", ctx.Err())
		case err != nil:
			return fmt.Errorf("providers: adding to the vector store: %w: %w", longtermdriver.ErrUnavailable, err)
		case !known.asked.Load():
			return ErrStoreEmbeds
		}
	}
	return nil
}

// optionsOf returns the options of a call in a name space.
func (x *VectorIndex) optionsOf(space string) []vectorstores.Option {
	var options []vectorstores.Option
	if space != "" {
		options = append(options, vectorstores.WithNameSpace(space))
	}
	return append(options, x.opts.StoreOptions...)
}
