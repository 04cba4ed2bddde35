package drivertest

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// caller makes a driver.Store of a function that does calls.
type caller func(ctx context.Context, c call) (reply, error)

var _ driver.Store = caller(nil)

func (do caller) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	r, err := do(ctx, call{Key: key, Load: &last})
	return r.Record, err
}

func (do caller) Append(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
	r, err := do(ctx, call{Key: key, Append: &a, Revision: driver.NewRevision()})
	return r.Position, r.Added, err
}

func (do caller) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	r, err := do(ctx, call{Key: key, Write: &w, Revision: driver.NewRevision()})
	return r.Position, err
}

func (do caller) Delete(ctx context.Context, key session.Key, where *driver.Condition) error {
	_, err := do(ctx, call{Key: key, Delete: true, Where: where})
	return err
}

func (do caller) List(ctx context.Context, f session.ListOptions) (session.Listing, error) {
	r, err := do(ctx, call{List: &f})
	return r.Page, err
}

func (do caller) Due(ctx context.Context, by time.Time, limit int) ([]session.Key, error) {
	r, err := do(ctx, call{Due: &by, Limit: limit})
	return r.Page.Keys, err
}
