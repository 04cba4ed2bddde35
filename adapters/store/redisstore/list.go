package redisstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// The sorted sets of the index, by the first part of their members.
const (
	byNamespace = 1
	byUser      = 2
	bySession   = 3
)

// maxRounds limits how often List checks sessions that change again while it runs.
const maxRounds = 1000

// List implements driver.Store.
func (s *Store) List(ctx context.Context, f driver.ListOptions) (driver.Listing, error) {
	if err := s.checkOpen(ctx); err != nil {
		return driver.Listing{}, err
	}
	r, rest := rangeOf(f)
	r.offset, r.count = max(f.Offset, 0), f.Limit
	if rest != nil {
		r.offset, r.count = 0, -1
	}
	total, members, err := s.members(ctx, r)
	if err != nil {
		return driver.Listing{}, err
	}
	page := driver.Listing{Total: total}
	for _, member := range members {
		key, err := driver.ParseKey(keyText(r.set, member))
		if err != nil {
			return driver.Listing{}, fmt.Errorf("redisstore: list: damaged index: %w", err)
		}
		if rest == nil || rest(key) {
			page.Keys = append(page.Keys, key)
		}
	}
	if rest != nil {
		page.Total = len(page.Keys)
		page.Keys = page.Keys[min(max(f.Offset, 0), page.Total):]
		if f.Limit >= 0 {
			page.Keys = slices.Clip(page.Keys[:min(f.Limit, len(page.Keys))])
		}
	}
	return page, nil
}

// members reads a range of the index once all findings are applied.
func (s *Store) members(ctx context.Context, r indexRange) (total int, members []string, err error) {
	var (
		begin   string
		found   []finding
		pending = map[string]finding{}
	)
	for range maxRounds {
		reply, err := s.runList(ctx, "list", r, begin, found)
		if err != nil {
			return 0, nil, err
		}
		if reply[0] == "ok" && len(reply) > 1 {
			total, err = strconv.Atoi(reply[1])
			return total, reply[2:], err
		}
		if begin, found, err = s.check(ctx, reply); err != nil {
			return 0, nil, err
		}
		// Marked sessions stay marked, so each call of the script needs their states.
		for _, f := range found {
			if f.kind == "pending" {
				pending[f.key] = f
			}
		}
		found = slices.DeleteFunc(found, func(f finding) bool { return f.kind == "pending" })
		found = slices.AppendSeq(found, maps.Values(pending))
	}
	return 0, nil, fmt.Errorf("redisstore: list: %w: too many concurrent changes", driver.ErrUnavailable)
}

// check reads the states of the sessions that a reply of the script list names.
func (s *Store) check(ctx context.Context, reply []string) (begin string, found []finding, err error) {
	if reply[0] != "check" || len(reply)%3 != 2 {
		return "", nil, unexpected("list")
	}
	for part := range slices.Chunk(reply[2:], 3) {
		found = append(found, finding{kind: part[0], key: part[1], stamp: part[2]})
	}
	return reply[1], found, s.readStates(ctx, found)
}

// rangeOf returns the range of the index that contains the sessions that match f, in the order
// of Key.String. If it contains others too, rest selects the matching ones.
func rangeOf(f driver.ListOptions) (r indexRange, rest func(driver.Key) bool) {
	var key driver.Key
	for part, value := range map[*string]*string{&key.Namespace: f.Namespace, &key.UserID: f.UserID, &key.SessionID: f.SessionID} {
		if value != nil {
			*part = *value
		}
	}
	namespace, user, id := key.Escaped()
	switch {
	case f.Namespace != nil && f.UserID != nil && f.SessionID != nil:
		return indexRange{set: byNamespace, min: "[" + key.String(), max: "[" + key.String()}, nil
	case f.Namespace != nil && f.UserID != nil:
		return prefixRange(byNamespace, namespace+"/"+user+"/"), nil
	case f.Namespace != nil && f.SessionID != nil:
		return prefixRange(bySession, id+"/"+namespace+"/"), nil
	case f.UserID != nil && f.SessionID != nil:
		return prefixRange(bySession, id+"/"), func(k driver.Key) bool { return k.UserID == *f.UserID }
	case f.Namespace != nil:
		return prefixRange(byNamespace, namespace+"/"), nil
	case f.UserID != nil:
		return prefixRange(byUser, user+"/"), nil
	case f.SessionID != nil:
		return prefixRange(bySession, id+"/"), nil
	}
	return indexRange{set: byNamespace, min: "-", max: "+"}, nil
}

// keyText converts a member of a sorted set of the index to the text of a key.
func keyText(set int, member string) string {
	parts := strings.Split(member, "/")
	switch {
	case set == byUser && len(parts) == 3:
		return parts[1] + "/" + parts[0] + "/" + parts[2]
	case set == bySession && len(parts) == 4:
		return parts[1] + "/" + parts[2] + "/" + parts[0]
	}
	return member
}
