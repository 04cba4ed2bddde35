package sqlitestore

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// fileOfVersion5 creates a file of version 5 of the schema with records of ann, which have the term
// "old" and versions from 1.
func fileOfVersion5(t *testing.T, records int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "sessions.db")
	file, err := newFile(path, Options{BusyTimeout: time.Minute})
	require.NoError(t, err)
	db, err := file.connect(creating)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	require.NoError(t, useLog(t.Context(), conn))
	for range 5 {
		_, err := file.step(t.Context(), conn, migrations()[:5])
		require.NoError(t, err)
	}
	exec := func(query string, args ...any) {
		_, err := conn.ExecContext(t.Context(), query, args...)
		require.NoError(t, err)
	}
	exec("BEGIN")
	exec(`INSERT INTO owners (id, namespace, user_id, records, terms) VALUES (1, '', 'ann', ?1, ?1)`, records)
	exec(`UPDATE versions SET last = ?`, records)
	for i := range records {
		rec := longterm.Record{ID: fmt.Sprint(i), UserID: "ann", Hash: fmt.Sprint(i), Text: "green tea", Type: session.RecordSemantic}
		body, err := json.Marshal(rec)
		require.NoError(t, err)
		exec(`INSERT INTO records (id, owner, key, hash, version, session_id, type, strategy, pinned, accesses, terms)
			VALUES (?, 1, ?, ?, ?, '', 'semantic', '', 0, 0, 1)`, i+1, rec.ID, rec.Hash, i+1)
		exec(`INSERT INTO bodies (record, body, origin) VALUES (?, ?, '')`, i+1, body)
		exec(`INSERT INTO vectors (record, model, vector) VALUES (?, 'm', ?)`, i+1, bytesOfVector([]float32{0, 1}))
		exec(`INSERT INTO terms (rowid, term) VALUES (?, ?)`, i+1, postingsOf(1, []string{"old"}))
	}
	exec("COMMIT")
	return path
}

// totals returns how many records are found by a term and by a vector.
func totals(t *testing.T, store *Store, term string) (keyword, semantic int) {
	t.Helper()
	s := longtermdriver.Search{Scope: longterm.Of("", "ann"), Mode: longterm.ModeKeyword, Terms: []string{term}, Limit: 1}
	page, err := store.Index().Search(t.Context(), s)
	require.NoError(t, err)
	s.Mode, s.Vector, s.Model = longterm.ModeSemantic, []float32{0, 1}, "m"
	near, err := store.Index().Search(t.Context(), s)
	require.NoError(t, err)
	return page.Total, near.Total
}

