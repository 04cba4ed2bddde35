package postgresstore

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/go-workingmemory/workingmemory/internal/vectorcode"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

const (
	// fewSearches is the number of searches of one owner up to which each is a statement: more
	// take less time than reading all codes does.
	fewSearches = 2
	// vectorsAtOnce is the number of vectors in the answer to a statement.
	vectorsAtOnce = 1000
)

const (
	// selectCodes returns the codes of an owner's vectors, and the vectors that have none.
	selectCodes = `SELECT c.record, c.type, c.code, NULL::real[] FROM {schema}.codes c WHERE c.space = $1
		UNION ALL SELECT r.id, r.type, NULL, v.vector FROM {schema}.records r JOIN {schema}.vectors v ON v.record = r.id
		WHERE r.owner = $2 AND r.stale AND r.model = $3 AND r.dimension = $4`
	selectVectors = `SELECT record, vector FROM {schema}.vectors WHERE record = ANY ($1::bigint[])`
	selectRecords = `SELECT ` + recordColumns + `, r.id FROM {schema}.records r WHERE r.id = ANY ($1::bigint[])`
)

// Nearest implements driver.Index. It is one transaction. Searches of one owner without a Recency
// read the codes of the owner's vectors once and compare them in the process. All others are
// statements of their own.
func (x *Index) Nearest(ctx context.Context, searches []driver.Search) ([][]driver.Hit, error) {
	if len(searches) > driver.MaxChanges {
		return nil, fmt.Errorf("postgresstore: nearest: %d searches exceed the limit of %d", len(searches), driver.MaxChanges)
	}
	groups := map[codeSpace][]int{}
	var single []int
	for i := range searches {
		s := &searches[i]
		if err := s.Check(); err != nil {
			return nil, fmt.Errorf("postgresstore: nearest: search %d: %w", i, err)
		}
		if namespace, userID, ok := s.Scope.Owner(); ok && s.Mode == driver.ModeSemantic && s.Ranking.Recency == nil {
			space := codeSpace{namespace, userID, s.Model, len(s.Vector)}
			groups[space] = append(groups[space], i)
		} else {
			single = append(single, i)
		}
	}
	for space, members := range groups {
		if len(members) <= fewSearches {
			single = append(single, members...)
			delete(groups, space)
		}
	}
	var all [][]driver.Hit
	err := x.callWithVectors(ctx, "nearest", func() error {
		all = make([][]driver.Hit, len(searches))
		options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		return pgx.BeginTxFunc(ctx, x.store.pool, options, func(tx pgx.Tx) error {
			c := comparison{index: x, tx: tx, searches: searches, hits: all, reserve: sessiondriver.ReserveParts(ctx, x)}
			for space, members := range groups {
				unsure, err := c.compare(ctx, space, members)
				if err != nil {
					return err
				}
				single = append(single, unsure...)
			}
			for _, i := range single {
				page, err := x.search(ctx, tx, &searches[i])
				if err != nil {
					return err
				}
				all[i] = page.Hits
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// codeSpace identifies vectors that can be compared.
type codeSpace struct {
	namespace, userID, model string
	dimension                int
}

// comparison compares the vectors of an owner with those of several searches.
type comparison struct {
	index    *Index
	tx       pgx.Tx
	searches []driver.Search
	hits     [][]driver.Hit // of the searches
	reserve  func(bytes int64) error
}

// codeTable has the codes of the vectors in a codeSpace.
type codeTable struct {
	ids   []int64
	types []string
	codes []uint64 // the words of all
	words int      // of a code
}

// compare sets the hits of some searches of a space. It returns those that may have more hits,
// because their filter left few of many candidates.
func (c *comparison) compare(ctx context.Context, space codeSpace, searches []int) (unsure []int, err error) {
	table, err := c.readCodes(ctx, space)
	if err != nil {
		return nil, err
	}
	asking := map[int64][]int{} // the searches whose candidate a record is
	capped := map[int]bool{}
	differences := make([]int, len(table.ids))
	for _, i := range searches {
		rows, all := table.nearest(&c.searches[i], differences)
		capped[i] = !all
		for _, row := range rows {
			asking[table.ids[row]] = append(asking[table.ids[row]], i)
		}
	}
	found, err := c.compareVectors(ctx, asking)
	if err != nil {
		return nil, err
	}
	within := map[int]int64{} // the candidates of a search that are near enough
	for _, all := range found {
		for _, f := range all {
			within[f.search]++
		}
	}
	if err := c.rank(ctx, found); err != nil {
		return nil, err
	}
	// A small part of the candidates holds nearly all records that are as near.
	return slices.DeleteFunc(slices.Clone(searches), func(i int) bool {
		s := &c.searches[i]
		return !capped[i] || len(c.hits[i]) >= s.Limit || within[i] <= candidatesOf(s)/10
	}), nil
}

// readCodes reads the codes of a space.
func (c *comparison) readCodes(ctx context.Context, space codeSpace) (*codeTable, error) {
	owner := ownerOf(space.namespace, space.userID)
	words := vectorcode.Words(min(space.dimension, driver.MaxDimensions))
	t := &codeTable{words: words}
	rows, err := c.tx.Query(ctx, c.index.store.sql.selectCodes, spaceOf(owner, space.model, space.dimension), owner, []byte(space.model), space.dimension)
	if err != nil {
		return nil, err
	}
	types := map[string]string{}
	var id int64
	var kind []byte
	var code pgtype.Bits
	var vector []float32
	_, err = pgx.ForEachRow(rows, []any{&id, &kind, &code, &vector}, func() error {
		if err := c.reserve(int64(8*words + 32)); err != nil {
			return err
		}
		name, ok := types[string(kind)]
		if !ok {
			name = string(kind)
			types[name] = name
		}
		t.ids, t.types = append(t.ids, id), append(t.types, name)
		if !code.Valid {
			t.codes = append(t.codes, vectorcode.Of(coded(vector))...)
			return nil
		}
		for i := range words {
			t.codes = append(t.codes, binary.LittleEndian.Uint64(code.Bytes[8*i:]))
		}
		return nil
	})
	return t, err
}

// nearest returns the rows of the candidates of a search, and whether these are all whose distance
// may be within its MaxDistance. It uses a slice with an element for each row.
func (t *codeTable) nearest(s *driver.Search, differences []int) (rows []int, all bool) {
	if len(t.ids) <= driver.ExactVectors {
		for row := range t.ids {
			rows = append(rows, row)
		}
		return rows, true
	}
	code := vectorcode.Of(coded(s.Vector))
	ofType := driver.RecordFilter{Type: s.Filter.Type}
	passes := map[string]bool{}
	counts := make([]int, 64*t.words+1) // of the rows with each difference
	for row, kind := range t.types {
		pass, ok := passes[kind]
		if !ok {
			pass = ofType.Matches(&driver.Record{Type: sessiondriver.RecordType(kind)})
			passes[kind] = pass
		}
		if !pass {
			differences[row] = math.MaxInt
			continue
		}
		differences[row] = vectorcode.Difference(code, t.codes[row*t.words:(row+1)*t.words])
		counts[differences[row]]++
	}
	farthest, want := -1, int(candidatesOf(s))
	bound := farthestCode(s, len(counts)-1)
	for sum := 0; sum < want && farthest < bound; {
		farthest++
		sum += counts[farthest]
	}
	for row, difference := range differences {
		if difference <= farthest {
			rows = append(rows, row)
		}
	}
	return rows, farthest == bound
}

// farthestCode returns the number of bits, of all in a code, in which the codes of vectors within
// the MaxDistance of a search hardly ever differ. The signs of numbers differ with the probability
// angle/π, and one of two numbers exceeds another level less often. Four standard deviations are
// added.
func farthestCode(s *driver.Search, bits int) int {
	if s.Ranking.MaxDistance == nil {
		return bits
	}
	p := math.Acos(max(-1, 1-*s.Ranking.MaxDistance)) / math.Pi
	n := float64(bits)
	return min(bits, int(n*p+4*math.Sqrt(n*p*(1-p))))
}

// similar is a candidate of a search with its similarity.
type similar struct {
	search     int
	similarity float64
}

// compareVectors compares the vectors of records with those of the searches that ask for them, and
// returns those within the distance of each.
func (c *comparison) compareVectors(ctx context.Context, asking map[int64][]int) (map[int64][]similar, error) {
	found := map[int64][]similar{}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(asking)), vectorsAtOnce) {
		rows, err := c.tx.Query(ctx, c.index.store.sql.selectVectors, ids)
		if err != nil {
			return nil, err
		}
		var id int64
		var vector []float32
		_, err = pgx.ForEachRow(rows, []any{&id, &vector}, func() error {
			for _, i := range asking[id] {
				s := &c.searches[i]
				similarity := driver.Similarity(s.Vector, vector)
				if s.Ranking.MaxDistance == nil || 1-similarity <= *s.Ranking.MaxDistance {
					found[id] = append(found[id], similar{i, similarity})
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// rank reads the records that were found and sets the hits of the searches.
func (c *comparison) rank(ctx context.Context, found map[int64][]similar) error {
	candidates := map[int][]driver.Candidate[string]{}
	records := map[string]driver.Hit{} // by id
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(found)), vectorsAtOnce) {
		rows, err := c.tx.Query(ctx, c.index.store.sql.selectRecords, ids)
		if err != nil {
			return err
		}
		var r recordScan
		var id int64
		_, err = pgx.ForEachRow(rows, append(r.into(), &id), func() error {
			record, err := r.record()
			if err != nil {
				return err
			}
			asked := false
			for _, f := range found[id] {
				if c.searches[f.search].Filter.Matches(&record) {
					asked = true
					candidates[f.search] = append(candidates[f.search], driver.Candidate[string]{
						ID: record.ID, Similarity: f.similarity, Compared: true, CreatedAt: record.CreatedAt,
					})
				}
			}
			if !asked {
				return nil
			}
			records[record.ID] = driver.Hit{Record: record, Version: uint64(r.version), Compared: true}
			return c.reserve(r.memory())
		})
		if err != nil {
			return err
		}
	}
	for i, matches := range candidates {
		ranked, _ := driver.Rank(&c.searches[i], matches)
		for _, match := range ranked {
			hit := records[match.ID]
			hit.Score, hit.Similarity = match.Score, match.Similarity
			c.hits[i] = append(c.hits[i], hit)
		}
	}
	return nil
}
