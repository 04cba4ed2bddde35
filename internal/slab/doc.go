// Package slab provides the data structures behind the bounded collections.
//
// A List is a linked list whose entries live in one slice and refer to each other by
// index. A Hashed list also finds entries by a hash of their identity, a Keyed list by
// a key. Adding, moving and removing an entry take constant time.
//
//	nodes  [ c | a | – | b ]     front → a → b → c ← back     free → –
//	index  [ – | a | – | b ]     b → c: both have the same hash
//
// A Packed list holds a few short records one after another in a byte slice: ten
// entries take little more than their own bytes.
//
//	oldest [ size tag record | size tag record | … ] newest
//
// A Ring is a first-in, first-out list. Copies share its memory until one of them
// changes.
//
//	values [ c | d | – | a | b ]     front → a b c d ← back
//
// Nothing is allocated ahead of use, so a large limit is free until it is reached, and
// nothing is allocated once a collection has reached a steady size. The structures have
// no limit, no eviction policy and no locks; these belong to the collections that use
// them.
package slab
