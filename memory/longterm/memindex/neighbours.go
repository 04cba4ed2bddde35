package memindex

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Nearest implements driver.Index.
func (x *Index) Nearest(ctx context.Context, searches []driver.Search) ([][]driver.Hit, error) {
	if len(searches) > driver.MaxChanges {
		return nil, tooMany(len(searches))
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	all := make([][]driver.Hit, len(searches))
	for i := range searches {
		hits, err := x.search(ctx, &searches[i])
		if err != nil {
			return nil, fmt.Errorf("longterm: nearest: search %d: %w", i, err)
		}
		all[i] = hits.Hits
	}
	return all, nil
}

// sessionKey identifies a session of an owner.
type sessionKey struct {
	owner *owner
	id    string
}

// Neighbours implements driver.Index.
func (x *Index) Neighbours(ctx context.Context, keys []driver.RecordKey) ([]driver.Neighbours, error) {
	if len(keys) > driver.MaxChanges {
		return nil, tooMany(len(keys))
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := x.checkOpen(ctx); err != nil {
		return nil, fmt.Errorf("longterm: neighbours: %w", err)
	}
	sessions := map[sessionKey][]*entry{}
	asked := make([]*entry, len(keys))
	for i, key := range keys {
		if e := x.entries[sortKey(key)]; e != nil && e.record.Type == sessiondriver.RecordMessage {
			asked[i] = e
			sessions[x.sessionOf(e)] = nil
		}
	}
	owners := map[*owner]bool{}
	for key := range sessions {
		owners[key.owner] = true
	}
	for owner := range owners {
		for _, e := range owner.entries {
			if e == nil || e.record.Type != sessiondriver.RecordMessage {
				continue
			}
			key := sessionKey{owner, e.record.SessionID}
			if found, ok := sessions[key]; ok {
				sessions[key] = append(found, e)
			}
		}
	}
	for _, messages := range sessions {
		slices.SortFunc(messages, compareMessages)
	}
	around := make([]driver.Neighbours, len(keys))
	for i, e := range asked {
		if e == nil {
			continue
		}
		messages := sessions[x.sessionOf(e)]
		at, _ := slices.BinarySearchFunc(messages, e, compareMessages)
		if at > 0 {
			around[i].Previous = messages[at-1].record.ID
		}
		if at+1 < len(messages) {
			around[i].Next = messages[at+1].record.ID
		}
	}
	return around, nil
}

func (x *Index) sessionOf(e *entry) sessionKey {
	return sessionKey{x.owners[ownerKey{e.record.Namespace, e.record.UserID}], e.record.SessionID}
}

func compareMessages(a, b *entry) int {
	return cmp.Or(a.record.CreatedAt.Compare(b.record.CreatedAt), cmp.Compare(a.record.ID, b.record.ID))
}