// TestReindexing: records of version 5 of the schema are found by their new terms once they are indexed
// again, which the next Open continues. Searches and writes work at any time, and versions stay.
func TestReindexing(t *testing.T) {
	t.Parallel()
	const records = 3*reindexRecords + 7
	path := fileOfVersion5(t, records)
	file, err := newFile(path, Options{BusyTimeout: time.Minute})
	require.NoError(t, err)
	require.NoError(t, file.prepare(t.Context()))

	// A store that indexes only when told.
	opts, err := (&Options{BusyTimeout: time.Minute}).filled()
	require.NoError(t, err)
	store := &Store{path: path, opts: opts}
	require.NoError(t, store.open(t.Context()))
	keyword, semantic := totals(t, store, "old")
	assert.Equal(t, [2]int{records, records}, [2]int{keyword, semantic}, "no record is indexed again")
	left, err := store.reindex(t.Context())
	require.NoError(t, err)
	assert.True(t, left)
	keyword, semantic = totals(t, store, "old")
	assert.Equal(t, [2]int{records - reindexRecords, records}, [2]int{keyword, semantic}, "some are")
	change := func(i int, entry *longtermdriver.Entry) longtermdriver.RecordChange {
		key := longtermdriver.RecordKey{UserID: "ann", ID: fmt.Sprint(i)}
		return longtermdriver.RecordChange{Key: key, If: uint64(i + 1), Entry: entry}
	}
	black := longterm.Record{ID: "1", UserID: "ann", Hash: "black", Text: "black coffee"}
	last := longterm.Record{ID: fmt.Sprint(records - 1), UserID: "ann", Hash: "last", Text: "last coffee"}
	require.NoError(t, store.Index().Write(t.Context(), []longtermdriver.RecordChange{
		change(0, nil), change(1, &longtermdriver.Entry{Record: black, Terms: []string{"coffee"}}), // indexed again
		change(records-2, nil), change(records-1, &longtermdriver.Entry{Record: last, Terms: []string{"coffee"}}), // not yet
	}))
	touched := longtermdriver.RecordKey{UserID: "ann", ID: fmt.Sprint(records - 3)}
	require.NoError(t, store.Index().Touch(t.Context(), []longtermdriver.RecordKey{touched}, time.UnixMilli(7)))
	keyword, _ = totals(t, store, "coffee")
	assert.Equal(t, 2, keyword)
	store.writer.stop()
	require.NoError(t, store.reader.close())
	require.NoError(t, store.writer.close())

	store, err = Open(t.Context(), path, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	<-store.reindexed
	for term, want := range map[string]int{"old": 0, "tea": records - 4, "coffee": 2} {
		keyword, semantic = totals(t, store, term)
		assert.Equal(t, [2]int{want, records - 4}, [2]int{keyword, semantic}, term)
	}
	unindexed, slots, counted, length := 0, 0, 0, 0
	require.NoError(t, store.reader.db.QueryRowContext(t.Context(), `SELECT count(*) FROM records WHERE block IS NULL`).Scan(&unindexed))
	require.NoError(t, store.reader.db.QueryRowContext(t.Context(), `SELECT sum(used) FROM blocks`).Scan(&slots))
	require.NoError(t, store.reader.db.QueryRowContext(t.Context(), `SELECT terms, (SELECT sum(terms) FROM records) FROM owners`).Scan(&counted, &length))
	assert.Zero(t, unindexed)
	assert.Equal(t, records-2, slots)
	assert.Equal(t, length, counted)
	found, err := store.Index().Lookup(t.Context(), longtermdriver.Lookup{Keys: []longtermdriver.RecordKey{{UserID: "ann", ID: "2"}, touched}})
	require.NoError(t, err)
	require.Len(t, found, 2)
	assert.EqualValues(t, 3, found[0].Version, "it is not changed")
	assert.Equal(t, time.UnixMilli(7).UTC(), found[1].Record.LastAccessed)
}

// TestReindexingOfDamage: a record with a damaged body does not keep others from being indexed again.
func TestReindexingOfDamage(t *testing.T) {
	t.Parallel()
	path := fileOfVersion5(t, 3)
	store, err := Open(t.Context(), path, nil)
	require.NoError(t, err)
	<-store.reindexed
	require.NoError(t, store.writer.do(t.Context(), func(t *tx) error {
		for _, query := range []string{`UPDATE bodies SET body = x'00' WHERE record = 2`, `DELETE FROM blocks`, `UPDATE records SET block = NULL`} {
			if _, err := t.exec(query); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, store.Close())
	store, err = Open(t.Context(), path, nil)
	require.NoError(t, err)
	<-store.reindexed
	_, err = store.Index().Search(t.Context(), longtermdriver.Search{
		Scope: longterm.Of("", "ann"), Mode: longterm.ModeKeyword, Terms: []string{"tea"}, Limit: 10,
	})
	require.ErrorIs(t, err, ErrDamaged)
	require.NoError(t, store.Close())
}

// TestReindexingInSeveralStores: stores that open a file at once index each record once.
func TestReindexingInSeveralStores(t *testing.T) {
	t.Parallel()
	const records = 4 * reindexRecords
	path := fileOfVersion5(t, records)
	stores := make([]*Store, 3)
	var wg sync.WaitGroup
	for i := range stores {
		wg.Go(func() {
			store, err := Open(t.Context(), path, &Options{BusyTimeout: time.Minute})
			if assert.NoError(t, err) {
				stores[i] = store
				<-store.reindexed
			}
		})
	}
	wg.Wait()
	require.False(t, t.Failed())
	slots := 0
	require.NoError(t, stores[0].reader.db.QueryRowContext(t.Context(), `SELECT sum(used) FROM blocks`).Scan(&slots))
	assert.Equal(t, records, slots)
	for _, store := range stores {
		keyword, semantic := totals(t, store, "tea")
		assert.Equal(t, [2]int{records, records}, [2]int{keyword, semantic})
		require.NoError(t, store.Close())
	}
}

// TestReindexingLater: a failure is logged. Close does not wait for the next attempt.
func TestReindexingLater(t *testing.T) {
	t.Parallel()
	path := fileOfVersion5(t, 1)
	file, err := newFile(path, Options{BusyTimeout: time.Minute})
	require.NoError(t, err)
	require.NoError(t, file.prepare(t.Context()))
	db, err := file.connect(writing)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE") // other writers wait
	require.NoError(t, err)
	var logged syncbuffer.Buffer
	store, err := Open(t.Context(), path, &Options{BusyTimeout: time.Millisecond, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(logged.String(), "indexing records") }, time.Minute, time.Millisecond)
	require.NoError(t, store.Close())
}
