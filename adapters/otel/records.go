package otel

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// record is a memory record as the conventions have it.
type record struct {
	Content  string            `json:"content"`
	ID       string            `json:"id"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

// records returns entities as the JSON of gen_ai.memory.records.
func records(entities []memory.Entity) string {
	all := make([]record, len(entities))
	for i, e := range entities {
		all[i] = record{Content: e.Label(), ID: e.ID, Metadata: map[string]string{"type": e.Type}}
	}
	encoded, _ := json.Marshal(all) // texts always marshal
	return string(encoded)
}

// errorTypes are the values of error.type, the first that applies.
var errorTypes = []struct {
	err  error
	name string
}{
	{middleware.ErrExtractorPanic, "extractor_panic"},
	{memory.ErrPanic, "panic"},
	{memory.ErrTooLong, "too_long"},
	{memory.ErrInvalidID, "invalid_id"},
	{session.ErrUnavailable, "store_unavailable"},
	{context.DeadlineExceeded, "timeout"},
	{context.Canceled, "canceled"},
}

// errorType returns the error.type of an error, whose text may quote contents.
func errorType(err error) string {
	for _, t := range errorTypes {
		if errors.Is(err, t.err) {
			return t.name
		}
	}
	return "_OTHER"
}
