package servertest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const modelKey = "sk-secret-of-the-model"

// model is an endpoint that speaks OpenAI's protocol, and notes what it was asked.
type model struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string
	broken bool
}

func startModel(t *testing.T) *model {
	m := &model{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", m.chat)
	mux.HandleFunc("POST /v1/embeddings", embeddings)
	m.Server = httptest.NewServer(mux)
	t.Cleanup(m.Close)
	return m
}

func (m *model) chat(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages []struct{ Content json.RawMessage }
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	var prompt strings.Builder
	for _, message := range body.Messages {
		prompt.Write(message.Content)
	}
	m.mu.Lock()
	m.asked = append(m.asked, prompt.String())
	n, broken := len(m.asked), m.broken
	m.mu.Unlock()
	if broken || r.Header.Get("Authorization") != "Bearer "+modelKey {
		http.Error(w, `{"error":{"message":"it is broken, as is zebrafinch"}}`, http.StatusInternalServerError)
		return
	}
	answer := fmt.Sprintf("Summary no. %d of the harvest.", n)
	if strings.Contains(prompt.String(), `\"memories\"`) {
		answer = `{"memories":[]}`
	}
	reply(w, map[string]any{"id": "1", "object": "chat.completion", "choices": []any{map[string]any{
		"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": answer},
	}}, "usage": map[string]any{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
}

// embeddings answers vectors that are alike where texts share words.
func embeddings(w http.ResponseWriter, r *http.Request) {
	var body struct{ Input any }
	_ = json.NewDecoder(r.Body).Decode(&body)
	texts, ok := body.Input.([]any)
	if !ok {
		texts = []any{body.Input}
	}
	data := []any{}
	for i, text := range texts {
		vector := make([]float64, 64)
		for word := range strings.FieldsSeq(strings.ToLower(fmt.Sprint(text))) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(word))
			vector[h.Sum32()%64]++
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vector})
	}
	reply(w, map[string]any{"object": "list", "model": "m", "data": data, "usage": map[string]any{"prompt_tokens": 1, "total_tokens": 1}})
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// heard says whether one prompt had all of some texts.
func (m *model) heard(texts ...string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, prompt := range m.asked {
		all := true
		for _, text := range texts {
			all = all && strings.Contains(prompt, text)
		}
		if all {
			return true
		}
	}
	return false
}

func (m *model) breakDown(broken bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = broken
}

func TestModel(t *testing.T) {
	t.Parallel()
	m := startModel(t)
	p := start(t, settings{
		store: "sqlite:" + filepath.Join(t.TempDir(), "wmem.db"),
		args:  append([]string{"--model", "gpt-4o-mini", "--embedding-model", "text-embedding-3-small", "--base-url", m.URL + "/v1"}, estimate...),
		env:   []string{"OPENAI_API_KEY=" + modelKey},
	})
	p.logs.forbid(modelKey)
	t.Run("previous context reaches the next summary", func(t *testing.T) {
		c := call(t, p)
		const window = "context_window_max=500"
		first := c.put(c.wm("s", window), `{"context":"They met before noon.","messages":`+talk(30)+`}`).ok()
		require.True(t, m.heard("They met before noon.", "sentence number 0 "), "the context and the messages are in one prompt")
		summary := regexp.MustCompile(`Summary no\. \d+ of the harvest`).FindString(first.text("context"))
		require.NotEmpty(t, summary, first.text("context"))
		second := c.post(c.of("s", "messages", window), `{"messages":`+talkFrom(30, 60)+`}`).ok()
		require.True(t, m.heard(summary, "sentence number 31 "), "so are the summary and what follows")
		require.NotContains(t, second.text("context"), summary+".", "the next one replaces it")
	})
	t.Run("a model that fails loses nothing and fails no write", func(t *testing.T) {
		c := call(t, p)
		m.breakDown(true)
		a := c.put(c.wm("s", "context_window_max=500"), `{"messages":`+talk(30)+`}`).ok()
		require.Equal(t, ids(0, 30), a.all("id", "messages"))
		require.Nil(t, a.at("context"))
		m.breakDown(false)
		a = c.post(c.of("s", "summarize"), ``).ok()
		require.NotEmpty(t, c.get(c.wm("s")).ok().text("context"), "%s", a.raw)
	})
	t.Run("searches by meaning", func(t *testing.T) {
		c := call(t, p)
		c.remember(`"id":"a","text":"the zebrafinch sings at dawn"`, `"id":"b","text":"bread comes out of ovens"`)
		for mode, kind := range map[string]string{"semantic": "semantic", "hybrid": "hybrid", "keyword": "keyword"} {
			a := c.search(`,"text":"the zebrafinch sings","search_mode":"` + mode + `"`).ok()
			require.Equal(t, "a", a.text("memories", 0, "id"), mode)
			assert.Equal(t, kind, a.text("memories", 0, "score_type"))
		}
		weighed := func(alpha string) float64 {
			return c.search(`,"text":"the zebrafinch sings","search_mode":"hybrid","hybrid_alpha":`+alpha).ok().number("memories", 0, "score")
		}
		require.NotEqual(t, weighed("0"), weighed("1"), "keywords alone, and meaning alone")
		require.InDelta(t, 0.7*weighed("1")+0.3*weighed("0"), c.search(`,"text":"the zebrafinch sings","search_mode":"hybrid"`).ok().number("memories", 0, "score"), 1e-6, "0.7 by default")
		a := c.search(`,"text":"the zebrafinch sings at dawn","distance_threshold":0.01`).ok()
		require.Equal(t, []string{"a"}, a.all("id", "memories"))
		assert.InDelta(t, 0, a.number("memories", 0, "dist"), 1e-6)
		require.Empty(t, c.search(`,"text":"something quite else","distance_threshold":0`).ok().list("memories"))
	})
}
