package providers_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/vectorstores/qdrant"

	"github.com/go-workingmemory/workingmemory/adapters/langchain/providers"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

// qdrantServer answers what langchaingo's client of Qdrant asks.
type qdrantServer struct {
	mu     sync.Mutex
	points []qdrantPoint
	sent   []string // requests as they came
}

type qdrantPoint struct {
	Payload map[string]any `json:"payload"`
	Score   float32        `json:"score"`
	vector  []float32
}

func (s *qdrantServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, r.Method+" "+r.URL.Path)
	var body struct {
		Batch struct {
			Vectors  [][]float32      `json:"vectors"`
			Payloads []map[string]any `json:"payloads"`
		} `json:"batch"`
		Vector []float32 `json:"vector"`
		Limit  int       `json:"limit"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.Method == http.MethodPut {
		for i, vector := range body.Batch.Vectors {
			s.points = append(s.points, qdrantPoint{Payload: body.Batch.Payloads[i], vector: vector})
		}
		_, _ = w.Write([]byte(`{"result":{"status":"completed"}}`))
		return
	}
	found := slices.Clone(s.points)
	for i := range found {
		for j := range body.Vector {
			found[i].Score += body.Vector[j] * found[i].vector[j]
		}
	}
	slices.SortStableFunc(found, func(a, b qdrantPoint) int { return cmp.Compare(b.Score, a.Score) })
	_ = json.NewEncoder(w).Encode(map[string]any{"result": found[:min(body.Limit, len(found))]})
}

func TestVectorIndexWithQdrant(t *testing.T) {
	t.Parallel()
	server := &qdrantServer{}
	listening := httptest.NewServer(server)
	defer listening.Close()
	address, err := url.Parse(listening.URL)
	require.NoError(t, err)
	embedder := newEmbedder()
	store, err := qdrant.New(qdrant.WithURL(*address), qdrant.WithCollectionName("memories"), qdrant.WithEmbedder(embedder))
	require.NoError(t, err)

	x := &vectorIndex{t: t, base: memindex.New(nil), embedder: embedder}
	x.VectorIndex = providers.NewVectorIndex(x.base, store, nil)
	x.put(facts(40)...)
	s := x.near("aisle seats", 4)
	assert.Equal(t, x.exact(s), x.ids(s))
	assert.Equal(t, "POST /collections/memories/points/search", server.sent[len(server.sent)-1])
	assert.Len(t, server.sent, 41)
	for _, point := range server.points {
		assert.NotContains(t, point.Payload["content"], "aisle")
	}
}
