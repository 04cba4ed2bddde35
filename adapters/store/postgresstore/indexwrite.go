package postgresstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// writeLocks is the number of advisory locks that the owners share.
const writeLocks = 64

// The statements of a Write and a Touch.
const (
	// lockOwners serializes the writers of an owner, which could deadlock otherwise when they
	// change the same records or swap hashes. The locks are taken in ascending order.
	lockOwners  = `SELECT count(pg_advisory_xact_lock($1, slot)) FROM unnest($2::integer[]) slot`
	lockRecords = `SELECT w.n, r.version FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY w (owner, record_id, n)
		JOIN {schema}.records r USING (owner, record_id) ORDER BY owner, record_id FOR UPDATE OF r`
	// removeRecords removes the replaced and the removed records, and updates the counts of their
	// owners, in the same order as lockCounts.
	removeRecords = `WITH w AS (SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bytea[], $5::integer[], $6::bigint[])
			w (owner, record_id, namespace, user_id, records, terms)),
		gone AS (DELETE FROM {schema}.records r USING w WHERE r.owner = w.owner AND r.record_id = w.record_id
			RETURNING r.owner, r.record_id, r.length)
		INSERT INTO {schema}.owners AS o (owner, namespace, user_id, records, terms)
		SELECT w.owner, w.namespace, w.user_id, sum(w.records - (g.length IS NOT NULL)::integer), sum(w.terms - coalesce(g.length, 0))
			FROM w LEFT JOIN gone g USING (owner, record_id) GROUP BY 1, 2, 3 ORDER BY 1
		ON CONFLICT (owner) DO UPDATE SET records = o.records + excluded.records, terms = o.terms + excluded.terms`
	// removeOwners removes the owners without records.
	removeOwners = `DELETE FROM {schema}.owners WHERE owner = ANY ($1) AND records <= 0`
	touchRecords = `WITH t AS (UPDATE {schema}.records r SET version = DEFAULT, access_count = r.access_count + 1,
			last_accessed = greatest(r.last_accessed, $3)
		FROM unnest($1::bytea[], $2::bytea[]) w (owner, record_id) WHERE r.owner = w.owner AND r.record_id = w.record_id
		RETURNING r.id)
		UPDATE {schema}.codes c SET accessed = greatest(c.accessed, date_part('epoch', $3::timestamptz)) FROM t WHERE c.record = t.id`
)

// Write implements driver.Index. It is one transaction of three round trips. If the connection
// is lost before the last answer, Write returns longterm.ErrUnavailable, and only a Lookup
// reveals whether the records were written.
func (x *Index) Write(ctx context.Context, changes []driver.RecordChange) error {
	if err := checkChanges(changes); err != nil {
		return fmt.Errorf("postgresstore: write records: %w", err)
	}
	if len(changes) == 0 {
		return x.call(ctx, "write records", func() error { return nil })
	}
	batch, err := x.writeBatch(changes)
	if err != nil {
		return fmt.Errorf("postgresstore: write records: %w", err)
	}
	return x.call(ctx, "write records", func() error { return x.write(ctx, changes, batch()) })
}

func (x *Index) write(ctx context.Context, changes []driver.RecordChange, batch *pgx.Batch) error {
	// Regardless of the default level, a statement after the lock must see what others did
	// while they held it.
	tx, err := x.store.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	results := tx.SendBatch(ctx, batch)
	err = readWrite(results, changes)
	// The first error is the cause of the others.
	if closing := results.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("%w: %w", errAnswered, err)
	}
	return nil
}

// checkChanges returns an error for too many, duplicate or inconsistent changes.
func checkChanges(changes []driver.RecordChange) error {
	if len(changes) > driver.MaxChanges {
		return fmt.Errorf("%d changes exceed the limit of %d", len(changes), driver.MaxChanges)
	}
	seen := make(map[driver.RecordKey]bool, len(changes))
	for i, c := range changes {
		if seen[c.Key] {
			return fmt.Errorf("change %d repeats the key of another", i)
		}
		if c.Entry != nil && driver.KeyOf(&c.Entry.Record) != c.Key {
			return fmt.Errorf("change %d: key differs from that of its entry", i)
		}
		seen[c.Key] = true
	}
	return nil
}

