package memindex

import "strings"

// ownerKey identifies an owner.
type ownerKey struct{ namespace, userID string }

// owner holds the entries of an owner and the structures that find them.
type owner struct {
	hashes map[string]*entry
	// entries are in the order of writes; the index of an entry is its slot. Slots of removed
	// entries are nil until they outnumber the others.
	entries []*entry
	terms   map[string]*postings
	length  int // of all texts, in terms
	vectors map[spaceKey]*vectors
}

// postings lists the entries with a term, by slot. Some slots may be of removed entries.
type postings struct {
	term  string
	live  int // without removed entries
	slots []posting
}

// posting is the number of occurrences of a term in an entry.
type posting struct{ slot, count uint32 }

func newOwner() *owner {
	return &owner{
		hashes: map[string]*entry{}, terms: map[string]*postings{}, vectors: map[spaceKey]*vectors{},
	}
}

func (o *owner) add(e *entry) {
	o.hashes[e.record.Hash] = e
	o.length += e.length
	o.assignSlot(e)
	if len(e.vector) > 0 {
		space := spaceKey{e.model, len(e.vector)}
		if o.vectors[space] == nil {
			o.vectors[space] = &vectors{spaceKey: space}
		}
		o.vectors[space].add(e)
	}
}

// assignSlot appends an entry and indexes its terms.
func (o *owner) assignSlot(e *entry) {
	e.slot = len(o.entries)
	o.entries = append(o.entries, e)
	for i, t := range e.terms {
		list := o.terms[t.term]
		if list == nil {
			list = &postings{term: strings.Clone(t.term)}
			o.terms[list.term] = list
		}
		list.live++
		list.slots = append(list.slots, posting{uint32(e.slot), t.count})
		e.terms[i].term = list.term // share one copy of the string
	}
}

func (o *owner) remove(e *entry) {
	delete(o.hashes, e.record.Hash)
	o.length -= e.length
	o.entries[e.slot] = nil
	for _, t := range e.terms {
		list := o.terms[t.term]
		if list.live--; list.live == 0 {
			delete(o.terms, t.term)
		}
	}
	if space := e.space; space != nil {
		space.remove(e)
		if len(space.entries) == 0 {
			delete(o.vectors, space.spaceKey)
		}
	}
	if len(o.entries) > 2*len(o.hashes)+64 {
		o.compact()
	}
}

// compact drops the slots of removed entries.
func (o *owner) compact() {
	old := o.entries
	o.entries, o.terms = make([]*entry, 0, len(o.hashes)), map[string]*postings{}
	for _, e := range old {
		if e != nil {
			o.assignSlot(e)
		}
	}
}
