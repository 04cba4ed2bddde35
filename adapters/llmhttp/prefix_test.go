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
