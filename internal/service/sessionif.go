package service

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// tags are what an If-Match or If-None-Match header lists. Empty ones match nothing.
type tags struct {
	any          bool
	strong, weak []string
}

// parseTags reads a header. A tag without quotes counts as one with them.
func parseTags(header string) (t tags) {
	for tag := range strings.SplitSeq(header, ",") {
		tag, weak := strings.CutPrefix(strings.TrimSpace(tag), "W/")
		switch version := strings.Trim(tag, `"`); {
		case tag == "*" && !weak:
			t.any = true
		case weak:
			t.weak = append(t.weak, version)
		default:
			t.strong = append(t.strong, version)
		}
	}
	return t
}

// match reports whether a session that is there, of a version, is one of those. A weak tag
// says that an answer was much the same, which is not enough.
func (t tags) match(version uint64) bool {
	return t.any || slices.Contains(t.strong, strconv.FormatUint(version, 10))
}

// check returns Stale if a session, whose Version is 0 where it is not there, is not what
// a write expects.
func (v *WriteView) check(s *session.Session) error {
	there := s.Version() != 0
	if v.IfMatch != "" && (!there || !parseTags(v.IfMatch).match(s.Version())) {
		return stale(v.Ref)
	}
	if v.IfNoneMatch == "" || !there {
		return nil
	}
	none := parseTags(v.IfNoneMatch)
	none.strong = append(none.strong, none.weak...) // much the same is too much here
	if none.match(s.Version()) {
		return stale(v.Ref)
	}
	return nil
}

func (v *WriteView) conditional() bool { return v.IfMatch != "" || v.IfNoneMatch != "" }

func stale(ref Ref) *Error {
	return &Error{Kind: Stale, Detail: "Session " + shown(ref.SessionID) + " has changed"}
}
