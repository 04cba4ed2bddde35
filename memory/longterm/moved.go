package longterm

import (
	"cmp"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

type (
	Index                    = driver.Index
	Entry                    = driver.Entry
	Lookup                   = driver.Lookup
	Change                   = driver.RecordChange
	Search                   = driver.Search
	Page                     = driver.HitPage
	Key                      = driver.RecordKey
	Filter                   = RecordFilter
	Text                     = TextCondition
	Time                     = TimeCondition
	Ranking                  = driver.Ranking
	Candidate[T cmp.Ordered] = driver.Candidate[T]
	MemoryIndex              = memindex.Index
	MemoryIndexOptions       = memindex.Options
	Forgotten                = ForgetResult
)

const (
	MaxChanges       = driver.MaxChanges
	MaxConditions    = driver.MaxConditions
	MaxDimensions    = driver.MaxDimensions
	MaxIDBytes       = driver.MaxIDBytes
	MaxTextBytes     = driver.MaxTextBytes
	MaxRecordBytes   = driver.MaxRecordBytes
	MaxTags          = driver.MaxTags
	MaxMetadataDepth = driver.MaxMetadataDepth
)

func NewMemoryIndex(opts *memindex.Options) *memindex.Index { return memindex.New(opts) }

func KeyOf(r *driver.Record) driver.RecordKey { return driver.KeyOf(r) }

func Check(r *driver.Record) error { return driver.CheckRecord(r) }

func HashOf(r *driver.Record, acrossSessions bool) string { return driver.HashOf(r, acrossSessions) }

func Terms(text string) []string { return driver.Terms(text) }

func QueryTerms(question string) []string { return driver.QueryTerms(question) }

func Similarity(a, b []float32) float64 { return driver.Similarity(a, b) }

func Rank[T cmp.Ordered](s *driver.Search, found []driver.Candidate[T]) (page []driver.Candidate[T], total int) {
	return driver.Rank(s, found)
}
