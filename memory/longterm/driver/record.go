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

// Record is the unit of long-term memory: a fact, an event, or a message. Namespace and UserID
// name its owner; they are filled in from the session only when a session promotes the record.
type Record = driver.Record

// The limits of a record.
const (
	// MaxIDBytes limits an id: 1 KiB.
	MaxIDBytes = 1 << 10
	// MaxTextBytes limits a text: 1 MiB.
	MaxTextBytes = 1 << 20
	// MaxRecordBytes limits a record as JSON: 4 MiB.
	MaxRecordBytes = 4 << 20
	// MaxTags limits the topics of a record, and its entities.
	MaxTags = 1000
	// MaxMetadataDepth limits the nesting of Metadata, and of ExtractionConfig.
	MaxMetadataDepth = 1000
)

// RecordKey identifies a record. Ids are unique within a namespace and user. Namespace and
// UserID may be empty and hold any valid UTF-8 of up to session.MaxKeyBytes.
type RecordKey struct{ Namespace, UserID, ID string }

// KeyOf returns the key of a record.
func KeyOf(r *Record) RecordKey { return RecordKey{Namespace: r.Namespace, UserID: r.UserID, ID: r.ID} }

// Compare orders keys bytewise, by namespace, user and id.
func (k RecordKey) Compare(other RecordKey) int {
	return cmp.Or(
		strings.Compare(k.Namespace, other.Namespace),
		strings.Compare(k.UserID, other.UserID),
		strings.Compare(k.ID, other.ID),
	)
}

// CheckRecord returns nil if a record is valid: it needs an id, a text that is not blank, and
// a type that is one of session's or empty, which means session.RecordSemantic. The text of a
// session.RecordMessage may be blank, as in a message that only calls tools.
func CheckRecord(r *Record) error {
	switch {
	case r.ID == "":
		return ErrNoID
	case len(r.ID) > MaxIDBytes, len(r.Text) > MaxTextBytes, len(r.Topics) > MaxTags, len(r.Entities) > MaxTags,
		len(r.Namespace)+len(r.UserID)+len(r.SessionID) > driver.MaxKeyBytes, isDeeper(r.Metadata, MaxMetadataDepth), isDeeper(r.ExtractionConfig, MaxMetadataDepth):
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

// isDeeper reports whether decoded JSON is nested deeper than limit: encoding it would need an
// unbounded stack.
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

// HashOf returns Record.Hash: records with the same hash are the same memory. It is the
// hexadecimal SHA-256 of the owner, the session id, the type, the event date and the text.
// Messages include their id, so that no two are the same. acrossSessions leaves out the
// session id.
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
