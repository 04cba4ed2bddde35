package recall

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/porter"
	_ "modernc.org/sqlite" // the driver of FTS5

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// baselines are searches to compare with, on the texts of records alone.
var baselines = []struct {
	name string
	open func(ctx context.Context, records []longterm.Record) (search searchFunc, close func() error, err error)
}{
	{"BM25", openBM25}, {"FTS5", openFTS5},
}

// openBM25 returns BM25 as in a textbook: k1 1.2, b 0.75, the stems of Porter, and no stop words in
// questions.
func openBM25(_ context.Context, records []longterm.Record) (searchFunc, func() error, error) {
	counts, lengths, having, total := make([]map[string]float64, len(records)), make([]float64, len(records)), map[string]float64{}, 0.0
	for i := range records {
		counts[i] = map[string]float64{}
		for _, term := range porterTerms(records[i].Text) {
			counts[i][term]++
			lengths[i]++
		}
		for term := range counts[i] {
			having[term]++
		}
		total += lengths[i]
	}
	search := func(_ context.Context, question string) ([]string, error) {
		const k1, b = 1.2, 0.75
		n, scores := float64(len(records)), make([]float64, len(records))
		for _, term := range slices.Compact(slices.Sorted(slices.Values(porterTerms(contentWords(question))))) {
			rarity := math.Log(1 + (n-having[term]+0.5)/(having[term]+0.5))
			for i := range records {
				f := counts[i][term]
				scores[i] += rarity * f * (k1 + 1) / (f + k1*(1-b+b*lengths[i]*n/total))
			}
		}
		var found []int
		for i, score := range scores {
			if score > 0 {
				found = append(found, i)
			}
		}
		slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
		ids := make([]string, len(found))
		for i, at := range found {
			ids[i] = records[at].ID
		}
		return ids, nil
	}
	return search, func() error { return nil }, nil
}

// openFTS5 returns the full-text search of SQLite with its Porter tokenizer, for any of the words of
// a question but stop words.
func openFTS5(ctx context.Context, records []longterm.Record) (searchFunc, func() error, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	fill := func() error {
		if _, err := db.ExecContext(ctx, `CREATE VIRTUAL TABLE texts USING fts5 (id UNINDEXED, text, tokenize = 'porter unicode61')`); err != nil {
			return err
		}
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		for i := range records {
			if _, err := tx.ExecContext(ctx, `INSERT INTO texts (id, text) VALUES (?, ?)`, records[i].ID, records[i].Text); err != nil {
				return errors.Join(err, tx.Rollback())
			}
		}
		return tx.Commit()
	}
	if err := fill(); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	search := func(ctx context.Context, question string) (ids []string, err error) {
		words := splitWords(contentWords(question))
		if len(words) == 0 {
			return nil, nil
		}
		rows, err := db.QueryContext(ctx, `SELECT id FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?`, `"`+strings.Join(words, `" OR "`)+`"`, depth)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
		return ids, rows.Err()
	}
	return search, db.Close, nil
}

// contentWords returns the words of a question that are no stop words.
func contentWords(question string) string {
	return strings.Join(slices.DeleteFunc(splitWords(question), func(word string) bool { return len(driver.QueryTerms(word)) == 0 }), " ")
}

func splitWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func porterTerms(text string) []string {
	words := splitWords(text)
	for i, word := range words {
		env := snowballstem.NewEnv(word)
		porter.Stem(env)
		words[i] = env.Current()
	}
	return words
}
