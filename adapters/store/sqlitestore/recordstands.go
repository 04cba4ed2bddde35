package sqlitestore

import (
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// read reads where the records stand, and returns ErrConflict unless that is where
// the changes say.
func (b *batch) read() error {
	b.owners = map[[2]string]*owner{}
	for _, c := range b.changes {
		if err := b.end.Err(); err != nil {
			return err
		}
		o, err := b.owner(c.Key)
		if err != nil {
			return err
		}
		s := standing{owner: o}
		err = b.query(func(scan func(...any) error) error { return scan(&s.id, number(&s.version), number(&s.terms)) },
			`SELECT id, version, terms FROM records WHERE owner = ? AND key = ?`, o.id, c.Key.ID)
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

// owner returns that of a key. A new one gets a number when it is needed.
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

// hashes returns ErrConflict if two records of an owner would have one hash.
func (b *batch) hashes() error {
	type mark struct {
		owner *owner
		hash  string
	}
	taken := map[mark]bool{}
	leaves := map[int64]bool{}
	for _, s := range b.before {
		leaves[s.id] = true
	}
	for i, row := range b.rows {
		if row == nil {
			continue
		}
		m := mark{b.before[i].owner, row.Record.Hash}
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
		case id != 0 && !leaves[id]:
			return driver.ErrConflict
		}
	}
	return nil
}
