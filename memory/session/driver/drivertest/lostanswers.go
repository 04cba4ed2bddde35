package drivertest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// eachAnswer calls try for each answer of a call, which is lost: first only that one, then
// that one with all after it. try makes the call between lose and heal, and checks its
// effects.
func (f *faults) eachAnswer(ctx context.Context, try func(lose func(), heal func() error) error) error {
	for _, every := range []bool{false, true} {
		for n := 1; ; n++ {
			if n > losses {
				return fmt.Errorf("a call of more than %d answers", losses)
			}
			if err := f.recovers(ctx); err != nil { // it also fills the store's connection pool
				return err
			}
			var lost bool
			err := try(func() { f.proxy.LoseAnswer(n, every) }, func() error {
				lost = f.proxy.Lost()
				return f.proxy.Heal()
			})
			if err != nil {
				return fmt.Errorf("answer %d is lost (and all after it: %t): %w", n, every, err)
			}
			if !lost { // the call had fewer answers
				break
			}
		}
	}
	return nil
}

// loseAppends loses answers to appends, and repeats the appends.
func loseAppends(ctx context.Context, f *faults) error {
	err := f.eachAnswer(ctx, func(lose func(), heal func() error) error {
		before, err := f.store.Load(ctx, f.key, 0)
		if err != nil {
			return err
		}
		ids := []string{rand.Text(), rand.Text()}
		var added int
		lose()
		result, late := within(ctx, unsure, f.slack, func(ctx context.Context) error {
			_, n, err := f.store.Append(ctx, f.key, faultAppend(ids...))
			added = n
			return err
		})
		if err := errors.Join(late, heal()); err != nil {
			return err
		}
		switch {
		case result == nil && added != len(ids):
			return fmt.Errorf("the store reported %d of %d messages as added", added, len(ids))
		case result != nil:
			if err := unavailable(result); err != nil {
				return err
			}
			if err := f.recovers(ctx); err != nil {
				return err
			}
			if err := f.appendOnce(ctx, ids...); err != nil {
				return fmt.Errorf("repeating: %w", err)
			}
		}
		return f.requireOnce(ctx, before.Revision, ids)
	})
	if err != nil {
		return err
	}
	return checkRecord(ctx, f.store, f.key)
}

// requireOnce returns an error unless each id is there once, in the same session.
func (f *faults) requireOnce(ctx context.Context, revision uint64, ids []string) error {
	r, err := f.store.Load(ctx, f.key, -1)
	if err != nil {
		return err
	}
	if r.Revision != revision {
		return fmt.Errorf("the session of revision %d has revision %d", revision, r.Revision)
	}
	for _, id := range ids {
		if n := countID(r, id); n != 1 {
			return fmt.Errorf("message %s is there %d times", id, n)
		}
	}
	return nil
}

func countID(r *driver.StoredSession, id string) int {
	n := 0
	for _, m := range r.Messages {
		if m.ID == id {
			n++
		}
	}
	return n
}

// outcome checks the effects of a write whose answer was lost.
type outcome struct {
	result error
	// before is the session before the write, nil if it did not exist.
	before *driver.StoredSession
	head   string
	ids    []string
}

// check returns an error unless the write was done or not done as a whole.
func (o *outcome) check(ctx context.Context, f *faults) error {
	if o.result != nil {
		if err := unavailable(o.result); err != nil {
			return err // a conflict, for instance, without another writer
		}
	}
	r, err := f.store.Load(ctx, f.key, -1)
	if errors.Is(err, driver.ErrNotFound) && o.before == nil && o.result != nil {
		return nil
	}
	if err != nil {
		return err
	}
	written := string(r.Head) == o.head
	for _, id := range o.ids {
		if n := countID(r, id); n > 1 || (n == 1) != written {
			return fmt.Errorf("the head was written: %t; a message of the same write is there %d times", written, n)
		}
	}
	switch {
	case o.result == nil && !written:
		return errors.New("the store acknowledged a write without doing it")
	case o.before == nil && !written:
		return fmt.Errorf("a new session has the head %s", r.Head)
	case o.before == nil:
		return nil
	case written && r.Revision != o.before.Revision+1, !written && r.Revision != o.before.Revision:
		return fmt.Errorf("revision %d became %d; the head was written: %t", o.before.Revision, r.Revision, written)
	}
	return nil
}

// loseWrites loses answers to writes of the head that add a message.
func loseWrites(ctx context.Context, f *faults) error {
	err := f.eachAnswer(ctx, func(lose func(), heal func() error) error {
		before, err := f.store.Load(ctx, f.key, -1)
		if err != nil {
			return err
		}
		id := rand.Text()
		o := outcome{before: before, head: `{"head":"` + id + `"}`, ids: []string{id}}
		return f.write(ctx, &o, before.Revision, lose, heal)
	})
	if err != nil {
		return err
	}
	return checkRecord(ctx, f.store, f.key)
}

// loseCreations loses answers to writes that create a session.
func loseCreations(ctx context.Context, f *faults) error {
	return f.eachAnswer(ctx, func(lose func(), heal func() error) error {
		if err := f.store.Delete(ctx, f.key, nil); err != nil {
			return err
		}
		id := rand.Text()
		o := outcome{head: `{"head":"` + id + `"}`, ids: []string{id}}
		return f.write(ctx, &o, 0, lose, heal)
	})
}

func (f *faults) write(ctx context.Context, o *outcome, revision uint64, lose func(), heal func() error) error {
	lose()
	var late error
	o.result, late = within(ctx, unsure, f.slack, func(ctx context.Context) error {
		_, err := f.store.Write(ctx, f.key, faultWrite(revision, o.head, o.ids...))
		return err
	})
	if err := errors.Join(late, heal()); err != nil {
		return err
	}
	if err := f.awake(ctx); err != nil {
		return err
	}
	return o.check(ctx, f)
}

// awake waits until the store can read again. It changes nothing.
func (f *faults) awake(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, f.patience)
	defer cancel()
	for {
		_, err := f.store.Load(ctx, f.key, 0)
		if err == nil || errors.Is(err, driver.ErrNotFound) {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the store does not recover: %w", err)
		}
	}
}

// loseDeletions loses answers to deletions on a condition that is met.
func loseDeletions(ctx context.Context, f *faults) error {
	return f.eachAnswer(ctx, func(lose func(), heal func() error) error {
		r, err := f.store.Load(ctx, f.key, 0)
		if err != nil {
			return err
		}
		lose()
		result, late := within(ctx, unsure, f.slack, func(ctx context.Context) error {
			return f.store.Delete(ctx, f.key, &driver.Condition{Revision: r.Revision, Next: r.Next})
		})
		if err := errors.Join(late, heal()); err != nil {
			return err
		}
		if err := f.awake(ctx); err != nil {
			return err
		}
		_, err = f.store.Load(ctx, f.key, 0)
		if result != nil {
			// Either outcome is possible, but not a conflict.
			return unavailable(result)
		}
		if !errors.Is(err, driver.ErrNotFound) {
			return errors.New("the store acknowledged a deletion without doing it")
		}
		page, err := f.store.List(ctx, driver.ListOptions{SessionID: &f.key.SessionID, Limit: -1})
		if err == nil && slices.Contains(page.Keys, f.key) {
			err = errors.New("a deleted session is in the list")
		}
		return err
	})
}
