// Package record copies records and converts them to the form in which an index keeps them.
package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Clone returns a deep copy of a record. Empty lists and maps become nil.
func Clone(r *driver.Record) driver.Record {
	copied := *r
	for _, list := range []*[]string{&copied.Topics, &copied.Entities, &copied.ExtractedFrom} {
		if len(*list) == 0 {
			*list = nil
		}
		*list = slices.Clone(*list)
	}
	for _, object := range []*map[string]any{&copied.Metadata, &copied.ExtractionConfig} {
		if len(*object) == 0 {
			*object = nil
			continue
		}
		*object = copyJSON(*object).(map[string]any)
	}
	return copied
}

// copyJSON copies decoded JSON.
func copyJSON(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := maps.Clone(value)
		for name, v := range copied {
			copied[name] = copyJSON(v)
		}
		return copied
	case []any:
		copied := slices.Clone(value)
		for i, v := range copied {
			copied[i] = copyJSON(v)
		}
		return copied
	}
	return value
}

// Normalize returns a record as an index keeps it: a deep copy with normalized times, whose
// Metadata and ExtractionConfig have passed through JSON, with numbers as json.Number. The error
// is that of encoding them.
func Normalize(r *driver.Record) (driver.Record, error) {
	normal := *r
	normal.Metadata, normal.ExtractionConfig = nil, nil
	normal = Clone(&normal)
	NormalizeTimes(&normal)
	var err error
	if normal.Metadata, err = throughJSON(r.Metadata); err == nil {
		normal.ExtractionConfig, err = throughJSON(r.ExtractionConfig)
	}
	return normal, err
}

// throughJSON encodes and decodes an object. It returns nil for an empty one.
func throughJSON(object map[string]any) (decoded map[string]any, err error) {
	if len(object) == 0 {
		return nil, nil
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoded, decoder.Decode(&decoded)
}

// NormalizeTimes normalizes all times of a record.
func NormalizeTimes(r *driver.Record) {
	for _, at := range []*time.Time{&r.EventDate, &r.CreatedAt, &r.UpdatedAt, &r.LastAccessed, &r.PersistedAt} {
		*at = NormalizeTime(*at)
	}
}

// NormalizeTime returns a time as an index keeps it: in UTC, in whole microseconds.
func NormalizeTime(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// LastUsed returns LastAccessed, or CreatedAt if that is later.
func LastUsed(r *driver.Record) time.Time {
	if r.LastAccessed.Before(r.CreatedAt) {
		return r.CreatedAt
	}
	return r.LastAccessed
}

// Digest returns the hexadecimal SHA-256 of a list of texts. Different lists never share an input.
func Digest(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(sum, "%d:", len(text))
		_, _ = io.WriteString(sum, text)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
