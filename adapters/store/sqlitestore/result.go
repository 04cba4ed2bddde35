package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// PutResult implements driver.ResultStore. Other writers wait until the content is written.
func (s *Store) PutResult(ctx context.Context, key driver.Key, r driver.StoredResult, limit int64) error {
	if err := r.Check(limit); err != nil {
		return err
	}
	err := check(ctx, key, 0)
	if err == nil {
		err = s.writer.do(ctx, func(t *tx) error { return t.putResult(s.newCall(ctx, key), &r, limit) })
	}
	return s.failed(ctx, "adding a result", key, err)
}

func (t *tx) putResult(c *call, r *driver.StoredResult, limit int64) error {
	found, err := t.find(c.key, c.now)
	if err != nil {
		return err
	}
	if found == nil {
		return driver.ErrNotFound
	}
	there := false
	err = t.query(func(func(...any) error) error { there = true; return nil },
		`SELECT 1 FROM results WHERE session = ? AND kind = ? AND name = ?`, found.id, r.Kind, r.ID)
	if err != nil || there {
		return err
	}
	res, err := t.exec(`INSERT INTO results (session, kind, name, size, meta, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
		found.id, r.Kind, r.ID, len(r.Content), bytesOf(r.Meta), r.CreatedAt.UnixMilli())
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	if err := t.insertChunks(c.ctx, id, r.Content); err != nil {
		return err
	}
	return t.boundResults(found.id, r.Kind, limit)
}

// boundResults removes the oldest results of a kind of a session beyond the limits. Most have none,
// and counting is faster.
func (t *tx) boundResults(session int64, kind driver.ResultKind, limit int64) error {
	var count, sum int64
	err := t.query(func(scan func(...any) error) error { return scan(number(&count), number(&sum)) },
		`SELECT count(*), sum(size) FROM results WHERE session = ? AND kind = ?`, session, kind)
	if err != nil || count <= driver.MaxResults && sum <= limit {
		return err
	}
	_, err = t.exec(deleteExcess, session, kind, driver.MaxResults, limit)
	return err
}

func (t *tx) insertChunks(ctx context.Context, id int64, content []byte) error {
	for n := 0; len(content) > 0; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk := content[:min(chunkBytes, len(content))]
		if _, err := t.exec(`INSERT INTO chunks (result, n, content) VALUES (?, ?, ?)`, id, n, chunk); err != nil {
			return err
		}
		content = content[len(chunk):]
	}
	return nil
}

// Results implements driver.ResultStore.
func (s *Store) Results(ctx context.Context, key driver.Key, kind driver.ResultKind) ([]driver.ResultInfo, error) {
	err := check(ctx, key, 0)
	var infos []driver.ResultInfo
	if err == nil {
		infos, err = s.listResults(ctx, key, kind)
	}
	if err != nil {
		return nil, s.failed(ctx, "listing results", key, err)
	}
	return infos, nil
}

func (s *Store) listResults(ctx context.Context, key driver.Key, kind driver.ResultKind) (infos []driver.ResultInfo, err error) {
	rows, err := s.reader.results.QueryContext(ctx, key.String(), s.now(), kind)
	if err != nil {
		return nil, err
	}
	ask := driver.ReserveParts(ctx, s)
	err = forEach(rows, func(scan func(...any) error) error {
		r := driver.ResultInfo{Kind: kind}
		var created int64
		var meta content
		switch err := scan(&r.ID, number(&r.Size), number(&created), &meta); {
		case errors.Is(err, errNotNumber):
			return damagedResults(key, errNotNumber)
		case err != nil:
			return err
		}
		r.Meta, r.CreatedAt = meta, time.UnixMilli(created).UTC()
		infos = append(infos, r)
		return ask(2 * int64(len(r.ID)+len(r.Meta)))
	})
	return infos, err
}

func damagedResults(key driver.Key, err error) error {
	return &driver.DamagedError{Key: key, Part: "results", Err: err}
}

// ReadResult implements driver.ResultStore.
func (s *Store) ReadResult(ctx context.Context, key driver.Key, kind driver.ResultKind, id string, p []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, driver.ErrOffset
	}
	err = check(ctx, key, 0)
	if reserve := driver.ReserveFrom(ctx); reserve != nil && err == nil {
		err = reserve(s, 2*int64(len(p)))
	}
	var size int64
	if err == nil {
		n, size, err = s.readChunks(ctx, key, kind, id, p, offset)
	}
	want, end := driver.ResultRange(p, offset, size)
	switch {
	case err == nil && n != want:
		err = damagedResults(key, errMissing)
		fallthrough
	case err != nil:
		return 0, s.failed(ctx, "reading a result", key, err)
	}
	return n, end
}

// readChunks reads a part of a result as far as its chunks follow each other, and returns the size
// of the result.
func (s *Store) readChunks(ctx context.Context, key driver.Key, kind driver.ResultKind, id string, p []byte, offset int64) (n int, size int64, err error) {
	first := offset / chunkBytes
	last := first + (offset%chunkBytes+int64(len(p))-1)/chunkBytes
	rows, err := s.reader.chunks.QueryContext(ctx, key.String(), s.now(), id, first, last, kind)
	if err != nil {
		return 0, 0, err
	}
	there := false
	err = forEach(rows, func(scan func(...any) error) error {
		there = true
		var at sql.NullInt64
		var chunk sql.RawBytes
		switch err := scan(number(&size), optional(&at), &chunk); {
		case errors.Is(err, errNotNumber):
			return damagedResults(key, errNotNumber)
		case err != nil:
			return err
		}
		skip := offset + int64(n) - at.Int64*chunkBytes
		if at.Valid && skip >= 0 && skip < int64(len(chunk)) {
			n += copy(p[n:], chunk[skip:])
		}
		return nil
	})
	if err == nil && !there {
		err = driver.ErrNotFound
	}
	return n, size, err
}
