package sqlitestore

import (
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// readStored reads the stored records and returns ErrConflict unless they have the versions that
// the changes require.
func (b *batch) readStored() error {
	b.owners = map[[2]string]*owner{}
	for _, c := range b.changes {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		o, err := b.owner(c.Key)
		if err != nil {
			return err
		}
		s := storedRecord{owner: o}
		err = b.query(func(scan func(...any) error) error {
			return scan(&s.id, number(&s.version), number(&s.terms), optional(&s.block))
		},
			`SELECT id, version, terms, block FROM records WHERE owner = ? AND key = ?`, o.id, c.Key.ID)
		switch {
		case err != nil:
			return err
		case uint64(s.version) != c.If:
			return driver.ErrConflict
		}
		b.before = append(b.before, s)
	}
	return nil
}

// owner returns the owner of a key. A new owner has no row id yet.
func (b *batch) owner(key driver.RecordKey) (*owner, error) {
	name := [2]string{key.Namespace, key.UserID}
	if o, ok := b.owners[name]; ok {
		return o, nil
	}
	o := &owner{}
	b.owners[name] = o
	return o, b.query(func(scan func(...any) error) error { return scan(&o.id) },
		`SELECT id FROM owners WHERE namespace = ? AND user_id = ?`, name[0], name[1])
}

// checkHashes returns ErrConflict if two records of an owner would have the same hash.
func (b *batch) checkHashes() error {
	type ownerHash struct {
		owner *owner
		hash  string
	}
	taken := map[ownerHash]bool{}
	replaced := map[int64]bool{}
	for _, s := range b.before {
		replaced[s.id] = true
	}
	for i, row := range b.rows {
		if row == nil {
			continue
		}
		m := ownerHash{b.before[i].owner, row.Record.Hash}
		if taken[m] {
			return driver.ErrConflict
		}
		taken[m] = true
		var id int64
		err := b.query(func(scan func(...any) error) error { return scan(&id) },
			`SELECT id FROM records WHERE owner = ? AND hash = ?`, m.owner.id, m.hash)
		switch {
		case err != nil:
			return err
		case id != 0 && !replaced[id]:
			return driver.ErrConflict
		}
	}
	return nil
}
