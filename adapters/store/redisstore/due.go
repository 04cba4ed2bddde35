package redisstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// The index treats due times like expiries:
//
//   - The due time in the index is never later than that of the session. It may be earlier,
//     and exist for a session that is not due. Due checks the session when that time comes.
//   - The head's field "listed" is never earlier than the time in the index. A write that
//     sets no earlier due time, or none, need not update the index.

// Due implements driver.Store. It checks each session that it returns.
func (s *Store) Due(ctx context.Context, by time.Time, limit int) ([]driver.Key, error) {
	if err := s.checkOpen(ctx); err != nil || limit < 1 {
		return nil, err
	}
	until, read := boundedMillis(by), limit
	for range maxRounds {
		found, err := s.dueCandidates(ctx, until, read)
		if err != nil {
			return nil, err
		}
		keys, complete, err := dueKeys(found, until, read)
		if err != nil {
			return nil, err
		}
		err = s.correctIndex(ctx, found)
		switch {
		case complete: // the keys are right even if correcting the index failed
			return slices.Clip(keys[:min(limit, len(keys))]), nil
		case err != nil:
			return nil, err
		}
		// Many sessions that are no longer due may come first.
		if read < mostRead {
			read = min(2*read, mostRead)
		}
	}
	return nil, fmt.Errorf("redisstore: due: %w: too many concurrent changes", driver.ErrUnavailable)
}

// mostRead limits how many sessions Due checks at once.
const mostRead = 1000

// dueCandidates reads the states of the marked sessions, and of the first ones that are due
// according to the index.
func (s *Store) dueCandidates(ctx context.Context, until int64, limit int) ([]finding, error) {
	reply, err := s.run(ctx, "due", s.scripts.due, s.layout.index(), until, limit)
	if err != nil {
		return nil, err
	}
	if reply[0] != "ok" || len(reply)%3 != 1 {
		return nil, unexpected("due")
	}
	var found []finding
	for part := range slices.Chunk(reply[1:], 3) {
		found = append(found, finding{kind: part[0], key: part[1], stamp: part[2]})
	}
	if len(found) == 0 {
		return nil, nil
	}
	return found, s.readStates(ctx, found)
}

// dueKeys returns the keys of the due sessions, the earliest first. It is not complete if an
// unread session may be due before one whose time in the index is too early.
func dueKeys(found []finding, until int64, read int) (keys []driver.Key, complete bool, err error) {
	times := map[driver.Key]int64{}
	listed, stale := 0, false
	for _, f := range found {
		if f.kind == "due" {
			listed++
			stale = stale || f.isStale()
		}
		due, ok := f.dueTime()
		if !ok || due > until {
			continue
		}
		key, err := driver.ParseKey(f.key)
		if err != nil {
			return nil, false, fmt.Errorf("redisstore: due: damaged index: %w", err)
		}
		if _, twice := times[key]; !twice {
			keys = append(keys, key)
		}
		times[key] = due
	}
	if stale && listed >= read {
		return nil, false, nil
	}
	slices.SortStableFunc(keys, func(a, b driver.Key) int { return int(max(min(times[a]-times[b], 1), -1)) })
	return keys, true, nil
}

// unreadable is the due time of a damaged session. The time in the index is used instead.
const unreadable = "?"

// dueTime returns the due time of a session, if it has one.
func (f *finding) dueTime() (due int64, ok bool) {
	text := f.due
	if text == unreadable && f.kind == "due" {
		text = f.stamp
	}
	due, err := strconv.ParseInt(text, 10, 64)
	return due, err == nil && due != 0 && f.live == "1"
}

// isStale reports whether the index has another due time than the session.
func (f *finding) isStale() bool {
	return f.live != "1" || f.due != f.stamp && f.due != unreadable
}

// correctIndex updates the entries of the index that are stale or marked.
func (s *Store) correctIndex(ctx context.Context, found []finding) error {
	var marked []finding
	var stale []any
	for _, f := range found {
		if f.kind == "pending" {
			marked = append(marked, f)
		} else if f.isStale() {
			stale = append(stale, f.key)
		}
	}
	if len(stale) > 0 {
		stamps, err := s.run(ctx, "due", s.scripts.stamp, s.layout.index(), stale...)
		if err != nil {
			return err
		}
		if len(stamps) != len(stale) {
			return unexpected("due")
		}
		stamped := make([]finding, len(stale))
		for i, stamp := range stamps {
			stamped[i] = finding{kind: "pending", key: stale[i].(string), stamp: stamp}
		}
		// The states that were read before the stamps may be outdated.
		if err := s.readStates(ctx, stamped); err != nil {
			return err
		}
		marked = append(marked, stamped...)
	}
	if len(marked) == 0 {
		return nil
	}
	_, err := s.runList(ctx, "due", nothing, "", marked)
	return err
}

// latestDue is the latest due time in milliseconds, about the year 33658. Numbers in scripts
// have 53 bits.
const latestDue = 1e15

func boundedMillis(t time.Time) int64 {
	if t.Year() > 9999 {
		return latestDue
	}
	return max(t.UnixMilli(), -latestDue)
}

// dueMillis returns a due time in milliseconds for the scripts, where 0 means not due. The
// epoch itself becomes 1.
func dueMillis(due time.Time) int64 {
	if due.IsZero() {
		return 0
	}
	if ms := boundedMillis(due); ms != 0 {
		return ms
	}
	return 1
}
