package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/wordvectors"
)

// With word vectors, a semantic search looks for words too, unless it has a threshold for vectors alone.
func TestSearchByWordVectors(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm, func(s *setup) { s.embedder = wordvectors.New() })
	require.Equal(t, http.StatusOK, s.do("POST", "/v1/long-term-memory/", `{"memories":[
		{"id":"car","text":"The car is being repaired."},{"id":"serial","text":"The letter of Xqzt was late."}]}`).Code)
	for body, want := range map[string][2]string{
		`{"text":"automobile"}`:                                 {"car", "hybrid"},
		`{"text":"when did the automobile of Xqzt come late?"}`: {"serial", "hybrid"},
		`{"text":"automobile","search_mode":"semantic"}`:        {"car", "hybrid"},
		`{"text":"automobile","distance_threshold":0.9}`:        {"car", "semantic"},
		`{"text":"letter","search_mode":"keyword"}`:             {"serial", "keyword"},
		`{"text":"Xqzt","search_mode":"semantic"}`:              {"serial", "keyword"},
	} {
		got := s.do("POST", "/v1/long-term-memory/search", body)
		require.Equal(t, http.StatusOK, got.Code, body)
		require.Contains(t, got.Body.String(), `"memories":[{"id":"`+want[0]+`"`, body)
		require.Contains(t, got.Body.String(), `"score_type":"`+want[1]+`"`, body)
	}
}
