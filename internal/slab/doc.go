// Package slab holds the mechanism behind the bounded collections: an ordered
// collection whose entries live in one slice and point at each other by index.
//
//	nodes  [ c | a | – | b ]     front → a → b → c ← back     free → –
//	index  { "x": a, "y": b }    b → c: both have the key "y"
//
// A List keeps order; a Keyed list also finds entries by a key, which several
// entries may share. Adding, moving and removing are O(1); once the slab has
// grown to the size a collection settles at, none of them allocates. Nothing is
// allocated ahead of use, so a large limit costs nothing until it is reached.
//
// What leaves, and when, is the business of the collection on top: the
// mechanism has no limit and no policy. Nor does it lock.
package slab
