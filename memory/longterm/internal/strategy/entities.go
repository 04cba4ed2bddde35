package strategy

import (
	"context"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// FromEntities makes a memory of each entity of a session, without a model. The id depends on
// the entity only, so that each entity has one record for all sessions of a user, which a later
// name or description replaces.
type FromEntities struct{}

// Extract returns the memories of entities that are new or have changed.
func (FromEntities) Extract(_ context.Context, e driver.ExtractRequest) ([]driver.Record, error) {
	known := make(map[string]*driver.Record, len(e.Known))
	for i := range e.Known {
		known[e.Known[i].ID] = &e.Known[i]
	}
	var records []driver.Record
	for i := range e.Entities {
		r := entityRecord(&e.Entities[i])
		if k := known[r.ID]; k != nil {
			if k.Text == r.Text && slices.Equal(k.Entities, r.Entities) {
				continue
			}
			r.CreatedAt, r.UpdatedAt = k.CreatedAt, e.Now // replaces the known memory
		}
		records = append(records, r)
	}
	return records, nil
}

// entityRecord describes an entity like the lines of a block: what it is and what tells it apart,
// but not when it was used.
func entityRecord(e *memory.Entity) driver.Record {
	r := driver.Record{
		ID:     "entity:" + record.Digest(e.Type, e.ID),
		Type:   driver.RecordSemantic,
		Text:   e.Type,
		Topics: tags([]string{e.Type}),
	}
	if e.Name != "" || e.Description != "" {
		r.Text += ` "` + e.Label() + `"`
	}
	r.Text += " (" + e.ID + ")"
	if e.Name != "" && e.Description != "" {
		r.Text += ": " + e.Description
	}
	r.Entities = tags([]string{e.Name})
	if !strings.Contains(e.ID, ",") && e.ID != e.Name { // never shorten an id
		r.Entities = append(r.Entities, e.ID)
	}
	return r
}
