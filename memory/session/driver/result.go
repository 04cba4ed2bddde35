package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Limits of results.
const (
	// MaxResultBytes is the maximum size of the content of a result: 64 MiB.
	MaxResultBytes = 64 << 20
	// MaxResultMetaBytes is the maximum size of ResultInfo.Meta: 64 KiB.
	MaxResultMetaBytes = 64 << 10
	// MaxResults is the maximum number of results of each kind of a session.
	MaxResults = 1000
)

// ResultKind tells apart what is kept with a session. The results of each kind are a list of
// their own, with ids and limits of its own.
type ResultKind uint8

// The kinds of results.
const (
	// ToolResult is a large result of a tool.
	ToolResult ResultKind = iota
	// JournalEntry is a recorded call with what it changed: see middleware.Journal.
	JournalEntry
	// ResultKinds is the number of kinds.
	ResultKinds
)

// ResultInfo describes a result.
type ResultInfo struct {
	Kind ResultKind
	// ID is unique in its session among the results of its kind: valid UTF-8 of 1 to MaxIDBytes
	// bytes, which may include NUL.
	ID string
	// Size is the size of the content in bytes.
	Size int64
	// Meta is JSON of the caller, at most MaxResultMetaBytes bytes. It may be empty.
	Meta []byte
	// CreatedAt is a time of the caller's, to the millisecond.
	CreatedAt time.Time
}

// StoredResult is a result with its content, at most MaxResultBytes bytes.
type StoredResult struct {
	ResultInfo
	Content []byte
}

// Check returns an error if a result is invalid or its content exceeds limit bytes. It ignores
// Size. Errors: ErrTooLarge, and one for an unknown Kind or an ID that is empty or too long.
func (r *StoredResult) Check(limit int64) error {
	switch {
	case r.Kind >= ResultKinds:
		return fmt.Errorf("session: kind %d of a result is unknown", r.Kind)
	case r.ID == "" || len(r.ID) > MaxIDBytes:
		return fmt.Errorf("session: id of a result has %d bytes, not 1 to %d", len(r.ID), MaxIDBytes)
	case len(r.Meta) > MaxResultMetaBytes:
		return fmt.Errorf("session: description of a result: %w", ErrTooLarge)
	case int64(len(r.Content)) > min(limit, MaxResultBytes):
		return fmt.Errorf("session: result: %w", ErrTooLarge)
	}
	return nil
}

// ResultStore is a Store that also keeps large results of tools, and other results, with their
// sessions. It is an optional ability. What is documented at Store applies to it too.
//
// Results share the life of their session: they expire with it, whatever writes do to the
// expiry, and Delete removes them. A session that is created again has none of the old ones.
// Adding a result does not change its session: neither the Position nor the expiry.
type ResultStore interface {
	Store

	// PutResult adds a result to those of its Kind of a session, as the newest. Size is ignored.
	// If these are then more than MaxResults, or their contents together more than limit bytes,
	// the oldest are removed. A result whose ID is there is ignored. Readers see a result whole
	// or not at all. Errors: ErrNotFound if the session does not exist, and
	// those of StoredResult.Check.
	PutResult(ctx context.Context, key Key, r StoredResult, limit int64) error

	// Results returns the results of a kind of a session, oldest first: none if the session does
	// not exist.
	Results(ctx context.Context, key Key, kind ResultKind) ([]ResultInfo, error)

	// ReadResult reads the content of a result into p, from an offset in bytes, as an
	// io.ReaderAt does: it returns io.EOF if it reads less than len(p). Its cost depends on
	// len(p), not on the size of the result. Errors: ErrNotFound if the session does not exist
	// or has no result of the kind with the ID, and one for a negative offset.
	ReadResult(ctx context.Context, key Key, kind ResultKind, id string, p []byte, offset int64) (int, error)
}

// ErrOffset is returned for a negative offset in a result.
var ErrOffset = errors.New("session: negative offset in a result")

// ResultRange returns the number of bytes that a ResultStore reads into p from an offset of a
// result of a size, and the error that it returns with them: io.EOF if that is less than len(p).
func ResultRange(p []byte, offset, size int64) (n int, err error) {
	n = int(min(max(size-offset, 0), int64(len(p))))
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}
