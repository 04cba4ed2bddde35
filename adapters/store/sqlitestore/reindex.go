package sqlitestore

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

const (
	// reindexRecords limits the records that one transaction indexes again, so that writers do not
	// wait long.
	reindexRecords = 50
	// reindexRetry is the time after a failure until indexing continues.
	reindexRetry = time.Minute
)

// reindexAll indexes the records of earlier versions of the schema again, until ctx ends or none
// are left. Other processes may do the same.
func (s *Store) reindexAll(ctx context.Context) {
	defer close(s.reindexed)
	for {
		left, err := s.reindex(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.opts.Logger.WarnContext(ctx, "indexing records of an earlier version failed", slog.Any("error", err))
			if !sleep(ctx, reindexRetry, s.writer.closed) {
				return
			}
		case !left:
			return
		}
	}
}

const (
	hasUnindexed    = `SELECT EXISTS (SELECT 1 FROM records WHERE block IS NULL)`
	selectReindexed = `SELECT r.id, r.owner, r.terms, r.created_at, r.accessed_at, r.type, b.body, v.model, v.vector FROM records r
		LEFT JOIN bodies b ON b.record = r.id LEFT JOIN vectors v ON v.record = r.id WHERE r.block IS NULL LIMIT ?`
)

// reindex indexes some of the records that have no block. It returns false if there are none.
func (s *Store) reindex(ctx context.Context) (left bool, err error) {
	if err := s.reader.db.QueryRowContext(ctx, hasUnindexed).Scan(&left); err != nil || !left {
		return left, err
	}
	err = s.writer.do(ctx, func(t *tx) error {
		var found []*staleRecord
		err := t.query(func(scan func(...any) error) error {
			r := &staleRecord{}
			found = append(found, r)
			return scan(&r.id, number(&r.owner), number(&r.terms), optional(&r.created), optional(&r.accessed), &r.kind, &r.body, &r.model, &r.vector)
		}, selectReindexed, reindexRecords)
		if err != nil {
			return err
		}
		version, err := t.nextVersion() // of blocks
		if err != nil {
			return err
		}
		blocks := newBlocks(t)
		for _, r := range found {
			if err := blocks.reindex(r); err != nil {
				return err
			}
		}
		return blocks.save(version)
	})
	return true, err
}

// staleRecord is a record that an earlier version has stored.
type staleRecord struct {
	id, owner, terms  int64
	created, accessed sql.NullInt64
	kind              sessiondriver.RecordType
	body, vector      content
	model             sql.NullString
}

// reindex indexes the terms and the vector of a record. Its version stays, since nothing that Lookup
// returns changes.
func (b *blocks) reindex(r *staleRecord) error {
	// A record with a damaged body keeps its terms: a search that finds it reports the damage.
	if rec, err := recordOf(r.body, r.accessed, 0); err == nil {
		if err := b.replaceTerms(r, driver.RecordTerms(&rec)); err != nil {
			return err
		}
	}
	in, code := spaceOf(r.owner, r.model.String, vectorOfBytes(r.vector))
	block, err := b.withRoom(in)
	if err != nil {
		return err
	}
	block.add(slot{
		id: r.id, created: slotTime(r.created), accessed: slotTime(r.accessed), length: uint32(r.terms), kind: kindOf(r.kind),
	}, code)
	_, err = b.exec(`UPDATE records SET terms = ?, block = ? WHERE id = ?`, r.terms, block.id, r.id)
	return err
}

// replaceTerms replaces the postings of a record.
func (b *blocks) replaceTerms(r *staleRecord, terms []string) error {
	if r.terms > 0 {
		if _, err := b.exec(`DELETE FROM terms WHERE rowid = ?`, r.id); err != nil {
			return err
		}
	}
	if len(terms) > 0 {
		if _, err := b.exec(`INSERT INTO terms (rowid, term) VALUES (?, ?)`, r.id, postingsOf(r.owner, terms)); err != nil {
			return err
		}
	}
	more := int64(len(terms)) - r.terms
	r.terms += more
	_, err := b.exec(`UPDATE owners SET terms = terms + ? WHERE id = ?`, more, r.owner)
	return err
}
