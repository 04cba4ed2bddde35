package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// loadFields are the fields of the head that Load reads.
var loadFields = []string{
	"revision", "first", "next", "tokens", "window", "updated", "expires", "due", "format", "head",
}

// maxReadings limits how often Load reads a session that changes while it is being read. One
// attempt suffices unless the server runs other commands between those of a pipeline.
const maxReadings = 100

// Load implements driver.Store.
//
// It does not use a script, which would block the server several times as long for a large
// session, nor a transaction, which a full server rejects.
func (s *Store) Load(ctx context.Context, key driver.Key, last int) (*driver.StoredSession, error) {
	if err := errors.Join(s.checkOpen(ctx), key.Check()); err != nil {
		return nil, err
	}
	if err := s.reserve(ctx, key, last); err != nil {
		return nil, err
	}
	for range maxReadings {
		r, err := s.read(ctx, key, last)
		if err != nil {
			return nil, err
		}
		if r.consistent() {
			return r.record(key)
		}
	}
	return nil, fmt.Errorf("redisstore: load: %w: too many concurrent changes", driver.ErrUnavailable)
}

// reserve asks for the memory of a session, in a round trip of its own. Redis knows the size of a
// list, but not of a part of it, so it asks for all messages if any are to be read, and for three
// times the size, since bodies are copied from the reply. If the server does not
// report the size, it asks for the head alone.
func (s *Store) reserve(ctx context.Context, key driver.Key, last int) error {
	reserve := driver.ReserveFrom(ctx)
	if reserve == nil {
		return nil
	}
	keys := s.layout.session(key, "")
	var head, messages *redis.IntCmd
	_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		head = p.HStrLen(ctx, keys[0], "head")
		if last != 0 {
			messages = p.MemoryUsage(ctx, keys[1], 0) // 0: all of the list's nodes count
		}
		return nil
	})
	if err != nil && !isServerError(err) { // also that of a missing list
		return s.failed(ctx, "load", err)
	}
	size := head.Val()
	if messages != nil {
		size += messages.Val()
	}
	return reserve(s, 3*size)
}

// reading holds the replies for one session.
type reading struct {
	head, headAfter *redis.SliceCmd
	exists, length  *redis.IntCmd
	messages        *redis.StringSliceCmd // nil if none were requested
}

// read reads the head before and after the messages, in one round trip.
func (s *Store) read(ctx context.Context, key driver.Key, last int) (*reading, error) {
	keys := s.layout.session(key, "")
	var r reading
	_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		r.head = p.HMGet(ctx, keys[0], loadFields...)
		r.exists = p.Exists(ctx, keys[0])
		r.length = p.LLen(ctx, keys[1])
		switch {
		case last < 0:
			r.messages = p.LRange(ctx, keys[1], 0, -1)
		case last > 0:
			r.messages = p.LRange(ctx, keys[1], int64(-last), -1)
		}
		r.headAfter = p.HMGet(ctx, keys[0], "revision", "first", "next")
		return nil
	})
	switch {
	case err == nil, r.exists.Err() == nil && r.exists.Val() == 0 && r.head.Err() == nil:
		return &r, nil
	case redis.HasErrorPrefix(r.head.Err(), wrongType):
		return nil, damaged(key, "head", "not a hash")
	case redis.HasErrorPrefix(r.length.Err(), wrongType):
		return nil, damaged(key, "messages", "not a list")
	}
	return nil, s.failed(ctx, "load", err)
}

// consistent reports whether the session did not change between the two reads of its head.
// Each change of the messages changes one of the compared fields.
func (r *reading) consistent() bool {
	there := r.head.Val()[0] != nil
	return slices.Equal(r.head.Val()[:3], r.headAfter.Val()) && (r.exists.Val() > 0 || !there)
}

func (r *reading) record(key driver.Key) (*driver.StoredSession, error) {
	if r.exists.Val() == 0 {
		return nil, fmt.Errorf("redisstore: load: %w", driver.ErrNotFound)
	}
	record, err := parseHead(key, r.head.Val())
	if err != nil {
		return nil, err
	}
	if uint64(r.length.Val()) != record.Next-record.First {
		return nil, damaged(key, "messages", "number differs from the head")
	}
	if r.messages != nil {
		if record.Messages, err = parseMessages(key, record.Next, r.messages.Val()); err != nil {
			return nil, err
		}
	}
	return record, nil
}

// parseHead parses the values of loadFields.
func parseHead(key driver.Key, fields []any) (*driver.StoredSession, error) {
	values := make([]string, 0, len(fields))
	for i, field := range fields {
		if value, ok := field.(string); ok {
			values = append(values, value)
		} else if loadFields[i] == "due" {
			values = append(values, "0") // sessions of earlier versions have no such field
		}
	}
	if len(values) != len(loadFields) {
		return nil, damaged(key, "head", "missing fields")
	}
	n := len(positionFields)
	at, err := parsePosition(values[:n])
	if err != nil {
		return nil, damaged(key, "head", err.Error())
	}
	format, err := strconv.Atoi(values[n])
	if err != nil {
		return nil, damaged(key, "head", "format is not a number")
	}
	return &driver.StoredSession{Position: at, Format: format, Head: []byte(values[n+1])}, nil
}

// parseMessages parses the last messages of a session, which end before the number next.
func parseMessages(key driver.Key, next uint64, elements []string) ([]driver.StoredMessage, error) {
	messages := make([]driver.StoredMessage, len(elements))
	for i, e := range elements {
		seq := next - uint64(len(elements)) + uint64(i)
		m, ok := parseElement(e)
		if !ok {
			return nil, damaged(key, fmt.Sprintf("message %d", seq), "malformed")
		}
		m.Seq = seq
		messages[i] = m
	}
	return messages, nil
}
