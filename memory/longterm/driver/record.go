package driver

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Record is what long-term memory keeps: a fact, an event, or a message. Its
// Namespace and UserID are its owner's; what is said of them at session.Record, that
// empty ones are the session's, is so where a session promotes it.
type Record = driver.Record

// The limits of a record.
const (
	// MaxIDBytes is how long an id may be: 1 KiB.
	MaxIDBytes = 1 << 10
	// MaxTextBytes is how long a text may be: 1 MiB.
	MaxTextBytes = 1 << 20
	// MaxRecordBytes is how large a record may be as JSON: 4 MiB.
	MaxRecordBytes = 4 << 20
	// MaxTags is how many topics a record may have, and how many entities.
	MaxTags = 1000
	// MaxMetadataDepth is how deep objects and lists in Metadata may be nested.
	MaxMetadataDepth = 1000
)

// RecordKey identifies a record: ids are unique among those of a namespace and user, each
// of which may be empty and hold any valid UTF-8 of up to session.MaxKeyBytes.
type RecordKey struct{ Namespace, UserID, ID string }

// KeyOf is the key of a record.
func KeyOf(r *Record) RecordKey { return RecordKey{Namespace: r.Namespace, UserID: r.UserID, ID: r.ID} }

// Compare orders keys bytewise, by namespace, user and id.
func (k RecordKey) Compare(other RecordKey) int {
	return cmp.Or(
		strings.Compare(k.Namespace, other.Namespace),
		strings.Compare(k.UserID, other.UserID),
		strings.Compare(k.ID, other.ID),
	)
}

// CheckRecord returns why a record is refused, nil if it is not: it needs an id, a text
// that is not blank, and a type that is one of session's or empty, which means
// session.RecordSemantic. Of a session.RecordMessage the text may be blank: a message
// that only calls tools has none.
func CheckRecord(r *Record) error {
	switch {
	case r.ID == "":
		return ErrNoID
	case len(r.ID) > MaxIDBytes, len(r.Text) > MaxTextBytes, len(r.Topics) > MaxTags, len(r.Entities) > MaxTags,
		len(r.Namespace)+len(r.UserID)+len(r.SessionID) > driver.MaxKeyBytes, isDeeper(r.Metadata, MaxMetadataDepth):
		return ErrTooLarge
	case strings.TrimSpace(r.Text) == "" && r.Type != driver.RecordMessage:
		return ErrNoText
	}
	switch r.Type {
	case "", driver.RecordSemantic, driver.RecordEpisodic, driver.RecordMessage:
	default:
		return ErrType
	}
	for _, texts := range [][]string{{r.ID, r.Text, r.Namespace, r.UserID, r.SessionID, r.ExtractionStrategy}, r.Topics, r.Entities, r.ExtractedFrom} {
		for _, text := range texts {
			if !utf8.ValidString(text) {
				return ErrInvalidUTF8
			}
		}
	}
	data, err := json.Marshal(r)
	switch {
	case err != nil:
		return ErrMetadata
	case len(data) > MaxRecordBytes:
		return ErrTooLarge
	}
	return nil
}

// isDeeper reports whether what json makes is nested deeper than a limit: to write that
// would take a stack without end.
func isDeeper(value any, limit int) bool {
	deeper := func(v any) bool { return isDeeper(v, limit-1) }
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			if limit == 0 || deeper(v) {
				return true
			}
		}
	case []any:
		return len(value) > 0 && limit == 0 || slices.ContainsFunc(value, deeper)
	}
	return false
}

// HashOf is Record.Hash: records with the same one are the same memory. It is of the
// owner, the session id, the type, the event date and the text, as hexadecimal
// SHA-256. Messages are never the same: theirs is of their id, too. acrossSessions
// leaves the session id out.
func HashOf(r *Record, acrossSessions bool) string {
	parts := []string{r.Namespace, r.UserID}
	if !acrossSessions {
		parts = append(parts, r.SessionID)
	}
	parts = append(parts, string(cmp.Or(r.Type, driver.RecordSemantic)))
	if r.Type == driver.RecordMessage {
		parts = append(parts, r.ID)
	}
	if !r.EventDate.IsZero() {
		parts = append(parts, r.EventDate.UTC().Format(time.RFC3339Nano))
	}
	return record.Digest(append(parts, r.Text)...)
}
