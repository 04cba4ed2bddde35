package translate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// degrees is an embedder that embeds a text ending in "@30" as a vector at 30 degrees.
type degrees struct{ broken bool }

func (*degrees) Model() string { return "degrees" }

func (d *degrees) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if d.broken {
		return nil, errors.New("embedder is away")
	}
	var vectors [][]float32
	for _, text := range texts {
		_, at, _ := strings.Cut(text, "@")
		angle, _ := strconv.ParseFloat(at, 64)
		sin, cos := math.Sincos(angle / 180 * math.Pi)
		vectors = append(vectors, []float32{float32(cos), float32(sin)})
	}
	return vectors, nil
}

func cosine(angle float64) float64 { return math.Cos(angle / 180 * math.Pi) }

func TestScoresOfASemanticSearch(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, &degrees{})
	w.create(t, `{"id":"same","text":"a @0"},{"id":"near","text":"b @60"},{"id":"right","text":"c @90"},{"id":"against","text":"d @180"}`)
	// dist is 1 − cosine, and score the cosine, or 0 if it is negative.
	want := []struct {
		id          string
		dist, score float64
	}{{"same", 0, 1}, {"near", 0.5, 0.5}, {"right", 1, 0}, {"against", 2, 0}}
	for _, search := range []string{`{"text":"q @0"}`, `{"text":"q @0","search_mode":"semantic","recency_boost":"false","limit":"100"}`} {
		found := w.find(t, unbound, search)
		require.Len(t, found.Memories, 4)
		for i, c := range want {
			m := found.Memories[i]
			assert.Equal(t, c.id, m.ID)
			assert.InDelta(t, c.dist, m.Dist, 1e-6, c.id)
			assert.InDelta(t, c.score, *m.Score, 1e-6, c.id)
			assert.Equal(t, "semantic", *m.ScoreType)
		}
	}
	for threshold, ids := range map[string][]string{
		"0.000001": {"same"}, "0.49": {"same"}, "0.51": {"same", "near"}, `"1.5"`: {"same", "near", "right"}, "3": {"same", "near", "right", "against"},
	} {
		found := w.find(t, unbound, `{"text":"q @0","distance_threshold":`+threshold+`}`)
		assert.Equal(t, ids, idsOf(found.Memories), threshold)
		assert.Equal(t, len(ids), found.Total)
	}
	assert.Empty(t, w.findIDs(t, unbound, `{"text":"q @10","distance_threshold":0}`), "0 is a threshold")
}

func TestScoresOfAKeywordSearch(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	w.create(t, `{"id":"short","text":"tea now"},{"id":"long","text":"tea cups plates spoons"},{"id":"none","text":"beer wine"}`)
	// BM25 with k1 = 1.2 and b = 0.75. The lengths are 2 and 4 terms, and 8/3 on average; the
	// weight of the term cancels out.
	part := func(length float64) float64 { return 2.2 / (1 + 1.2*(0.25+0.75*length/(8.0/3))) }
	for _, search := range []string{`{"text":"tea","search_mode":"keyword"}`, `{"text":"tea"}`, `{"text":"tea","search_mode":"hybrid"}`} {
		found := w.find(t, unbound, search)
		require.Equal(t, []string{"short", "long"}, idsOf(found.Memories))
		assert.InDelta(t, 1, *found.Memories[0].Score, 1e-9)
		assert.InDelta(t, 0, found.Memories[0].Dist, 1e-9)
		assert.InDelta(t, part(4)/part(2), *found.Memories[1].Score, 1e-9)
		assert.InDelta(t, 1-part(4)/part(2), found.Memories[1].Dist, 1e-9)
		assert.Equal(t, "keyword", *found.Memories[1].ScoreType, "what it was, without an embedder")
		assert.Equal(t, 2, found.Total)
	}
}

func TestScoresOfAHybridSearch(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, &degrees{})
	w.create(t, `{"id":"words","text":"tea @90"},{"id":"vector","text":"beer @60"},{"id":"against","text":"wine @180"}`)
	for alpha, scores := range map[string]map[string]float64{
		"":                       {"words": 0.3, "vector": 0.35, "against": 0},
		`,"hybrid_alpha":0.5`:    {"words": 0.5, "vector": 0.25, "against": 0},
		`,"hybrid_alpha":0`:      {"words": 1, "vector": 0, "against": 0},
		`,"hybrid_alpha":"1.00"`: {"words": 0, "vector": 0.5, "against": 0},
	} {
		found := w.find(t, unbound, `{"text":"tea @0","search_mode":"hybrid","recency_boost":false`+alpha+`}`)
		require.Len(t, found.Memories, 3)
		for _, m := range found.Memories {
			assert.InDelta(t, scores[m.ID], *m.Score, 1e-6, "%s %s", alpha, m.ID)
			assert.InDelta(t, 1-scores[m.ID], m.Dist, 1e-6)
			assert.Equal(t, "hybrid", *m.ScoreType)
		}
	}
}

