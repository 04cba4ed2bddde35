package longterm

import "time"

// Ranking makes one score of how well a record matches and how fresh it is. The zero
// value ranks by the match alone.
//
// The match is Keyword in a ModeKeyword, Similarity in a ModeSemantic, and in a
// ModeHybrid Alpha·Similarity + (1−Alpha)·Keyword, where what was not compared, or
// has no term, counts 0. With Recency the score is
//
//	Recency.Match·match + Recency.Fresh·(Recency.Access·2^(−a/HalfAccess) + Recency.Age·2^(−c/HalfAge))
//
// where a is the time from LastAccessed, or CreatedAt if that is later, to Now, and c
// that from CreatedAt; neither is less than 0, and of what is not known the power is 0.
type Ranking struct {
	// Alpha is from 0 to 1.
	Alpha float64
	// MaxDistance, if not nil, is how far a vector may be, as 1 − Similarity, in a
	// ModeSemantic: what is farther is not found.
	MaxDistance *float64
	// Recency, if not nil, lets fresh records rank higher.
	Recency *Recency
	// Now is the time that ages are counted to.
	Now time.Time
}

// Recency says how much freshness counts. The zero value is refused, since its half-lives
// are 0: begin with DefaultRecency.
type Recency struct {
	// Match and Fresh weigh the match and the freshness, Access and Age what
	// freshness is made of. None is negative, nor so large that a score is infinite.
	Match, Fresh, Access, Age float64
	// HalfAccess and HalfAge are the times in which each halves, more than 0.
	HalfAccess, HalfAge time.Duration
}

// DefaultRecency is that of Memory.Recall:
// 0.8·match + 0.2·(0.6·2^(−access/7 days) + 0.4·2^(−age/30 days)).
func DefaultRecency() Recency {
	const day = 24 * time.Hour
	return Recency{Match: 0.8, Fresh: 0.2, Access: 0.6, Age: 0.4, HalfAccess: 7 * day, HalfAge: 30 * day}
}