// writeBatch returns the statements of a Write. Replaced records are removed and inserted, so
// that two records can swap their hashes.
func (x *Index) writeBatch(changes []driver.RecordChange) (func() *pgx.Batch, error) {
	var inserts [][]any
	n := len(changes)
	keys, namespaces, users := make([]driver.RecordKey, n), make([][]byte, n), make([][]byte, n)
	records, terms := make([]int32, n), make([]int64, n)
	for i, c := range changes {
		keys[i], namespaces[i], users[i] = c.Key, []byte(c.Key.Namespace), []byte(c.Key.UserID)
		if c.Entry == nil {
			continue
		}
		records[i], terms[i] = 1, int64(len(c.Entry.Terms))
		arguments, err := recordArguments(c.Entry)
		if err != nil {
			return nil, fmt.Errorf("change %d: %w", i, err)
		}
		inserts = append(inserts, arguments)
	}
	owners, ids := keyColumns(keys)
	sql := &x.store.sql
	return func() *pgx.Batch {
		batch := &pgx.Batch{}
		batch.Queue(lockOwners, x.locks(), locksOf(owners))
		batch.Queue(sql.lockRecords, owners, ids)
		batch.Queue(sql.removeRecords, owners, ids, namespaces, users, records, terms)
		batch.Queue(sql.removeOwners, owners)
		for _, arguments := range inserts {
			batch.Queue(sql.insertRecord, arguments...)
		}
		return batch
	}, nil
}

// locksOf returns the locks of owners, sorted and without duplicates.
func locksOf(owners [][]byte) []int32 {
	locks := make([]int32, len(owners))
	for i, owner := range owners {
		locks[i] = int32(owner[0]) % writeLocks
	}
	slices.Sort(locks)
	return slices.Compact(locks)
}

// readWrite returns longterm.ErrConflict if an entry does not have the version that its change requires.
func readWrite(results pgx.BatchResults, changes []driver.RecordChange) error {
	if _, err := results.Exec(); err != nil {
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	versions := make([]uint64, len(changes))
	var n, version int64
	_, err = pgx.ForEachRow(rows, []any{&n, &version}, func() error {
		versions[n-1] = uint64(version)
		return nil
	})
	if err != nil {
		return err
	}
	for i, c := range changes {
		if versions[i] != c.If {
			return fmt.Errorf("%w: record %d of %d", driver.ErrConflict, i+1, len(changes))
		}
	}
	return nil
}

// Touch implements driver.Index. It takes one round trip.
func (x *Index) Touch(ctx context.Context, keys []driver.RecordKey, at time.Time) error {
	owners, ids := keyColumns(slices.Compact(slices.SortedFunc(slices.Values(keys), driver.RecordKey.Compare)))
	return x.call(ctx, "touch records", func() error {
		if len(ids) == 0 {
			return nil
		}
		var batch pgx.Batch
		batch.Queue(`BEGIN ISOLATION LEVEL READ COMMITTED`)
		batch.Queue(lockOwners, x.locks(), locksOf(owners))
		batch.Queue(x.store.sql.touchRecords, owners, ids, stored(at))
		batch.Queue(`COMMIT`)
		results := x.store.pool.SendBatch(ctx, &batch)
		return execAll(results, batch.Len())
	})
}

// execAll reads the results of a batch. The last statement is COMMIT, whose error may follow
// the commit itself.
func execAll(results pgx.BatchResults, n int) error {
	var err error
	for i := 0; i < n && err == nil; i++ {
		if _, err = results.Exec(); err != nil && i == n-1 {
			err = fmt.Errorf("%w: %w", errAnswered, err)
		}
	}
	if closing := results.Close(); err == nil {
		err = closing
	}
	return err
}

// locks returns the first key of the advisory locks of this schema's owners.
func (x *Index) locks() int32 { return int32(lockOf(x.store.opts.Schema)) }
