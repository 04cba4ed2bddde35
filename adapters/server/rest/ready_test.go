package rest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// reporting is a store with a durability.
type reporting struct {
	driver.Store
	level driver.DurabilityLevel
	err   error
}

func (r reporting) Durability(context.Context) (driver.Durability, error) {
	return driver.Durability{Level: r.level, Settings: "private"}, r.err
}

// Durability is information: it never makes a server unready.
func TestReadyTellsDurability(t *testing.T) {
	t.Parallel()
	in := func(wrap func(driver.Store) driver.Store, opts ...option) map[string]any {
		s := start(t, append(opts, func(o *setup) { o.store = wrap(o.store) })...)
		got := s.do("GET", "/v1/ready", "").is(200)
		assert.Equal(t, "ok", got["status"])
		return got["durability"].(map[string]any)
	}
	plain := func(s driver.Store) driver.Store { return s }
	assert.Equal(t, map[string]any{"sessions": "none"}, in(plain))
	assert.Equal(t, map[string]any{"sessions": "none", "long_term_memory": "none"}, in(plain, withLongTerm))
	assert.Equal(t, map[string]any{"sessions": "unknown"}, in(func(s driver.Store) driver.Store { return struct{ driver.Store }{s} }), "a store that does not report it")
	assert.Equal(t, map[string]any{"sessions": "synced"}, in(func(s driver.Store) driver.Store { return reporting{s, driver.DurabilitySynced, nil} }))
	assert.Equal(t, map[string]any{"sessions": "unknown"}, in(func(s driver.Store) driver.Store {
		return reporting{s, driver.DurabilitySynced, errors.New("refused")}
	}))
}
