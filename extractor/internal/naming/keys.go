package naming

import "strings"

// maxKeys is the number of field names that a Keys remembers.
const maxKeys = 8192

// maxKeyBytes is the longest field name that is classified.
const maxKeyBytes = 128

// longKey describes all names that are too long to be classified.
var longKey = &Key{Class: ClassNoise}

// Keys describes field names and remembers the descriptions, because the same names
// recur in every result. The zero value is empty and ready to use. It is safe for
// concurrent use.
type Keys struct{ known memo[*Key] }

// key returns the description of a name. recurs is false for identifiers, which would
// crowd out names, and for names with a secret, which are not kept.
func (t *Keys) key(name string) (k *Key, recurs bool) {
	if k, ok := t.known.get(name); ok {
		return k, true
	}
	k = classify(strings.Clone(name))
	if recurs = k.Class != ClassMapKey && k.Name == name; recurs {
		t.known.put(k.Name, k, maxKeys)
	}
	return k, recurs
}

// Cache is a small cache in front of a Keys, for one goroutine. Each name hashes to
// one slot, which holds the last name used there.
type Cache struct {
	table *Keys
	last  [256]*Key
}

// NewCache returns an empty cache in front of a table.
func NewCache(table *Keys) *Cache { return &Cache{table: table} }

// Key returns the description of a field's name. The caller may reuse name.
func (c *Cache) Key(name []byte) *Key {
	if len(name) > maxKeyBytes {
		return longKey
	}
	place := &c.last[keyPlace(name)]
	if *place != nil && (*place).Name == string(name) {
		return *place
	}
	k, recurs := c.table.key(string(name))
	if recurs {
		*place = k // also if the table is full, of a stranger's names
	}
	return k
}

// keyPlace hashes the length, the ends and the middle of a name.
func keyPlace(name []byte) uint8 {
	n := len(name)
	if n == 0 {
		return 0
	}
	return uint8(n) + 7*name[0] + 31*name[n-1] + 101*name[n/2]
}
