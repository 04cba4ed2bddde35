package postgresstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Search implements driver.Index. It is one statement, so that page and total are consistent.
func (x *Index) Search(ctx context.Context, s driver.Search) (driver.HitPage, error) {
	if err := s.Check(); err != nil {
		return driver.HitPage{}, fmt.Errorf("postgresstore: search: %w", err)
	}
	var page driver.HitPage
	err := x.callWithVectors(ctx, "search", func() (err error) {
		page, err = x.search(ctx, x.store.pool, &s)
		return err
	})
	if err != nil {
		return driver.HitPage{}, err
	}
	return page, nil
}

// callWithVectors is like call. If the extension for vectors was dropped, and its column with it,
// f runs again without the column.
func (x *Index) callWithVectors(ctx context.Context, op string, f func() error) error {
	return x.call(ctx, op, func() error {
		column := x.store.vectors.Load()
		err := f()
		if column != nil && isUndefined(err) {
			x.store.vectors.CompareAndSwap(column, nil)
			err = f()
		}
		return err
	})
}

// search runs a search on a pool or in a transaction.
func (x *Index) search(ctx context.Context, db querier, s *driver.Search) (driver.HitPage, error) {
	var q query
	var text string
	if s.Mode == driver.ModeList {
		text = q.list(s)
	} else {
		text = q.ranked(s, x.store.vectors.Load(), x.store.termSteps)
	}
	// Planned for these values each time: the best plan depends on them, and each combination
	// of filters is another statement.
	arguments := append([]any{pgx.QueryExecModeCacheDescribe}, q.arguments...)
	rows, err := db.Query(ctx, inSchema(text, x.store.sql.schema), arguments...)
	if err != nil {
		return driver.HitPage{}, err
	}
	return scanHits(rows, sessiondriver.ReserveParts(ctx, x))
}

func (q *query) list(s *driver.Search) string {
	conditions := append(q.scope(s.Scope), q.filter(&s.Filter)...)
	if s.After != nil {
		conditions = append(conditions, fmt.Sprintf("(r.namespace, r.user_id, r.record_id) > (%s, %s, %s)",
			q.add([]byte(s.After.Namespace), "bytea"), q.add([]byte(s.After.UserID), "bytea"), q.add([]byte(s.After.ID), "bytea")))
	}
	order := map[driver.Order]string{
		driver.OrderNewest:            "r.created_at DESC NULLS LAST, ",
		driver.OrderLeastRecentlyUsed: "greatest(r.created_at, r.last_accessed) NULLS FIRST, ",
	}[s.Order] + "r.namespace, r.user_id, r.record_id"
	total := "0::bigint"
	if !s.NoTotal {
		total = "(SELECT count(*) FROM {schema}.records r WHERE " + allOf(conditions) + ")"
	}
	return fmt.Sprintf(`SELECT n.total, 0::float8, 0::float8, 0::float8, false, %[1]s
		FROM (SELECT %[6]s AS total) n
		LEFT JOIN {schema}.records r ON r.id = ANY (ARRAY(SELECT r.id FROM {schema}.records r WHERE %[2]s
			ORDER BY %[3]s LIMIT %[4]s OFFSET %[5]s)) ORDER BY %[3]s`,
		recordColumns, allOf(conditions), order, q.add(int64(s.Limit), "bigint"), q.add(int64(s.Offset), "bigint"), total)
}

// hitColumns are the columns of hits that do not depend on the match.
const hitColumns = `r.id, r.namespace, r.user_id, r.record_id, r.created_at, r.last_accessed`

