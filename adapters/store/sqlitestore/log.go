package sqlitestore

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

const (
	// maxLog is how long the write-ahead log may get, in bytes. SQLite lets it begin
	// anew in a moment in which nobody reads it, which does not come by itself where
	// there are always some who read: it would grow for ever.
	maxLog = 64 << 20
	// logWait is how long writers stand still at most until those who read have
	// moved on.
	logWait = time.Second
)

// log is the write-ahead log.
type log struct {
	path string
	most int64 // maxLog
	// again is the length at which the next attempt is made, if the last one failed.
	again int64
}

// logOf is the log of a file that is there. SQLite has it beside the file that a link
// points to.
func logOf(path string) log {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return log{path: path + "-wal", most: maxLog}
}

// trim empties a log that has grown. Who reads meanwhile does not wait. If a reader
// takes long, the log may grow once more as long before the next attempt.
func (w *writer) trim(ctx context.Context) {
	info, err := os.Stat(w.log.path)
	if err != nil || info.Size() <= max(w.log.most, w.log.again) || w.conn == nil {
		return
	}
	w.log.again = info.Size() + w.log.most
	for start := time.Now(); time.Since(start) < logWait; {
		free, err := w.conn.checkpoint(context.WithoutCancel(ctx))
		if err != nil {
			w.drop() // the next one who writes will see whether it is of lasting harm
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

// checkpoint moves the log into the file and empties it. It reports false where
// others still need the log.
func (c *connection) checkpoint(ctx context.Context) (free bool, err error) {
	stmt, err := c.stmt(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	if err != nil {
		return false, err
	}
	var busy, frames, moved int
	err = stmt.QueryRowContext(ctx).Scan(&busy, &frames, &moved)
	return busy == 0, err
}
