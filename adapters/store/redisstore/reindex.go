package redisstore

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
)

// Reindex rebuilds the index from the sessions and returns the number of corrected entries.
// Call it after the server has lost acknowledged writes: after a crash before they were on
// disk, after a restore, or when a replica that lagged behind took over. It reads the names of
// all keys of the server. It may run while the store is in use, and again if it fails.
func (s *Store) Reindex(ctx context.Context) (repaired int, err error) {
	if err := s.checkOpen(ctx); err != nil {
		return 0, err
	}
	var n atomic.Int64
	scan := func(ctx context.Context, server *redis.Client) error {
		return s.reindexScan(ctx, &n, func(cursor uint64) *redis.ScanCmd {
			return server.Scan(ctx, cursor, s.layout.head("*"), 1000)
		}, s.layout.parseHead)
	}
	switch client := s.client.(type) {
	case *redis.ClusterClient:
		err = client.ForEachMaster(ctx, scan)
	case *redis.Client:
		err = scan(ctx, client)
	default:
		err = s.reindexScan(ctx, &n, func(cursor uint64) *redis.ScanCmd {
			return client.Scan(ctx, cursor, s.layout.head("*"), 1000)
		}, s.layout.parseHead)
	}
	if err != nil {
		return int(n.Load()), err
	}
	isScore := true
	err = s.reindexScan(ctx, &n, func(cursor uint64) *redis.ScanCmd {
		return s.client.ZScan(ctx, s.layout.index()[byNamespace-1], cursor, "", 1000)
	}, func(member string) (string, bool) {
		isScore = !isScore // members and scores alternate
		return member, !isScore
	})
	return int(n.Load()), err
}

// reindexScan reindexes the sessions that a scan finds.
func (s *Store) reindexScan(ctx context.Context, n *atomic.Int64, scan func(cursor uint64) *redis.ScanCmd, text func(string) (string, bool)) error {
	for cursor := uint64(0); ; {
		found, next, err := scan(cursor).Result()
		if err != nil {
			return s.failed(ctx, "reindex", err)
		}
		var texts []string
		for _, name := range found {
			if t, ok := text(name); ok {
				texts = append(texts, t)
			}
		}
		repaired, err := s.reindex(ctx, texts)
		n.Add(int64(repaired))
		if err != nil || next == 0 {
			return err
		}
		cursor = next
	}
}

// reindex corrects the entries of some sessions.
func (s *Store) reindex(ctx context.Context, texts []string) (repaired int, err error) {
	if len(texts) == 0 {
		return 0, nil
	}
	states, err := s.states(ctx, texts)
	if err != nil {
		return 0, err
	}
	index := s.layout.index()
	members := make([]*redis.FloatCmd, len(texts))
	expiries := make([]*redis.FloatCmd, len(texts))
	dues := make([]*redis.FloatCmd, len(texts))
	_, _ = s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, text := range texts {
			members[i] = p.ZScore(ctx, index[byNamespace-1], text)
			expiries[i] = p.ZScore(ctx, index[3], text)
			dues[i] = p.ZScore(ctx, index[6], text)
		}
		return nil
	})
	for i, text := range texts {
		agrees, err := indexAgrees(states[i], members[i], expiries[i], dues[i])
		if err != nil {
			return repaired, s.failed(ctx, "reindex", err)
		}
		if agrees {
			continue
		}
		m, err := s.mark(ctx, "reindex", text, states[i].live == "0")
		if err != nil {
			return repaired, err
		}
		if err := s.settleMark(ctx, text, m, false, []string{"look"}); err != nil {
			return repaired, err
		}
		repaired++
	}
	return repaired, nil
}

// indexAgrees reports whether the index entry of a session agrees with its state: the session
// is listed if it exists, and its expiry and due time in the index are not too late.
func indexAgrees(now state, member, expiry, due *redis.FloatCmd) (bool, error) {
	for _, cmd := range []*redis.FloatCmd{member, expiry, due} {
		if err := cmd.Err(); err != nil && !errors.Is(err, redis.Nil) {
			return false, err
		}
	}
	if listed := member.Err() == nil; listed != (now.live == "1") || !listed {
		return !listed && now.live == "0", nil
	}
	for at, listed := range map[string]*redis.FloatCmd{now.expires: expiry, now.due: due} {
		if at == "0" || at == unreadable {
			continue
		}
		ms, err := strconv.ParseInt(at, 10, 64)
		if err != nil || listed.Err() != nil || int64(listed.Val()) > ms {
			return false, err
		}
	}
	return true, nil
}
