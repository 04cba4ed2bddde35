package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

const (
	// chunkBytes is the size of all chunks of a result but the last. result.lua has it too.
	chunkBytes = 64 << 10
	// portion is the number of chunks in a command, so that none takes long.
	portion = 16
)

// PutResult implements driver.ResultStore. It sends the content in portions of 1 MiB, which Redis
// keeps apart until the last call adds the result.
func (s *Store) PutResult(ctx context.Context, key driver.Key, r driver.StoredResult, limit int64) error {
	if err := errors.Join(s.checkOpen(ctx), key.Check(), r.Check(limit)); err != nil {
		return err
	}
	keys := s.layout.results(key, r.Kind, rand.Text())
	chunks := slices.Collect(slices.Chunk(r.Content, chunkBytes))
	for first := 0; first < len(chunks); first += portion {
		args := []any{first}
		for _, chunk := range chunks[first:min(first+portion, len(chunks))] {
			args = append(args, chunk)
		}
		if err := s.runResult(ctx, key, s.scripts.stage, []string{keys[0], keys[3]}, args); err != nil {
			return err
		}
	}
	return s.runResult(ctx, key, s.scripts.result, keys, []any{
		r.ID, r.Meta, r.CreatedAt.UnixMilli(), len(r.Content), len(chunks), driver.MaxResults, limit,
	})
}

// runResult runs a script that puts a result.
func (s *Store) runResult(ctx context.Context, key driver.Key, script *redis.Script, keys []string, args []any) error {
	const op = "put result"
	reply, err := s.run(ctx, op, script, keys, args...)
	switch {
	case errors.Is(err, errWrongType):
		return damaged(key, "results", "a key holds another type")
	case err != nil:
		return err
	case reply[0] == "ok":
		return nil
	case reply[0] == "missing":
		return fmt.Errorf("redisstore: %s: %w", op, driver.ErrNotFound)
	case reply[0] == "lost":
		return fmt.Errorf("redisstore: %s: %w: the content has expired", op, driver.ErrUnavailable)
	case reply[0] == "damaged" && len(reply) == 3:
		return damaged(key, reply[1], reply[2])
	}
	return unexpected(op)
}

// Results implements driver.ResultStore. Before it reads, it asks for the memory of all results
// without contents.
func (s *Store) Results(ctx context.Context, key driver.Key, kind driver.ResultKind) ([]driver.ResultInfo, error) {
	if err := errors.Join(s.checkOpen(ctx), key.Check()); err != nil {
		return nil, err
	}
	keys := s.layout.results(key, kind, "")
	if reserve := driver.ReserveFrom(ctx); reserve != nil {
		size, err := s.client.MemoryUsage(ctx, keys[1], 0).Result()
		if err != nil && !isServerError(err) { // also that of a missing hash
			return nil, s.failed(ctx, "list results", err)
		}
		if err := reserve(s, 2*size); err != nil {
			return nil, err
		}
	}
	exists, fields, err := whileThere(ctx, s, keys[0], "list results", func(p redis.Pipeliner) *redis.MapStringStringCmd {
		return p.HGetAll(ctx, keys[1])
	})
	if errors.Is(err, errWrongType) {
		return nil, damaged(key, "results", "not a hash")
	}
	if err != nil || !exists {
		return nil, err
	}
	return parseResults(key, kind, fields.Val())
}

// whileThere runs a command and reports whether the session exists.
func whileThere[C redis.Cmder](ctx context.Context, s *Store, head, op string, command func(p redis.Pipeliner) C) (bool, C, error) {
	var exists *redis.IntCmd
	var c C
	_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		exists = p.Exists(ctx, head)
		c = command(p)
		return nil
	})
	if redis.HasErrorPrefix(c.Err(), wrongType) {
		return false, c, errWrongType
	}
	if err != nil {
		return false, c, s.failed(ctx, op, err)
	}
	return exists.Val() > 0, c, nil
}

// parseResults parses the fields of the hash of results: "number size time meta" by id, and one
// without an id that only result.lua uses.
func parseResults(key driver.Key, kind driver.ResultKind, fields map[string]string) ([]driver.ResultInfo, error) {
	type numbered struct {
		driver.ResultInfo
		number int64
	}
	all := make([]numbered, 0, len(fields))
	for id, value := range fields {
		if id == "" {
			continue
		}
		parts := strings.SplitN(value, " ", 4)
		if len(parts) != 4 {
			return nil, damaged(key, "results", "malformed")
		}
		var numbers [3]int64
		for i := range numbers {
			var err error
			if numbers[i], err = strconv.ParseInt(parts[i], 10, 64); err != nil {
				return nil, damaged(key, "results", "malformed")
			}
		}
		info := driver.ResultInfo{Kind: kind, ID: id, Size: numbers[1], Meta: []byte(parts[3]), CreatedAt: time.UnixMilli(numbers[2]).UTC()}
		all = append(all, numbered{info, numbers[0]})
	}
	slices.SortFunc(all, func(a, b numbered) int { return int(a.number - b.number) })
	infos := make([]driver.ResultInfo, len(all))
	for i := range all {
		infos[i] = all[i].ResultInfo
	}
	return infos, nil
}

// ReadResult implements driver.ResultStore. It takes a round trip for each MiB.
func (s *Store) ReadResult(ctx context.Context, key driver.Key, kind driver.ResultKind, id string, p []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, driver.ErrOffset
	}
	if err := errors.Join(s.checkOpen(ctx), key.Check()); err != nil {
		return 0, err
	}
	if reserve := driver.ReserveFrom(ctx); reserve != nil {
		if err := reserve(s, 2*int64(len(p))); err != nil {
			return 0, err
		}
	}
	for {
		part := p[n:min(n+portion*chunkBytes, len(p))]
		size, err := s.readPart(ctx, key, kind, id, part, offset+int64(n))
		if err != nil {
			return 0, err
		}
		read, end := driver.ResultRange(part, offset+int64(n), size)
		if n += read; end != nil || n == len(p) {
			return n, end
		}
	}
}

// readPart reads a part of a result and returns the size of the result. One command reads both, so
// that they belong together.
func (s *Store) readPart(ctx context.Context, key driver.Key, kind driver.ResultKind, id string, p []byte, offset int64) (int64, error) {
	keys := s.layout.results(key, kind, "")
	offset = min(offset, driver.MaxResultBytes) // no result has more
	first, skip := offset/chunkBytes, int(offset%chunkBytes)
	fields := []string{"size " + id}
	for n := first; n*chunkBytes < offset+int64(len(p)); n++ {
		fields = append(fields, strconv.FormatInt(n, 10)+" "+id)
	}
	exists, values, err := whileThere(ctx, s, keys[0], "read result", func(p redis.Pipeliner) *redis.SliceCmd {
		return p.HMGet(ctx, keys[2], fields...)
	})
	switch {
	case errors.Is(err, errWrongType):
		return 0, damaged(key, "results", "not a hash")
	case err != nil:
		return 0, err
	case !exists || values.Val()[0] == nil:
		return 0, fmt.Errorf("redisstore: read result: %w", driver.ErrNotFound)
	}
	text, _ := values.Val()[0].(string)
	size, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, damaged(key, "results", "size is not a number")
	}
	n := 0
	for i, value := range values.Val()[1:] {
		chunk, _ := value.(string)
		if want := min(max(size-(first+int64(i))*chunkBytes, 0), chunkBytes); int64(len(chunk)) != want {
			return 0, damaged(key, "results", "missing content")
		}
		n += copy(p[n:], chunk[min(skip, len(chunk)):])
		skip = 0
	}
	return size, nil
}
