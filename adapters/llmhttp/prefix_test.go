package llmhttp

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// What is kept of requests shows nowhere else.
func TestPrefixesAreBounded(t *testing.T) {
	t.Parallel()
	w := New(nil, &Options{Conversations: 10})
	for i := range 20 {
		ctx := middleware.WithRecorder(t.Context(), new(middleware.Recorder))
		for j := range 2 * maxBranches {
			body := `{"messages":[` + strings.Repeat(fmt.Sprintf(`{"role":"user","content":"%d %d"},`, i, j), 8) + `{}]}`
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/chat/completions", strings.NewReader(body))
			require.NoError(t, err)
			_, err = w.Middleware(req, func(sent *http.Request) (*http.Response, error) {
				_, err := io.ReadAll(sent.Body)
				return nil, err
			})
			require.NoError(t, err)
		}
		assert.LessOrEqual(t, len(w.prefixes.known), 10)
		assert.Len(t, w.prefixes.branches(w.prefixes.known[len(w.prefixes.known)-1].recorder), maxBranches)
	}
	for _, r := range w.prefixes.known {
		assert.Len(t, r.messages, 9-unstable)
		assert.Len(t, r.outline, 9-unstable)
	}
}

// How passages were shown is kept within bounds, and that of the last ones is kept.
func TestShownIsBounded(t *testing.T) {
	t.Parallel()
	var r recency
	as := shown{texts: []string{strings.Repeat("x", 1<<20)}}
	for i := range 100 {
		r.put(passageKey{digest: uint64(i)}, as)
		_, ok := r.get(passageKey{digest: 0})
		assert.True(t, ok, "used each time")
	}
	assert.LessOrEqual(t, len(r.young)+len(r.old), 2*maxPassages>>20+2)
	_, ok := r.get(passageKey{digest: 1})
	assert.False(t, ok)
	_, ok = r.get(passageKey{digest: 99})
	assert.True(t, ok)

	body := []byte(strings.Repeat(" ", 100))
	for size, want := range map[int]int{maxShown / 2: 1, maxShown + 1: 0} {
		p := newPrefixes(1)
		known := p.take(nil, chatAPI{}, body)
		known.messages, known.outline = []span{{0, 40}, {40, 80}}, make([]prompt.Message, 2)
		known.stable.length, known.rewritten = 1, 2
		known.shown.add(span{20, 30}, make([]byte, size))
		known.shown.add(span{50, 60}, make([]byte, maxShown)) // not of the stable beginning
		p.put(known, body)
		assert.Len(t, p.known, want)
		for _, r := range p.known {
			assert.Len(t, r.shown, 1)
			assert.Equal(t, 1, r.rewritten)
		}
	}
}