// The match counts 0.8 and recency 0.2. Of recency, the last use counts 0.6 and halves in 7 days,
// and the age counts 0.4 and halves in 30 days. Each case compares a memory that matches by 0.5
// with a ten years old one, whose recency is 0, at an angle at which the old one just wins and
// one at which it just loses.
func TestRecencyOfASearch(t *testing.T) {
	t.Parallel()
	const now, weekAgo, monthAgo = "2026-03-01T12:00:00Z", "2026-02-22T12:00:00Z", "2026-01-30T12:00:00Z"
	for name, c := range map[string]struct {
		accessed, created string
		options           string
		score             float64 // of the first
		wins, loses       float64 // angles of the second
	}{
		"fresh":          {now, now, "", 0.8*0.5 + 0.2, 41, 42},
		"half":           {weekAgo, monthAgo, "", 0.8*0.5 + 0.2*(0.6/2+0.4/2), 51, 52},
		"explicit":       {now, now, `,"recency_boost":true,"recency_semantic_weight":"0.8","recency_recency_weight":0.2`, 0.6, 41, 42},
		"used now":       {now, monthAgo, "", 0.8*0.5 + 0.2*(0.6+0.4/2), 45, 46},
		"weights":        {now, monthAgo, `,"recency_freshness_weight":1,"recency_novelty_weight":0`, 0.8*0.5 + 0.2, 41, 42},
		"half-lives":     {weekAgo, monthAgo, `,"recency_half_life_last_access_days":3.5,"recency_half_life_created_days":"15"`, 0.8*0.5 + 0.2*(0.6/4+0.4/4), 55, 56},
		"short lives":    {weekAgo, monthAgo, `,"recency_half_life_last_access_days":0,"recency_half_life_created_days":-3`, 0.8 * 0.5, 59, 61},
		"no boost":       {now, now, `,"recency_boost":"false"`, 0.5, 59, 61},
		"no weight":      {now, now, `,"recency_recency_weight":0`, 0.4, 59, 61},
		"matches little": {now, now, `,"recency_semantic_weight":0.5`, 0.5*0.5 + 0.2, 25, 26},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			weight := 0.8
			switch name {
			case "no boost":
				weight = 1
			case "matches little":
				weight = 0.5
			}
			require.Greater(t, weight*cosine(c.wins), c.score)
			require.Less(t, weight*cosine(c.loses), c.score)
			for angle, want := range map[float64][]string{c.wins: {"old", "new"}, c.loses: {"new", "old"}} {
				w := newMemoryWorld(t, &degrees{})
				w.create(t, fmt.Sprintf(`{"id":"new","text":"a @60","last_accessed":%q,"created_at":%q},
					{"id":"old","text":"b @%v","last_accessed":"2016-03-01T12:00:00Z","created_at":"2016-03-01T12:00:00Z","session_id":"other"}`, c.accessed, c.created, angle))
				found := w.find(t, unbound, `{"text":"q @0"`+c.options+`}`)
				assert.Equal(t, want, idsOf(found.Memories), "%v degrees", angle)
				for _, m := range found.Memories {
					match := cosine(map[string]float64{"new": 60, "old": angle}[m.ID])
					assert.InDelta(t, match, *m.Score, 1e-6, "of the match alone")
					assert.InDelta(t, 1-match, m.Dist, 1e-6)
				}
			}
		})
	}
}

func TestSearchWithoutAnEmbedder(t *testing.T) {
	t.Parallel()
	broken := &degrees{}
	for name, w := range map[string]*memoryWorld{"none": newMemoryWorld(t, nil), "away": newMemoryWorld(t, broken)} {
		w.create(t, `{"id":"a","text":"Anna likes window seats. @10"},{"id":"b","text":"Bob drinks tea. @90"}`)
		broken.broken = name == "away"
		for _, search := range []string{`{"text":"window seat"}`, `{"text":"window seat","search_mode":"hybrid"}`, `{"text":"window seat","distance_threshold":0.1}`} {
			found := w.find(t, unbound, search)
			assert.Equal(t, []string{"a"}, idsOf(found.Memories), name)
			assert.Equal(t, "keyword", *found.Memories[0].ScoreType)
		}
	}
	w := newMemoryWorld(t, &degrees{broken: true})
	refuses(t, service.Unavailable, w.CreateMemories(t.Context(), unbound, nil, nil, body[wire.MemoryBody](t, `{"memories":[{"id":"a","text":"x"}]}`)))
}

// Ranks and scores do not depend on the memories of other owners.
func TestScoresIgnoreOtherOwners(t *testing.T) {
	t.Parallel()
	const own = `{"id":"short","text":"tea now","namespace":"shop","user_id":"anna"},{"id":"long","text":"tea cups plates spoons","namespace":"shop","user_id":"anna"}`
	alone, among := newMemoryWorld(t, nil), newMemoryWorld(t, nil)
	alone.create(t, own)
	among.create(t, own+`,{"id":"bobs","text":"`+strings.Repeat("tea beer wine ", 50)+`","namespace":"shop","user_id":"bob"},{"id":"hers","text":"`+strings.Repeat("tea beer wine ", 50)+`","namespace":"home","user_id":"anna"}`)
	const search = `{"text":"tea","namespace":{"eq":"shop"},"user_id":{"eq":"anna"}}`
	want := alone.find(t, unbound, search)
	require.Len(t, want.Memories, 2)
	assert.Equal(t, want, among.find(t, unbound, search))
	_, err := among.SearchMemories(t.Context(), service.Tenant{Namespace: "work"},
		body[wire.Search](t, `{"namespace":{"eq":"shop"},"created_at":{"between":["2026-01-02","2026-01-01"]}}`))
	refuses(t, service.Invalid, err)
}
