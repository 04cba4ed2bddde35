package postgresstore

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/go-workingmemory/workingmemory/internal/vectorcode"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// insertCodes inserts the codes of the records w with the columns id, space, code, type,
// created_at and last_accessed.
const insertCodes = `INSERT INTO {schema}.codes (record, space, code, type, created, accessed)
	SELECT w.id, w.space, w.code, w.type, coalesce(date_part('epoch', w.created_at), '-Infinity'),
		coalesce(date_part('epoch', greatest(w.created_at, w.last_accessed)), '-Infinity') FROM w WHERE w.code IS NOT NULL`

// spaceOf returns codes.space of the vectors of an owner.
func spaceOf(owner []byte, model string, dimension int) pgtype.UUID {
	data := binary.BigEndian.AppendUint64(append([]byte{}, owner...), uint64(dimension))
	sum := sha256.Sum256(append(data, model...))
	return pgtype.UUID{Bytes: [16]byte(sum[:16]), Valid: true}
}

// coded returns the part of a vector that its code describes: a row holds no longer code.
func coded(vector []float32) []float32 { return vector[:min(len(vector), driver.MaxDimensions)] }

// codeOf returns the code of a vector as a parameter, or NULL without a vector.
func codeOf(vector []float32) pgtype.Bits {
	if len(vector) == 0 {
		return pgtype.Bits{}
	}
	var data []byte
	for _, word := range vectorcode.Of(coded(vector)) {
		data = binary.LittleEndian.AppendUint64(data, word)
	}
	return pgtype.Bits{Bytes: data, Len: int32(8 * len(data)), Valid: true}
}

// candidatesOf returns how many vectors with the nearest codes are compared exactly for a page.
// Of 100,000 vectors, so many held more than 99 % of the 10 nearest.
func candidatesOf(s *driver.Search) int64 {
	fewest := int64(1000)
	switch dimension := len(s.Vector); {
	case dimension >= 768:
		fewest = 300
	case dimension <= 96:
		fewest = 500
	}
	return max(fewest, 2*(int64(s.Offset)+int64(s.Limit)))
}

// unrelated returns about the number of bits in which the codes of two unrelated vectors of a
// dimension differ on average.
func unrelated(dimension int) float64 {
	dimension = min(dimension, driver.MaxDimensions)
	// A code has a bit for each number and each of so many levels, see package vectorcode. A
	// number exceeds level k of n with the probability 1 − k/(n+1).
	levels := float64(vectorcode.Words(dimension) * 64 / dimension)
	return float64(dimension) * levels * (levels + 2) / (3 * (levels + 1))
}

// candidates describes how the records are found that are compared exactly with the vector of a
// search: those that probably have the highest scores, and stale ones, which have no codes. Up to
// driver.ExactVectors, these are all.
type candidates struct {
	with  []string // common table expressions
	query string   // for the hitColumns of the candidates
	total string   // expression for the number of records that match and have a vector
}

// candidates returns the candidates among the records r that match a filter. In a ModeHybrid, the
// estimates include the scores in the table "said".
func (q *query) candidates(s *driver.Search, filter string) candidates {
	var c candidates
	var all, stale, codes string
	namespace, userID, oneOwner := s.Scope.Owner()
	if byType := (driver.RecordFilter{Type: s.Filter.Type}); oneOwner && s.Filter == byType {
		// The codes suffice, without the records.
		scope := "c.space = " + q.add(spaceOf(ownerOf(namespace, userID), s.Model, len(s.Vector)), "uuid")
		codes = scope
		if s.Filter.Type != nil {
			codes = allOf(append([]string{scope}, q.text("c.type", s.Filter.Type)...))
		}
		all = "{schema}.records r WHERE " + filter
		stale = all + " AND r.stale"
		c.with = []string{fmt.Sprintf("few AS MATERIALIZED (SELECT count(*) <= %[1]d AS few FROM (SELECT FROM {schema}.codes c WHERE %[2]s LIMIT %[1]d + 1) c)",
			driver.ExactVectors, scope)}
		c.total = fmt.Sprintf("(SELECT count(*) FROM {schema}.codes c WHERE %s) + (SELECT count(*) FROM %s)", codes, stale)
	} else {
		// An array of keys cannot become a nested loop over the whole table.
		codes = "c.record = ANY (ARRAY(SELECT id FROM passing))"
		all = "passing r WHERE true"
		stale = "passing r WHERE r.stale"
		c.with = []string{
			fmt.Sprintf("passing AS MATERIALIZED (SELECT %s, r.stale FROM {schema}.records r WHERE %s)", hitColumns, filter),
			fmt.Sprintf("few AS MATERIALIZED (SELECT count(*) <= %d AS few FROM passing)", driver.ExactVectors),
		}
		c.total = "(SELECT count(*) FROM passing)"
	}
	// The conditions on few are evaluated once. The limit only tells the planner that there are
	// not many, or it would compile the expressions.
	c.query = fmt.Sprintf(`(SELECT %[1]s FROM %[2]s AND NOT r.stale AND (SELECT few FROM few) LIMIT %[3]d)
		UNION ALL SELECT %[1]s FROM %[4]s
		UNION ALL SELECT %[1]s FROM {schema}.records r WHERE %[5]s AND NOT (SELECT few FROM few) AND r.id = ANY (ARRAY(%[6]s))`,
		hitColumns, all, driver.ExactVectors, stale, filter, q.nearestCodes(s, codes))
	return c
}

// nearestCodes returns the query for the records with the best estimates among the codes c that
// match conditions.
func (q *query) nearestCodes(s *driver.Search, conditions string) string {
	from := "(SELECT c.record, c.created, c.accessed, c.code FROM {schema}.codes c WHERE " + conditions + ") c"
	order := fmt.Sprintf("bit_count(c.code # %s)", q.add(codeOf(s.Vector), "bit varying"))
	if s.Mode == driver.ModeHybrid {
		// A full join cannot become a nested loop. Records without codes are last.
		from += " FULL JOIN said s ON s.id = c.record"
	}
	if s.Mode == driver.ModeHybrid || s.Ranking.Recency != nil {
		similarity := fmt.Sprintf("cos(least(2, %s / %s) * %s)", order, q.add(unrelated(len(s.Vector)), "float8"), q.add(math.Pi/2, "float8"))
		now := float64(inRange(s.Ranking.Now).UnixMicro()) / 1e6
		decay := func(at string, half time.Duration) string {
			return fmt.Sprintf("exp(greatest(-700, least(0, %s - %s) * %s))", at, q.add(now, "float8"), q.add(math.Ln2/half.Seconds(), "float8"))
		}
		keyword := "coalesce(s.bm25 / nullif((SELECT max(bm25) FROM said), 0), 0)"
		order = q.score(s, similarity, keyword, "c.accessed", "c.created", decay) + " DESC NULLS LAST"
	}
	return fmt.Sprintf("SELECT c.record FROM %s ORDER BY %s, c.created DESC LIMIT %s", from, order, q.add(candidatesOf(s), "bigint"))
}
