package sqlitestore

import (
	"context"
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
			return (&batch{tx: t, changes: changes, rows: rows, end: ctx}).write()
		})
	}
	return x.failed(ctx, "writing records", err)
}

// rowsOf returns what is to be stored, nil for what is removed.
func rowsOf(changes []driver.RecordChange) ([]*recordRow, error) {
	rows := make([]*recordRow, len(changes))
	seen := make(map[driver.RecordKey]bool, len(changes))
	for i, c := range changes {
		if seen[c.Key] || c.Entry != nil && driver.KeyOf(&c.Entry.Record) != c.Key {
			return nil, fmt.Errorf("change %d: a key twice, or not that of its entry", i)
		}
		seen[c.Key] = true
		if c.Entry == nil {
			continue
		}
		var err error
		if rows[i], err = newRecordRow(c.Entry); err != nil {
			// Not err: it may quote what it cannot write.
			return nil, &driver.RecordError{Index: i, ID: c.Key.ID[:min(len(c.Key.ID), 64)], Err: driver.ErrMetadata}
		}
	}
	return rows, nil
}

// batch is the changes of one Write in a transaction.
type batch struct {
	*tx
	end     context.Context // of the caller
	changes []driver.RecordChange
	rows    []*recordRow
	owners  map[[2]string]*owner
	before  []standing // of each change
}

// owner is an owner, and how many records and terms they get.
type owner struct {
	id, records, terms int64
}

// standing is what a change changes.
type standing struct {
	owner              *owner
	id, version, terms int64
}

func (b *batch) write() error {
	if err := b.read(); err != nil {
		return err
	}
	if err := b.hashes(); err != nil {
		return err
	}
	version, err := b.nextVersion()
	if err != nil {
		return err
	}
	// First all that leaves: two records may swap their hashes.
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
	return b.count()
}

// nextVersion is one that no record ever had.
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

// remove removes a record, if there is one.
func (b *batch) remove(s standing) error {
	if s.id == 0 {
		return nil
	}
	if err := b.end.Err(); err != nil {
		return err
	}
	s.owner.records--
	s.owner.terms -= s.terms
	if s.terms > 0 {
		if _, err := b.exec(`DELETE FROM terms WHERE rowid = ?`, s.id); err != nil {
			return err
		}
	}
	_, err := b.exec(`DELETE FROM records WHERE id = ?`, s.id)
	return err
}

// insertRecord adds a record.
func (b *batch) insertRecord(o *owner, row *recordRow, version int64) error {
	if err := b.end.Err(); err != nil {
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
	res, err := b.exec(`INSERT INTO records (owner, key, hash, version, session_id, type, strategy, pinned,
			created_at, updated_at, accessed_at, event_at, accesses, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		o.id, rec.ID, rec.Hash, version, rec.SessionID, string(rec.Type), rec.ExtractionStrategy, rec.Pinned,
		micros(rec.CreatedAt), micros(rec.UpdatedAt), micros(rec.LastAccessed), micros(rec.EventDate), rec.AccessCount, len(row.Terms))
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	return b.insertParts(o.id, id, row)
}

// insertParts adds what is not in the row of a record itself.
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

// count writes how many records and terms the owners have. Of one who has none left
// nothing stays.
func (b *batch) count() error {
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
