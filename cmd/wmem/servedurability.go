package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/engine"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// durabilityTimeout limits how long a store is asked for its durability.
const durabilityTimeout = 5 * time.Second

// logDurability logs whether acknowledged writes survive a crash of the stores: as a warning if
// they do not.
func logDurability(ctx context.Context, e *engine.Engine, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, durabilityTimeout)
	defer cancel()
	d, err := e.Sessions.Durability(ctx)
	reportDurability(logger.With("of", "sessions", "store", e.Backend.Store.String()), d, err)
	if e.Memory != nil && e.Backend.Memories != e.Backend.Store {
		d, err := e.Memory.Durability(ctx)
		reportDurability(logger.With("of", "long-term memory", "store", e.Backend.Memories.String()), d, err)
	}
}

func reportDurability(logger *slog.Logger, d driver.Durability, err error) {
	logger = logger.With("durability", string(d.Level))
	if d.Settings != "" {
		logger = logger.With("settings", d.Settings)
	}
	switch {
	case err != nil:
		logger.Warn("durability is unknown", "error", err)
	case d.Level == driver.DurabilitySynced:
		logger.Info("acknowledged writes are on disk")
	case d.Level == driver.DurabilityDelayed:
		logger.Warn("a crash of the store loses the last acknowledged writes")
	case d.Level == driver.DurabilityNone:
		logger.Warn("a crash of the store loses all acknowledged writes")
	default:
		logger.Info("durability is unknown: the store does not report it")
	}
}
