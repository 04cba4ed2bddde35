package sqlitestore

import "sync"

// cachedBytes limits the blocks that a Store keeps decoded in memory: enough for 250,000 records
// with vectors of 1,536 numbers.
const cachedBytes = 64 << 20

// blockCache keeps decoded blocks, since reading and decoding those of an owner with many records
// takes longer than the rest of a search. A block of the same version has the same content.
type blockCache struct {
	mu     sync.Mutex
	blocks map[int64]*decodedBlock
	bytes  int
}

// decodedBlock is a block as searches use it. It is not modified.
type decodedBlock struct {
	version int64
	slots   []slot
	codes   []uint64
}

func (b *decodedBlock) bytes() int { return 32*len(b.slots) + 8*len(b.codes) }

// get returns a block, or nil if it is not kept in this version.
func (c *blockCache) get(id, version int64) *decodedBlock {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.blocks[id]; b != nil && b.version == version {
		return b
	}
	return nil
}

// put keeps a block, instead of others if necessary.
func (c *blockCache) put(id int64, b *decodedBlock) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(id)
	for other := range c.blocks {
		if c.bytes+b.bytes() <= cachedBytes {
			break
		}
		c.remove(other)
	}
	c.blocks[id] = b
	c.bytes += b.bytes()
}

func (c *blockCache) remove(id int64) {
	if b := c.blocks[id]; b != nil {
		c.bytes -= b.bytes()
		delete(c.blocks, id)
	}
}
