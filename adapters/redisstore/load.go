package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// loadFields are the fields of the head that Load reads.
var loadFields = []string{
	"revision", "first", "next", "tokens", "window", "updated", "expires", "format", "head",
}

// Load implements session.Store.
func (s *Store) Load(ctx context.Context, key session.Key, last int) (*session.Record, error) {
	if err := errors.Join(s.begin(ctx), key.Check()); err != nil {
		return nil, err
	}
	keys := s.layout.session(key)
	var (
		head     *redis.SliceCmd
		exists   *redis.IntCmd
		length   *redis.IntCmd
		messages *redis.StringSliceCmd
	)
	_, err := s.client.TxPipelined(ctx, func(tx redis.Pipeliner) error {
		head = tx.HMGet(ctx, keys[0], loadFields...)
		exists = tx.Exists(ctx, keys[0])
		length = tx.LLen(ctx, keys[1])
		switch {
		case last < 0:
			messages = tx.LRange(ctx, keys[1], 0, -1)
		case last > 0:
			messages = tx.LRange(ctx, keys[1], int64(-last), -1)
		}
		return nil
	})
	switch {
	case err == nil:
	case redis.HasErrorPrefix(head.Err(), wrongType):
		return nil, damaged(key, "head", "not a hash")
	case redis.HasErrorPrefix(length.Err(), wrongType):
		return nil, damaged(key, "messages", "not a list")
	default:
		return nil, s.failed(ctx, "load", err)
	}
	if exists.Val() == 0 {
		return nil, fmt.Errorf("redisstore: load: %w", session.ErrNotFound)
	}
	record, err := parseHead(key, head.Val())
	if err != nil {
		return nil, err
	}
	if uint64(length.Val()) != record.Next-record.First {
		return nil, damaged(key, "messages", "their number is not what the head says")
	}
	if messages != nil {
		record.Messages, err = parseMessages(key, record.Next, messages.Val())
	}
	return record, err
}

func parseHead(key session.Key, fields []any) (*session.Record, error) {
	values := make([]string, 0, len(fields))
	for _, field := range fields {
		if value, ok := field.(string); ok {
			values = append(values, value)
		}
	}
	if len(values) != len(loadFields) {
		return nil, damaged(key, "head", "fields are missing")
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
	return &session.Record{Position: at, Format: format, Head: []byte(values[n+1])}, nil
}

// parseMessages reads the last messages of a session, before the number next.
func parseMessages(key session.Key, next uint64, elements []string) ([]session.StoredMessage, error) {
	messages := make([]session.StoredMessage, len(elements))
	for i, e := range elements {
		seq := next - uint64(len(elements)) + uint64(i)
		m, ok := parseElement(e)
		if !ok {
			return nil, damaged(key, fmt.Sprintf("message %d", seq), "cannot be read")
		}
		m.Seq = seq
		messages[i] = m
	}
	return messages, nil
}
