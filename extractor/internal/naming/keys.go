package naming

import "hash/maphash"

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

// Cache is a small cache in front of a Keys, for one goroutine. Each name hashes to
// one slot, which holds the last name used there.
type Cache struct {
	table *Keys
	seed  maphash.Seed
	last  [256]*Key
}

// NewCache returns an empty cache in front of a table.
func NewCache(table *Keys) *Cache { return &Cache{table: table, seed: maphash.MakeSeed()} }

// Key returns the description of a field's name. The caller may reuse name.
func (c *Cache) Key(name []byte) *Key {
	if len(name) > maxKeyBytes {
		return longKey
	}
	place := &c.last[maphash.Bytes(c.seed, name)%uint64(len(c.last))]
	if *place != nil && (*place).Name == string(name) {
		return *place
	}
	k, ok := c.table.known.get(string(name))
	if !ok {
		if k = classify(string(name)); k.Class == ClassMapKey || k.Name != string(name) {
			return k // identifiers would crowd out names, and a name with a secret is not kept
		}
		c.table.known.put(k.Name, k, maxKeys)
	}
	*place = k // even if the shared table is full
	return k
}
