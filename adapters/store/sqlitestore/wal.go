package sqlitestore

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

const (
	// maxLog limits the write-ahead log, in bytes. SQLite restarts the log only at a moment
	// without readers, so under continuous reads it would grow without bound.
	maxLog = 64 << 20
	// logWait limits how long writers wait for readers to finish with the log.
	logWait = time.Second
)

// log is the write-ahead log.
type log struct {
	path string
	most int64 // maxLog
	// again is the length for the next attempt, if the last one failed.
	again int64
}

// logOf returns the log of an existing file. SQLite creates it beside the target of a link.
func logOf(path string) log {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return log{path: path + "-wal", most: maxLog}
}

// trim empties a log that is too long. Readers do not wait. If a reader takes too long, the log
// may grow by the limit before the next attempt.
func (w *writer) trim(ctx context.Context) {
	info, err := os.Stat(w.log.path)
	if err != nil || info.Size() <= max(w.log.most, w.log.again) || w.conn == nil {
		return
	}
	w.log.again = info.Size() + w.log.most
	for start := time.Now(); time.Since(start) < logWait; {
		free, err := w.conn.checkpoint(context.WithoutCancel(ctx))
		if err != nil {
			w.drop() // the next write finds out whether the failure is permanent
			return
		}
		if free {
			w.log.again = 0
			return
		}
		if !sleep(ctx, longestPause, w.closed) {
			return
		}
	}
}

// checkpoint moves the log into the file and empties it. It returns false if readers still need
// the log.
func (c *connection) checkpoint(ctx context.Context) (free bool, err error) {
	stmt, err := c.stmt(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	if err != nil {
		return false, err
	}
	var busy, frames, moved int
	err = stmt.QueryRowContext(ctx).Scan(&busy, &frames, &moved)
	return busy == 0, err
}