// ranked returns the statement that finds, scores and orders the matches like driver.Rank. It
// must not become quadratic when the planner's estimates are wrong: tables are joined by the
// primary key, or by a full join, which never uses nested loops.
func (q *query) ranked(s *driver.Search, vectors *vectorColumn, steps []float32) string {
	scope := allOf(q.scope(s.Scope))
	filter := allOf(append([]string{scope}, q.filter(&s.Filter)...))
	coded := "false"
	if s.Mode != driver.ModeKeyword {
		coded = fmt.Sprintf("r.dimension = %s AND r.model = %s", q.add(int32(len(s.Vector)), "integer"), q.add([]byte(s.Model), "bytea"))
	}
	var with []string
	if s.Mode != driver.ModeSemantic {
		with = append(with, q.bm25(s.Terms, scope, steps), fmt.Sprintf(`said AS MATERIALIZED (
			SELECT %s, b.bm25, 0::float8 AS similarity, false AS compared, %s AS coded
			FROM bm25 b JOIN {schema}.records r ON r.id = b.id WHERE %s)`, hitColumns, coded, filter))
	}
	total := "(SELECT count(*) FROM scored)"
	if s.Mode != driver.ModeKeyword {
		filter += " AND " + coded
		candidates := fmt.Sprintf("SELECT %s FROM {schema}.records r WHERE %s", hitColumns, filter)
		offset := ""
		if s.NoTotal || s.Ranking.MaxDistance == nil {
			c := q.candidates(s, filter)
			with = append(with, c.with...)
			candidates, offset = c.query, "OFFSET 0" // compares only these, whatever the planner expects
			if !s.NoTotal {
				total = c.total
			}
		}
		from, cosine := q.compare(s.Vector, vectors)
		with = append(with, fmt.Sprintf(`near AS MATERIALIZED (
			SELECT %s, 0::float8 AS bm25, v.similarity, true AS compared
			FROM (%s) r CROSS JOIN LATERAL (SELECT %s AS similarity FROM %s WHERE v.record = r.id %s) v)`,
			hitColumns, candidates, cosine, from, offset))
	}
	hits := map[driver.SearchMode]string{driver.ModeKeyword: "said", driver.ModeSemantic: "near", driver.ModeHybrid: "hits"}[s.Mode]
	if s.Mode == driver.ModeHybrid {
		with = append(with, `hits AS MATERIALIZED (
			SELECT id, coalesce(n.namespace, s.namespace) AS namespace, coalesce(n.user_id, s.user_id) AS user_id,
				coalesce(n.record_id, s.record_id) AS record_id, coalesce(n.created_at, s.created_at) AS created_at,
				coalesce(n.last_accessed, s.last_accessed) AS last_accessed, coalesce(s.bm25, 0) AS bm25,
				coalesce(n.similarity, 0) AS similarity, coalesce(n.compared, false) AS compared
			FROM near n FULL JOIN said s USING (id) WHERE n.compared OR NOT s.coded)`)
		if !s.NoTotal {
			total += " + (SELECT count(*) FROM said WHERE NOT coded)"
		}
	}
	with = append(with, q.scored(s, hits), fmt.Sprintf(`page AS (SELECT * FROM scored ORDER BY %s LIMIT %s OFFSET %s)`,
		hitOrder(""), q.add(int64(s.Limit), "bigint"), q.add(int64(s.Offset), "bigint")))
	return fmt.Sprintf(`WITH %s SELECT n.total, coalesce(p.score, 0), coalesce(p.similarity, 0), coalesce(p.keyword, 0),
			coalesce(p.compared, false), %s
		FROM (SELECT %s AS total) n LEFT JOIN page p ON true
		LEFT JOIN {schema}.records r ON r.id = p.id ORDER BY %s`,
		strings.Join(with, ",\n"), recordColumns, total, hitOrder("p."))
}

func hitOrder(table string) string {
	return strings.ReplaceAll("{t}score DESC, {t}created_at DESC NULLS LAST, {t}namespace, {t}user_id, {t}record_id", "{t}", table)
}

// fewTerms is the largest number of terms that are each matched separately.
const fewTerms = 30

// bm25 returns the common table expressions that end with bm25, the scores of the records in
// scope that have any of the terms. Frequencies and lengths are those of the scope. The scores
// are sums of integers, so that they do not depend on the order of addition.
func (q *query) bm25(terms []string, scope string, steps []float32) string {
	join := "JOIN"
	if len(terms) > fewTerms {
		join = "FULL JOIN" // avoids nested loops; each term is in both tables
	}
	return fmt.Sprintf(`corpus AS MATERIALIZED (
		SELECT coalesce(sum(r.records), 0)::float8 AS n, nullif(sum(r.terms) / nullif(sum(r.records), 0), 0)::float8 AS average
		FROM {schema}.owners r WHERE %[1]s),
	tf AS MATERIALIZED (%[2]s),
	idf AS MATERIALIZED (
		SELECT term, ln(1 + ((SELECT n FROM corpus) - count(*) + 0.5) / (count(*) + 0.5)) AS weight FROM tf GROUP BY term),
	bm25 AS MATERIALIZED (
		SELECT tf.id, sum((weight * count * (%[4]g + 1)
			/ (count + %[4]g * (1 - %[5]g + %[5]g * length / (SELECT average FROM corpus))) * 1e12)::bigint)::float8 / 1e12 AS bm25
		FROM tf %[3]s idf USING (term) GROUP BY tf.id)`, scope, q.frequencies(terms, scope, steps), join, driver.BM25K1, driver.BM25B)
}

