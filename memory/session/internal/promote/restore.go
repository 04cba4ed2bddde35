package promote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
)

// Rebuilds reports whether expired sessions are rebuilt from long-term memory.
func (j *Job) Rebuilds() bool { return j.WantsAny().Messages }

// Messages returns the kept messages of a session, decoded and as a write stores them. Of
// messages with the same id it returns the first.
func (j *Job) Messages(ctx context.Context, key driver.Key) (messages []driver.Message, stored []driver.StoredMessage, err error) {
	err = j.call(ctx, "rebuilding", func(ctx context.Context) (err error) {
		messages, err = j.LongTerm.Messages(ctx, key)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	messages = withoutDuplicates(nil, head.Clone(messages))
	extracted := j.WantsAny().Extract
	for i := range messages {
		// Memories were extracted from kept messages before.
		messages[i].Extracted = messages[i].Extracted || extracted
		messages[i].Seq = uint64(i) + 1
	}
	if stored, err = head.EncodeMessages(messages, j.Counter, j.Now()); err != nil {
		return nil, nil, fmt.Errorf("session: rebuilding: %w", err)
	}
	return messages, stored, nil
}

// withoutDuplicates appends the messages whose ids are new to others.
func withoutDuplicates(others, messages []driver.Message) []driver.Message {
	known := make(map[string]bool, len(others)+len(messages))
	for i := range others {
		known[others[i].ID] = true
	}
	for i := range messages {
		id := messages[i].ID
		if id == "" || !known[id] {
			others = append(others, messages[i])
		}
		known[id] = true
	}
	return others
}

// Restored is the result of Restore.
type Restored struct {
	At driver.Position
	// Messages are those that were restored.
	Messages []driver.Message
}

// Restore restores the kept messages of an expired session: it creates the session, with a
// TTL and a window, or puts the messages before those appended to an unrestored session. It
// does nothing for other sessions. The restored messages are marked as promoted.
func (j *Job) Restore(ctx context.Context, key driver.Key, ttl time.Duration, window int64) (done Restored, err error) {
	err = head.Retry(ctx, func() error {
		h, err := j.Sessions.Load(ctx, key, -1)
		missing := errors.Is(err, driver.ErrNotFound)
		switch {
		case missing:
			h = &head.Head{CreatedAt: j.Now()}
		case err != nil:
			return err
		case !h.Promotion.Unrestored:
			return nil
		default:
			ttl, window = 0, 0
		}
		messages, stored, err := j.Messages(ctx, key)
		if err != nil || missing && len(messages) == 0 {
			return err
		}
		w := &driver.Write{TTL: ttl, Window: window}
		if err := j.restoring(h, w, messages, stored); err != nil {
			return err
		}
		if err := j.Sessions.Swap(ctx, key, "restoring", h, w); err != nil {
			return err
		}
		done = Restored{At: h.At, Messages: messages}
		return nil
	})
	return done, err
}

// restoring fills in the Write of Restore.
func (j *Job) restoring(h *head.Head, w *driver.Write, messages []driver.Message, stored []driver.StoredMessage) error {
	w.If.Next, w.Now = h.At.Next, h.At.UpdatedAt
	if h.At.Revision == 0 {
		w.Now, h.TTL = j.Now(), max(w.TTL, 0)
	}
	pr := &h.Promotion
	pr.Unrestored = false
	if len(messages) == 0 {
		return nil
	}
	present := withoutDuplicates(messages[:len(messages):len(messages)], h.Marked())[len(messages):]
	again, err := head.EncodeMessages(present, j.Counter, w.Now)
	if err != nil {
		return err
	}
	w.DropBefore, w.Messages = h.At.Next, append(stored, again...)
	behind := max(h.At.Next, 1) + uint64(len(messages))
	pr.Kept, pr.KeptAt = behind, j.Now().Truncate(time.Millisecond)
	if j.WantsAny().Extract {
		pr.Extracted = behind
	}
	return nil
}

// DeleteMessages removes the messages of a deleted session from long-term memory, so that it
// is not rebuilt: all, or those of the session that was created at a time.
func (j *Job) DeleteMessages(ctx context.Context, key driver.Key, made time.Time) error {
	if !j.Rebuilds() {
		return nil
	}
	return j.call(ctx, "deleting kept messages", func(ctx context.Context) error {
		return j.LongTerm.DeleteMessages(ctx, key, made)
	})
}
