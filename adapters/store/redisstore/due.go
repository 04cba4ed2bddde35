package redisstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Of the sessions that are due, the index has the same as of expiries:
//
//   - It may take a session to be due earlier than it is, or though it is not, never
//     later. When that time has come, Due looks at the session.
//   - The head's field "listed" is never earlier than what the index has: a write that
//     makes the session due no earlier than that, or not due, need not tell the index.

// Due implements driver.Store. It looks at each session that it returns.
func (s *Store) Due(ctx context.Context, by time.Time, limit int) ([]driver.Key, error) {
	if err := s.begin(ctx); err != nil || limit < 1 {
		return nil, err
	}
	until, read := boundedMillis(by), limit
	for range maxRounds {
		found, err := s.maybeDue(ctx, until, read)
		if err != nil {
			return nil, err
		}
		keys, whole, err := dueOf(found, until, read)
		if err != nil {
			return nil, err
		}
		err = s.correct(ctx, found)
		switch {
		case whole: // what was seen is right, also if the index cannot be told
			return slices.Clip(keys[:min(limit, len(keys))]), nil
		case err != nil:
			return nil, err
		}
		// Many that are not due may lie in front.
		if read < mostRead {
			read = min(2*read, mostRead)
		}
	}
	return nil, fmt.Errorf("redisstore: due: %w: sessions change too fast", driver.ErrUnavailable)
}

// mostRead is how many sessions Due looks at to return fewer.
const mostRead = 1000

// maybeDue looks at the sessions that are marked in the index, and at the first ones
// that it takes to be due.
func (s *Store) maybeDue(ctx context.Context, until int64, limit int) ([]finding, error) {
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

// dueOf returns those that are due, the earliest first. It is not whole if there may be
// others, behind the ones that were read, before some that are due later than the index
// says.
func dueOf(found []finding, until int64, read int) (keys []driver.Key, whole bool, err error) {
	times := map[driver.Key]int64{}
	listed, stale := 0, false
	for _, f := range found {
		if f.kind == "due" {
			listed++
			stale = stale || f.isStale()
		}
		due, is := f.isDue()
		if !is || due > until {
			continue
		}
		key, err := driver.ParseKey(f.key)
		if err != nil {
			return nil, false, fmt.Errorf("redisstore: due: the index is damaged: %w", err)
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

// unreadable is the due time of a session that is damaged so much that its own cannot
// be read: then it is what the index says.
const unreadable = "?"

// isDue returns when a session is due, if it is.
func (f *finding) isDue() (due int64, is bool) {
	text := f.due
	if text == unreadable && f.kind == "due" {
		text = f.stamp
	}
	due, err := strconv.ParseInt(text, 10, 64)
	return due, err == nil && due != 0 && f.live == "1"
}

// isStale reports whether the index takes the session to be due at another time.
func (f *finding) isStale() bool {
	return f.live != "1" || f.due != f.stamp && f.due != unreadable
}

// correct tells the index what was found out, where it has something else or is in
// doubt.
func (s *Store) correct(ctx context.Context, found []finding) error {
	var doubtful []finding
	var stale []any
	for _, f := range found {
		if f.kind == "pending" {
			doubtful = append(doubtful, f)
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
		// What was seen before the stamp says nothing of what came about behind it.
		if err := s.readStates(ctx, stamped); err != nil {
			return err
		}
		doubtful = append(doubtful, stamped...)
	}
	if len(doubtful) == 0 {
		return nil
	}
	_, err := s.runList(ctx, "due", nothing, "", doubtful)
	return err
}

// latestDue is, in milliseconds, the end of the times that sessions are due at, far
// behind all that are meant: the scripts have numbers of 53 bits.
const latestDue = 1e15

func boundedMillis(t time.Time) int64 {
	if t.Year() > 9999 {
		return latestDue
	}
	return max(t.UnixMilli(), -latestDue)
}

// dueMillis is when a session is due, as the scripts take it. 0 says that it is not: the
// one moment that is 0 counts as the next.
func dueMillis(due time.Time) int64 {
	if due.IsZero() {
		return 0
	}
	if ms := boundedMillis(due); ms != 0 {
		return ms
	}
	return 1
}
