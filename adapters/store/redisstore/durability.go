package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

var _ driver.DurabilityReporter = (*Store)(nil)

// Durability implements driver.DurabilityReporter. It asks for the settings of the server, or if
// the user may not read them, for its state; that does not include appendfsync, so it can tell
// only that writes are not synced. In a cluster, it is the lowest of all primary servers.
func (s *Store) Durability(ctx context.Context) (driver.Durability, error) {
	if err := s.checkOpen(ctx); err != nil {
		return driver.Durability{}, err
	}
	cluster, ok := s.client.(*redis.ClusterClient)
	if !ok {
		d, err := durabilityOf(ctx, s.client)
		if err != nil {
			err = s.failed(ctx, "durability", err)
		}
		return d, err
	}
	lowest := driver.Durability{Level: driver.DurabilitySynced}
	var mu sync.Mutex
	err := cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		d, err := durabilityOf(ctx, node)
		mu.Lock()
		defer mu.Unlock()
		if lowest.Settings == "" || rank(d.Level) < rank(lowest.Level) {
			lowest = d
		}
		return err
	})
	if err != nil {
		err = s.failed(ctx, "durability", err)
	}
	return lowest, err
}

// rank orders levels, the lowest first.
func rank(level driver.DurabilityLevel) int {
	switch level {
	case driver.DurabilityNone:
		return 0
	case driver.DurabilityUnknown:
		return 1
	case driver.DurabilityDelayed:
		return 2
	default:
		return 3
	}
}

// durabilityOf asks one server. An answer that is an error of the server means that it does not
// tell.
func durabilityOf(ctx context.Context, client redis.Cmdable) (driver.Durability, error) {
	var save, appendOnly, appendSync *redis.MapStringStringCmd
	_, err := client.Pipelined(ctx, func(p redis.Pipeliner) error { // before Redis 7, CONFIG GET takes one name
		save, appendOnly, appendSync = p.ConfigGet(ctx, "save"), p.ConfigGet(ctx, "appendonly"), p.ConfigGet(ctx, "appendfsync")
		return nil
	})
	switch {
	case err == nil && len(appendOnly.Val()) > 0:
		return byConfig(save.Val()["save"], appendOnly.Val()["appendonly"], appendSync.Val()["appendfsync"]), nil
	case err != nil && !isServerError(err):
		return driver.Durability{}, err
	}
	info, err := client.Info(ctx, "persistence").Result()
	if err != nil && !isServerError(err) {
		return driver.Durability{}, err
	}
	for line := range strings.Lines(info) {
		if strings.TrimSpace(line) == "aof_enabled:0" {
			return driver.Durability{Level: driver.DurabilityDelayed, Settings: "appendonly=no, save is not readable"}, nil
		}
	}
	return driver.Durability{Level: driver.DurabilityUnknown, Settings: "appendfsync is not readable"}, nil
}

func byConfig(save, appendOnly, appendSync string) driver.Durability {
	d := driver.Durability{
		Level:    driver.DurabilityDelayed,
		Settings: fmt.Sprintf("appendonly=%s appendfsync=%s save=%q", appendOnly, appendSync, save),
	}
	switch {
	case appendOnly == "yes" && appendSync == "always":
		d.Level = driver.DurabilitySynced
	case appendOnly != "yes" && save == "":
		d.Level = driver.DurabilityNone
	}
	return d
}

// isServerError reports whether err is the answer of a server rather than a failure to get one.
func isServerError(err error) bool {
	_, ok := errors.AsType[redis.Error](err)
	return ok
}
