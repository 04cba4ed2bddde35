package service

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Versions is a set of versions of a session.
type Versions struct {
	// Any means every version of a session that exists.
	Any bool
	// Some lists the versions, unless Any is set.
	Some []uint64
}

func (v *Versions) has(version uint64) bool { return v.Any || slices.Contains(v.Some, version) }

// checkVersion returns Stale if a session does not meet the conditions of a write. The version
// of a session that does not exist is 0.
func (v *WriteView) checkVersion(s *session.Session) error {
	version := s.Version()
	there := version != 0
	if v.If != nil && !(there && v.If.has(version)) || v.IfNot != nil && there && v.IfNot.has(version) {
		return staleError(v.Ref)
	}
	return nil
}

func (v *WriteView) isConditional() bool { return v.If != nil || v.IfNot != nil }

func staleError(ref Ref) *Error {
	return &Error{Kind: Stale, Detail: "Session " + displayID(ref.SessionID) + " has changed"}
}
