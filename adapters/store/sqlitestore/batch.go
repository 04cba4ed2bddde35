package sqlitestore

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Write implements driver.Index.
func (x *Index) Write(ctx context.Context, changes []driver.RecordChange) error {
	if len(changes) > driver.MaxChanges {
		return tooMany("writing records", len(changes))
	}
	rows, err := rowsOf(changes)
	if err == nil && len(changes) > 0 {
		err = x.store.writer.do(ctx, func(t *tx) error {
			return (&batch{blocks: newBlocks(t), changes: changes, rows: rows, ctx: ctx}).write()
		})
	}
	return x.failed(ctx, "writing records", err)
}

// rowsOf returns the row of each change, nil for a removal.
func rowsOf(changes []driver.RecordChange) ([]*recordRow, error) {
	rows := make([]*recordRow, len(changes))
	seen := make(map[driver.RecordKey]bool, len(changes))
	for i, c := range changes {
		if seen[c.Key] || c.Entry != nil && driver.KeyOf(&c.Entry.Record) != c.Key {
			return nil, fmt.Errorf("change %d: duplicate key, or key differs from that of its entry", i)
		}
		seen[c.Key] = true
		if c.Entry == nil {
			continue
		}
		var err error
		if rows[i], err = newRecordRow(c.Entry); err != nil {
			// Not err, which may quote the value.
			return nil, &driver.RecordError{Index: i, ID: c.Key.ID[:min(len(c.Key.ID), 64)], Err: driver.ErrMetadata}
		}
	}
	return rows, nil
}

// batch applies the changes of one Write in a transaction.
type batch struct {
	*blocks
	ctx     context.Context // of the caller
	changes []driver.RecordChange
	rows    []*recordRow
	owners  map[[2]string]*owner
	before  []storedRecord // of each change
}

// owner is an owner with the changes of their numbers of records and terms.
type owner struct {
	id, records, terms int64
}

// storedRecord is a record before a change. Its id is 0 if it does not exist.
type storedRecord struct {
	owner              *owner
	id, version, terms int64
	block              sql.NullInt64
}

func (b *batch) write() error {
	if err := b.readStored(); err != nil {
		return err
	}
	if err := b.checkHashes(); err != nil {
		return err
	}
	version, err := b.nextVersion()
	if err != nil {
		return err
	}
	// Removals come first, since two records may swap their hashes.
	for _, s := range b.before {
		if err := b.remove(s); err != nil {
			return err
		}
	}
	for i, row := range b.rows {
		if row == nil {
			continue
		}
		if err := b.insertRecord(b.before[i].owner, row, version); err != nil {
			return err
		}
	}
	if err := b.save(version); err != nil {
		return err
	}
	return b.updateCounts()
}

// nextVersion returns a version that no record has had.
func (t *tx) nextVersion() (version int64, err error) {
	if _, err := t.exec(`UPDATE versions SET last = last + 1`); err != nil {
		return 0, err
	}
	err = t.query(func(scan func(...any) error) error { return scan(number(&version)) }, `SELECT last FROM versions`)
	if err == nil && version < 1 {
		err = errMissing
	}
	return version, err
}

// remove removes a record if it exists.
func (b *batch) remove(s storedRecord) error {
	if s.id == 0 {
		return nil
	}
	if err := b.ctx.Err(); err != nil {
		return err
	}
	s.owner.records--
	s.owner.terms -= s.terms
	if s.terms > 0 {
		if _, err := b.exec(`DELETE FROM terms WHERE rowid = ?`, s.id); err != nil {
			return err
		}
	}
	if s.block.Valid {
		block, err := b.block(s.block.Int64)
		if err != nil {
			return err
		}
		if err := block.remove(s.id); err != nil {
			return err
		}
	}
	_, err := b.exec(`DELETE FROM records WHERE id = ?`, s.id)
	return err
}

// insertRecord inserts a record.
func (b *batch) insertRecord(o *owner, row *recordRow, version int64) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	rec := &row.Record
	if o.id == 0 {
		res, err := b.exec(`INSERT INTO owners (namespace, user_id, records, terms) VALUES (?, ?, 0, 0)`, rec.Namespace, rec.UserID)
		if err != nil {
			return err
		}
		if o.id, err = res.LastInsertId(); err != nil {
			return err
		}
	}
	o.records++
	o.terms += int64(len(row.Terms))
	in, code := spaceOf(o.id, row.Model, row.Vector)
	block, err := b.withRoom(in)
	if err != nil {
		return err
	}
	res, err := b.exec(`INSERT INTO records (owner, key, hash, version, session_id, type, strategy, pinned,
			created_at, updated_at, accessed_at, event_at, accesses, terms, block) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		o.id, rec.ID, rec.Hash, version, rec.SessionID, string(rec.Type), rec.ExtractionStrategy, rec.Pinned,
		micros(rec.CreatedAt), micros(rec.UpdatedAt), micros(rec.LastAccessed), micros(rec.EventDate), rec.AccessCount, len(row.Terms), block.id)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	block.add(slotOf(id, row), code)
	return b.insertParts(o.id, id, row)
}

// insertParts inserts the parts of a record in other tables.
func (b *batch) insertParts(owner, id int64, row *recordRow) error {
	_, err := b.exec(`INSERT INTO bodies (record, body, origin) VALUES (?, ?, ?)`, id, row.body, row.Origin)
	if err == nil && (len(row.vector) > 0 || row.Model != "") {
		_, err = b.exec(`INSERT INTO vectors (record, model, vector) VALUES (?, ?, ?)`, id, row.Model, row.vector)
	}
	if err == nil && len(row.Terms) > 0 {
		_, err = b.exec(`INSERT INTO terms (rowid, term) VALUES (?, ?)`, id, postingsOf(owner, row.Terms))
	}
	for kind, tags := range [][]string{topics: row.Record.Topics, entities: row.Record.Entities} {
		for _, tag := range tagsOf(tags) {
			if err != nil {
				return err
			}
			_, err = b.exec(`INSERT INTO tags (owner, kind, value, record) VALUES (?, ?, ?, ?)`, owner, kind, tag, id)
		}
	}
	return err
}

// updateCounts updates the counts of the owners and removes those without records.
func (b *batch) updateCounts() error {
	for _, o := range b.owners {
		if o.records != 0 || o.terms != 0 {
			if _, err := b.exec(`UPDATE owners SET records = records + ?, terms = terms + ? WHERE id = ?`, o.records, o.terms, o.id); err != nil {
				return err
			}
		}
		if _, err := b.exec(`DELETE FROM owners WHERE id = ? AND records = 0`, o.id); err != nil {
			return err
		}
	}
	return nil
}
