// Package record judges an object whose fields have all been read: whether it is a record
// and which of its fields identifies it, of what type it is and what it is called, and
// what its other fields refer to. Its functions depend on nothing but the object, the
// place of the object and the call.
package record
