package redisstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

// Documents is a driver.DocumentStore with the prefix of a Store. It is safe for concurrent use by
// any number of processes, and is closed with its Store.
type Documents struct{ store *Store }

var _ driver.DocumentStore = (*Documents)(nil)

// Documents returns the store of the documents of summary views with the same prefix.
func (s *Store) Documents() *Documents { return &Documents{store: s} }

var documentSentinels = sentinels{unavailable: driver.ErrUnavailable, closed: driver.ErrClosed}

var errStoredDocument = errors.New("stored document cannot be read")

// call calls f, whose error is one of the client, unless invalid is an error, the store is closed
// or ctx has ended.
func (x *Documents) call(ctx context.Context, op string, invalid error, f func() error) error {
	switch {
	case invalid != nil:
		return wrap(op, invalid)
	case x.store.closed.Load():
		return wrap(op, driver.ErrClosed)
	case ctx.Err() != nil:
		return wrap(op, ctx.Err())
	}
	err := f()
	switch {
	case err == nil:
		return nil
	case x.store.closed.Load():
		return wrap(op, driver.ErrClosed)
	default:
		return documentSentinels.failure(ctx, op, err)
	}
}

// Get implements driver.DocumentStore. It takes one round trip.
func (x *Documents) Get(ctx context.Context, key string) (driver.Document, error) {
	const op = "get a document"
	var value []byte
	err := x.call(ctx, op, driver.CheckKey(key), func() (err error) {
		value, err = x.store.client.HGet(ctx, x.store.layout.documents()[0], key).Bytes()
		if errors.Is(err, redis.Nil) {
			return nil
		}
		return err
	})
	switch {
	case err != nil:
		return driver.Document{}, err
	case value == nil:
		return driver.Document{}, wrap(op, driver.ErrNotFound)
	}
	d, err := decodeDocument(key, value)
	return d, wrap(op, err)
}

// List implements driver.DocumentStore. It takes one round trip.
func (x *Documents) List(ctx context.Context, prefix, after string, limit int) ([]driver.Document, error) {
	least := "[" + prefix
	if after >= prefix {
		least = "(" + after
	}
	return x.page(ctx, "list documents", driver.CheckPage(prefix, after, limit), x.store.scripts.documentList, least, "("+prefix+"\x7f", limit)
}

// Due implements driver.DocumentStore. It takes one round trip.
func (x *Documents) Due(ctx context.Context, at time.Time, limit int) ([]driver.Document, error) {
	return x.page(ctx, "list due documents", driver.CheckPage("", "", limit), x.store.scripts.documentDue, boundedMillis(at), limit)
}

// page returns the documents in the reply of a script.
func (x *Documents) page(ctx context.Context, op string, invalid error, script *redis.Script, arguments ...any) ([]driver.Document, error) {
	var reply []string
	err := x.call(ctx, op, invalid, func() (err error) {
		reply, err = script.Run(ctx, x.store.client, x.store.layout.documents(), arguments...).StringSlice()
		return err
	})
	if err != nil {
		return nil, err
	}
	var page []driver.Document
	for pair := range slices.Chunk(reply, 2) {
		if len(pair) != 2 {
			return nil, unexpected(op)
		}
		d, err := decodeDocument(pair[0], []byte(pair[1]))
		if err != nil {
			return nil, wrap(op, err)
		}
		page = append(page, d)
	}
	return page, nil
}

// Count implements driver.DocumentStore. It takes one round trip.
func (x *Documents) Count(ctx context.Context, prefix string) (n int, err error) {
	err = x.call(ctx, "count documents", driver.CheckPage(prefix, "", 1), func() error {
		found, err := x.store.client.ZLexCount(ctx, x.store.layout.documents()[1], "["+prefix, "("+prefix+"\x7f").Result()
		n = int(found)
		return err
	})
	return n, err
}

// Write implements driver.DocumentStore. It takes one round trip.
func (x *Documents) Write(ctx context.Context, changes []driver.DocumentChange) error {
	const op = "write documents"
	arguments := make([]any, 0, 4*len(changes))
	for i := range changes {
		due, document := encodeChange(&changes[i])
		arguments = append(arguments, changes[i].Document.Key, changes[i].If, due, document)
	}
	done := 1
	err := x.call(ctx, op, driver.CheckChanges(changes), func() (err error) {
		keys := x.store.layout.documents()
		done, err = x.store.scripts.documentWrite.Run(ctx, x.store.client, append(keys, keys[0]+":"+rand.Text()), arguments...).Int()
		return err
	})
	if err == nil && done == 0 {
		err = wrap(op, driver.ErrConflict)
	}
	return err
}

// encodeChange returns the due time and the document of a change, as in documentwrite.lua.
func encodeChange(c *driver.DocumentChange) (due, document string) {
	switch {
	case c.Do == driver.RemoveDocument:
		return "", "-"
	case c.Do == driver.RequireDocument:
		return "", "="
	case !c.Document.Due.IsZero():
		due = strconv.FormatInt(c.Document.Due.UnixMilli(), 10)
	}
	return due, c.Document.Revision + " " + due + " " + string(c.Document.Value)
}

func decodeDocument(key string, stored []byte) (driver.Document, error) {
	revision, rest, found := bytes.Cut(stored, []byte(" "))
	due, value, complete := bytes.Cut(rest, []byte(" "))
	if !found || !complete {
		return driver.Document{}, errStoredDocument
	}
	d := driver.Document{Key: key, Revision: string(revision), Value: append([]byte{}, value...)}
	if len(due) > 0 {
		millis, err := strconv.ParseInt(string(due), 10, 64)
		if err != nil {
			return driver.Document{}, errStoredDocument
		}
		d.Due = time.UnixMilli(millis).UTC()
	}
	return d, nil
}
