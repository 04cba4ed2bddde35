package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// ErrNoResultStore is returned by a manager whose store is not a driver.ResultStore.
var ErrNoResultStore = errors.New("session: store does not keep results")

// StoresResults reports whether the store keeps results of tools, and a journal of calls, with
// their sessions.
func (m *Manager) StoresResults() bool {
	_, able := m.store.(driver.ResultStore)
	return able
}

// PutResult adds a result to a session, without changing the session. The oldest results of its
// kind are removed while their contents exceed limit bytes; see driver.ResultStore. Errors:
// ErrNoResultStore, ErrKey, ErrNotFound, ErrTooLarge, ErrUnavailable, ErrClosed.
func (m *Manager) PutResult(ctx context.Context, key Key, r driver.StoredResult, limit int64) error {
	results, err := m.resultStore()
	if err != nil {
		return err
	}
	return results.PutResult(ctx, key, r, limit)
}

// Results returns the results of a kind of a session, oldest first: none if the session does not
// exist.
// Errors: ErrNoResultStore, ErrKey, *DamagedError, ErrUnavailable, ErrClosed.
func (m *Manager) Results(ctx context.Context, key Key, kind driver.ResultKind) ([]driver.ResultInfo, error) {
	results, err := m.resultStore()
	if err != nil {
		return nil, err
	}
	return results.Results(ctx, key, kind)
}

// ReadResult reads a part of the content of a result as an io.ReaderAt does. Errors: io.EOF if it
// reads less than len(p), ErrNotFound if the session does not exist or has no such result, and
// those of Results.
func (m *Manager) ReadResult(ctx context.Context, key Key, kind driver.ResultKind, id string, p []byte, offset int64) (int, error) {
	results, err := m.resultStore()
	if err != nil {
		return 0, err
	}
	return results.ReadResult(ctx, key, kind, id, p, offset)
}

func (m *Manager) resultStore() (driver.ResultStore, error) {
	results, able := m.store.(driver.ResultStore)
	if !able {
		return nil, ErrNoResultStore
	}
	return results, nil
}

// copyResults copies the results of a session to another one, each whole in memory.
func (m *Manager) copyResults(ctx context.Context, from, to Key) error {
	results, able := m.store.(driver.ResultStore)
	if !able {
		return nil
	}
	for kind := range driver.ResultKinds {
		if err := copyResultsOf(ctx, results, kind, from, to); err != nil {
			return fmt.Errorf("session: copying results: %w", err)
		}
	}
	return nil
}

func copyResultsOf(ctx context.Context, results driver.ResultStore, kind driver.ResultKind, from, to Key) error {
	infos, err := results.Results(ctx, from, kind)
	if err != nil {
		return err
	}
	for _, info := range infos {
		r := driver.StoredResult{ResultInfo: info, Content: make([]byte, info.Size)}
		_, err := results.ReadResult(ctx, from, kind, info.ID, r.Content, 0)
		if errors.Is(err, ErrNotFound) {
			continue // removed since
		}
		if err == nil {
			err = results.PutResult(ctx, to, r, unlimited)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unlimited is more than the results of any session have.
const unlimited = driver.MaxResults * driver.MaxResultBytes

// undoPatience is how long Branch tries to remove a branch whose results were not copied.
const undoPatience = 5 * time.Second

// undoBranch removes a session that was just made, unless it has changed.
func (m *Manager) undoBranch(ctx context.Context, branch *Session) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoPatience)
	defer cancel()
	at := branch.from.At
	return m.remove(ctx, branch.Key, &driver.Condition{Revision: at.Revision, Next: at.Next})
}
