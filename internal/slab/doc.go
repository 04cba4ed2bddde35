// Package slab holds the mechanisms behind the bounded collections.
//
// A List is an ordered collection whose entries live in one slice and point at
// each other by index; a Hashed list also finds them by a hash of what identifies
// them, a Keyed list by a key. Adding, moving and removing take constant time.
//
//	nodes  [ c | a | – | b ]     front → a → b → c ← back     free → –
//	index  [ – | a | – | b ]     b → c: both have the same hash
//
// A Packed list holds a few short records one after another in one slice of
// bytes: a collection of ten entries takes little more than their bytes.
//
//	oldest [ size tag record | size tag record | … ] newest
//
// A Ring is for what leaves in the order in which it came. Copies share its memory
// until one of them changes.
//
//	values [ c | d | – | a | b ]     front → a b c d ← back
//
// Nothing is allocated ahead of use, so a large limit costs nothing until it is
// reached, and nothing at all once a mechanism has grown to the size a collection
// settles at. What leaves, and when, is the business of the collection on top: the
// mechanisms have no limit and no policy. Nor do they lock.
package slab