// frequencies returns the query for the number of occurrences of each term in each record. For
// few terms it derives the number from ts_rank, which is fast and increases with the number
// in the given steps. For more terms it reads the positions in the tsvector.
func (q *query) frequencies(terms []string, scope string, steps []float32) string {
	if len(terms) == 0 {
		return `SELECT 0::bigint AS id, 0 AS length, ''::text AS term, 0::float8 AS count WHERE false`
	}
	var any, each []string
	for _, text := range queriesOfTerms(terms) {
		any = append(any, "r.terms @@ "+q.add(text, "text")+"::tsquery")
	}
	found := scope + " AND (" + strings.Join(any, " OR ") + ")"
	if len(terms) > fewTerms {
		for _, term := range terms {
			each = append(each, lexeme(term))
		}
		return fmt.Sprintf(`SELECT r.id, r.length, u.lexeme AS term, cardinality(u.positions)::float8 AS count
			FROM {schema}.records r, unnest(r.terms) u WHERE %s AND u.lexeme = ANY (%s)`, found, q.add(each, "text[]"))
	}
	for _, term := range terms {
		each = append(each, quotedLexeme(term))
	}
	return fmt.Sprintf(`SELECT r.id, r.length, t.query AS term, width_bucket(ts_rank('{1,1,1,1}', r.terms, t.query), (SELECT %s))::float8 AS count
			FROM {schema}.records r JOIN (SELECT u::tsquery AS query FROM unnest(%s) u OFFSET 0) t ON r.terms @@ t.query
			WHERE %s`, q.add(steps, "real[]"), q.add(each, "text[]"), found)
}

// scored returns the common table expression of the scores of hits.
func (q *query) scored(s *driver.Search, hits string) string {
	now := inRange(s.Ranking.Now).Truncate(time.Microsecond)
	decay := func(at string, half time.Duration) string {
		// PostgreSQL reports an error on underflow instead of returning 0.
		return fmt.Sprintf(`CASE WHEN date_part('epoch', %[1]s - %[2]s) <= 900 * %[3]s
			THEN power(2::float8, -greatest(0, date_part('epoch', %[1]s - %[2]s)) / %[3]s) ELSE 0 END`,
			q.add(now, "timestamptz"), at, q.add(half.Seconds(), "float8"))
	}
	score := q.score(s, "h.similarity", "h.keyword", "greatest(h.last_accessed, h.created_at)", "h.created_at", decay)
	keyword := "0::float8"
	if s.Mode != driver.ModeSemantic {
		keyword = "coalesce(bm25 / nullif((SELECT max(bm25) FROM said), 0), 0)"
	}
	near := "true"
	if s.Mode == driver.ModeSemantic && s.Ranking.MaxDistance != nil {
		near = "1 - h.similarity <= " + q.add(*s.Ranking.MaxDistance, "float8")
	}
	return fmt.Sprintf(`scored AS MATERIALIZED (
		SELECT h.id, h.namespace, h.user_id, h.record_id, h.created_at, h.similarity, h.compared, h.keyword, %[1]s AS score
		FROM (SELECT *, %[2]s AS keyword FROM %[3]s OFFSET 0) h WHERE %[4]s)`, score, keyword, hits, near)
}

// score returns the formula of driver.Ranking with expressions for the similarity, the keyword
// score and the times of a record. decay returns the power for a time and a half-life.
func (q *query) score(s *driver.Search, similarity, keyword, accessed, created string, decay func(at string, half time.Duration) string) string {
	match := similarity
	switch s.Mode {
	case driver.ModeKeyword:
		match = keyword
	case driver.ModeHybrid:
		alpha := weight(s.Ranking.Alpha)
		match = fmt.Sprintf("(%s * %s + %s * %s)", q.add(alpha, "float8"), similarity, q.add(1-alpha, "float8"), keyword)
	}
	r := s.Ranking.Recency
	if r == nil {
		return match
	}
	return fmt.Sprintf("%s * %s + %s * (%s * %s + %s * %s)",
		q.add(weight(r.Match), "float8"), match, q.add(weight(r.Fresh), "float8"),
		q.add(weight(r.Access), "float8"), decay(accessed, r.HalfAccess), q.add(weight(r.Age), "float8"), decay(created, r.HalfAge))
}

// weight limits a weight so that products stay in the range of float8.
func weight(w float64) float64 {
	const smallest, largest = 1e-15, 1e50
	if w < smallest {
		return 0
	}
	return min(w, largest)
}

func scanHits(rows pgx.Rows, reserve func(bytes int64) error) (driver.HitPage, error) {
	var page driver.HitPage
	var hit driver.Hit
	var c recordScan
	var version *int64
	into := append([]any{&page.Total, &hit.Score, &hit.Similarity, &hit.Keyword, &hit.Compared, &version}, c.into()[1:]...)
	_, err := pgx.ForEachRow(rows, into, func() (err error) {
		if version == nil {
			return nil
		}
		if err := reserve(c.memory()); err != nil {
			return err
		}
		hit.Version = uint64(*version)
		hit.Record, err = c.record()
		page.Hits = append(page.Hits, hit)
		return err
	})
	page.Total = max(page.Total, len(page.Hits)) // with NoTotal
	return page, err
}
