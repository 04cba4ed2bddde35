package translate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
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

// A score is how well a memory matches, by vectors, words or both. Its complement is the distance,
// which is greater for opposite vectors.
func TestScoresOfASearch(t *testing.T) {
	t.Parallel()
	w := newRemembering(t, memindex.New(nil), &degrees{})
	w.create(t, `{"id":"words","text":"tea @90"},{"id":"vector","text":"beer @60"},{"id":"against","text":"wine @180"}`)
	for _, c := range []struct {
		options, by string
		scores      map[string]float64
	}{
		{``, "semantic", map[string]float64{"vector": 0.5, "words": 0, "against": 0}},
		{`,"search_mode":"semantic","distance_threshold":0.6`, "semantic", map[string]float64{"vector": 0.5}},
		{`,"search_mode":"keyword"`, "keyword", map[string]float64{"words": 1}},
		{`,"search_mode":"hybrid"`, "hybrid", map[string]float64{"words": 0.3, "vector": 0.35, "against": 0}},
		{`,"search_mode":"hybrid","hybrid_alpha":0.5`, "hybrid", map[string]float64{"words": 0.5, "vector": 0.25, "against": 0}},
		{`,"search_mode":"hybrid","hybrid_alpha":0`, "hybrid", map[string]float64{"words": 1, "vector": 0, "against": 0}},
		{`,"search_mode":"hybrid","hybrid_alpha":"1.00"`, "hybrid", map[string]float64{"words": 0, "vector": 0.5, "against": 0}},
	} {
		found := w.find(t, everybody, `{"text":"tea @0","recency_boost":false`+c.options+`}`)
		require.Len(t, found.Memories, len(c.scores), c.options)
		for _, m := range found.Memories {
			distance := 1 - c.scores[m.ID]
			if c.by == "semantic" && m.ID == "against" {
				distance = 2
			}
			assert.InDelta(t, c.scores[m.ID], *m.Score, 1e-6, "%s %s", c.options, m.ID)
			assert.InDelta(t, distance, m.Dist, 1e-6, "%s %s", c.options, m.ID)
			assert.Equal(t, c.by, *m.ScoreType)
		}
	}
	for _, mode := range []string{"keyword", "hybrid"} {
		_, err := w.SearchMemories(t.Context(), everybody, body[wire.Search](t, `{"text":"x","search_mode":"`+mode+`","distance_threshold":1}`))
		requireKind(t, service.Bad, err)
	}
}

// The match counts 0.8 and recency 0.2. Of recency, the last use counts 0.6 and halves in 7 days,
// and the age counts 0.4 and halves in 30 days. Each case compares a memory that matches by 0.5
// with a ten years old one, whose recency is 0, at an angle at which the old one just wins and
// one at which it just loses.
func TestRecencyOfASearch(t *testing.T) {
	t.Parallel()
	daysAgo := func(days int) string { return start.AddDate(0, 0, -days).Format(time.RFC3339Nano) }
	now, weekAgo, monthAgo := daysAgo(0), daysAgo(7), daysAgo(30)
	for name, c := range map[string]struct {
		accessed, created, options string
		wins, loses                float64 // angles of the second
	}{
		"weights":        {now, monthAgo, `,"recency_freshness_weight":1,"recency_novelty_weight":0`, 41, 42},
		"half-lives":     {weekAgo, monthAgo, `,"recency_half_life_last_access_days":3.5,"recency_half_life_created_days":"15"`, 55, 56},
		"short lives":    {weekAgo, monthAgo, `,"recency_half_life_last_access_days":0,"recency_half_life_created_days":-3`, 59, 61},
		"no boost":       {now, now, `,"recency_boost":"false"`, 59, 61},
		"no weight":      {now, now, `,"recency_recency_weight":0`, 59, 61},
		"matches little": {now, now, `,"recency_semantic_weight":0.5`, 25, 26},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for angle, want := range map[float64][]string{c.wins: {"old", "new"}, c.loses: {"new", "old"}} {
				w := newRemembering(t, memindex.New(nil), &degrees{})
				w.create(t, fmt.Sprintf(`{"id":"new","text":"a @60","last_accessed":%q,"created_at":%q},
					{"id":"old","text":"b @%v","last_accessed":"2016-03-01T12:00:00Z","created_at":"2016-03-01T12:00:00Z","session_id":"other"}`, c.accessed, c.created, angle))
				found := w.find(t, everybody, `{"text":"q @0"`+c.options+`}`)
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
	for name, w := range map[string]*working{"none": newRemembering(t, memindex.New(nil), nil), "away": newRemembering(t, memindex.New(nil), broken)} {
		w.create(t, `{"id":"a","text":"Anna likes window seats. @10"},{"id":"b","text":"Bob drinks tea. @90"}`)
		broken.broken = name == "away"
		for _, search := range []string{`{"text":"window seat"}`, `{"text":"window seat","search_mode":"hybrid"}`, `{"text":"window seat","distance_threshold":0.1}`} {
			found := w.find(t, everybody, search)
			assert.Equal(t, []string{"a"}, idsOf(found.Memories), name)
			assert.Equal(t, "keyword", *found.Memories[0].ScoreType)
		}
	}
	w := newRemembering(t, memindex.New(nil), &degrees{broken: true})
	requireKind(t, service.Unavailable, w.CreateMemories(t.Context(), everybody, nil, nil, body[wire.MemoryBody](t, `{"memories":[{"id":"a","text":"x"}]}`)))
}

// Ranks and scores do not depend on the memories of other owners.
func TestScoresIgnoreOtherOwners(t *testing.T) {
	t.Parallel()
	const own = `{"id":"short","text":"tea now","namespace":"shop","user_id":"anna"},{"id":"long","text":"tea cups plates spoons","namespace":"shop","user_id":"anna"}`
	alone, among := newRemembering(t, memindex.New(nil), nil), newRemembering(t, memindex.New(nil), nil)
	alone.create(t, own)
	among.create(t, own+`,{"id":"bobs","text":"`+strings.Repeat("tea beer wine ", 50)+`","namespace":"shop","user_id":"bob"},{"id":"hers","text":"`+strings.Repeat("tea beer wine ", 50)+`","namespace":"home","user_id":"anna"}`)
	const search = `{"text":"tea","namespace":{"eq":"shop"},"user_id":{"eq":"anna"}}`
	want := alone.find(t, everybody, search)
	require.Len(t, want.Memories, 2)
	assert.Equal(t, want, among.find(t, everybody, search))
	_, err := among.SearchMemories(t.Context(), service.Tenant{Namespace: "work"},
		body[wire.Search](t, `{"namespace":{"eq":"shop"},"created_at":{"between":["2026-01-02","2026-01-01"]}}`))
	requireKind(t, service.Invalid, err)
}
