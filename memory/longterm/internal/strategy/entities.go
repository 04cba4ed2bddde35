package strategy

import (
	"context"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// FromEntities makes a memory of each entity of a session, without a model. Its id
// is that of the entity in all sessions of a user, so that there is one record of
// each, which a later one with another name or description replaces.
type FromEntities struct{}

// Extract returns the memories of entities that are not known as they are.
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
			r.CreatedAt, r.UpdatedAt = k.CreatedAt, e.Now // it replaces that one
		}
		records = append(records, r)
	}
	return records, nil
}

// entityRecord is what is remembered of an entity: as in the block's lines, which
// entity it is, and what else tells it apart. When it was used is not part of it.
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
	if !strings.Contains(e.ID, ",") && e.ID != e.Name { // an id is itself or nothing
		r.Entities = append(r.Entities, e.ID)
	}
	return r
}
