package service

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Versions are versions of a session.
type Versions struct {
	// Any is true for all versions of a session that is there.
	Any bool
	// Some are these alone.
	Some []uint64
}

// has reports whether a session that is there has one of the versions.
func (v *Versions) has(version uint64) bool { return v.Any || slices.Contains(v.Some, version) }

// checkVersion returns Stale if a session, whose Version is 0 where it is not there, is not what
// a write expects.
func (v *WriteView) checkVersion(s *session.Session) error {
	version := s.Version()
	there := version != 0
	if v.If != nil && !(there && v.If.has(version)) || v.IfNot != nil && there && v.IfNot.has(version) {
		return stale(v.Ref)
	}
	return nil
}

func (v *WriteView) conditional() bool { return v.If != nil || v.IfNot != nil }

func stale(ref Ref) *Error {
	return &Error{Kind: Stale, Detail: "Session " + shown(ref.SessionID) + " has changed"}
}
