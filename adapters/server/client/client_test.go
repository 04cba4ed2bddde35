package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// recorder answers every request with what it is told to, and notes what was asked.
type recorder struct {
	mu     sync.Mutex
	asked  []asked
	answer func(n int, w http.ResponseWriter) // n: how many were before
}

type asked struct {
	line   string
	header http.Header
	body   string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	n := len(r.asked)
	r.asked = append(r.asked, asked{req.Method + " " + req.URL.RequestURI(), req.Header.Clone(), string(body)})
	r.mu.Unlock()
	if r.answer != nil {
		r.answer(n, w)
		return
	}
	_, _ = io.WriteString(w, `{"status":"ok"}`)
}

func (r *recorder) last() asked {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked[len(r.asked)-1]
}

func setup(t *testing.T, opts *client.Options, answer func(n int, w http.ResponseWriter)) (*client.Client, *recorder) {
	t.Helper()
	r := &recorder{answer: answer}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, opts)
	require.NoError(t, err)
	return c, r
}

func status(code int, body string) func(int, http.ResponseWriter) {
	return func(_ int, w http.ResponseWriter) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	text, limit := "t", wire.Int(3)
	owner := &client.Owner{Namespace: "n s", UserID: "u"}
	named := []wire.Message{{Role: "user", Content: "hi <b>", ID: "m"}}
	for _, c := range []struct {
		line string
		body string
		call func(ctx context.Context, c *client.Client) error
	}{
		{"GET /v1/health", "", func(ctx context.Context, c *client.Client) error { _, err := c.Health(ctx); return err }},
		{"GET /v1/ready", "", func(ctx context.Context, c *client.Client) error { return c.Ready(ctx) }},
		{"GET /v1/working-memory/?limit=5&namespace=n+s&offset=2&user_id=u", "", func(ctx context.Context, c *client.Client) error {
			_, err := c.Sessions(ctx, &client.ListOptions{Owner: *owner, Limit: 5, Offset: 2})
			return err
		}},
		{"GET /v1/working-memory/s?context_window_max=100&model_name=gpt-4o&recent_messages_limit=3", "", func(ctx context.Context, c *client.Client) error {
			_, err := c.Session(ctx, "s", &client.ReadOptions{Model: "gpt-4o", Window: 100, Recent: 3})
			return err
		}},
		{"PUT /v1/working-memory/s?ttl_seconds=60", `{"context":"c"}`, func(ctx context.Context, c *client.Client) error {
			summary := "c"
			_, err := c.PutSession(ctx, "s", &wire.SessionBody{Context: &summary}, &client.WriteOptions{TTLSeconds: 60})
			return err
		}},
		{"POST /v1/working-memory/s/messages", `{"messages":[{"role":"user","content":"hi <b>","id":"m","persisted_at":null,"discrete_memory_extracted":"f"}]}`, func(ctx context.Context, c *client.Client) error {
			_, err := c.Append(ctx, "s", named, nil)
			return err
		}},
		{"DELETE /v1/working-memory/s?namespace=n+s&user_id=u", "", func(ctx context.Context, c *client.Client) error {
			return c.DeleteSession(ctx, "s", &client.DeleteOptions{Owner: *owner})
		}},
		{"POST /v1/working-memory/s/tool-calls", `{"name":"list","result":[1.50]}`, func(ctx context.Context, c *client.Client) error {
			_, err := c.RecordToolCall(ctx, "s", &wire.RecordedCall{Name: "list", Result: []any{json.Number("1.50")}}, nil)
			return err
		}},
		{"GET /v1/working-memory/s/entities", "", func(ctx context.Context, c *client.Client) error { _, err := c.Entities(ctx, "s", nil); return err }},
		{"GET /v1/working-memory/s/block?budget=200", "", func(ctx context.Context, c *client.Client) error {
			_, err := c.Block(ctx, "s", 200, nil)
			return err
		}},
		{"GET /v1/working-memory/s/decisions", "", func(ctx context.Context, c *client.Client) error { _, err := c.Decisions(ctx, "s", nil); return err }},
		{"POST /v1/working-memory/s/summarize", "", func(ctx context.Context, c *client.Client) error { _, err := c.Summarize(ctx, "s", nil); return err }},
		{"POST /v1/long-term-memory/?namespace=n+s&user_id=u", `{"memories":[],"deduplicate":false}`, func(ctx context.Context, c *client.Client) error {
			no := wire.Bool(false)
			return c.CreateMemories(ctx, &wire.MemoryBody{Deduplicate: &no}, owner)
		}},
		{"POST /v1/long-term-memory/search", `{"text":"t","limit":3}`, func(ctx context.Context, c *client.Client) error {
			_, err := c.Search(ctx, &wire.Search{Text: &text, Limit: &limit})
			return err
		}},
		{"GET /v1/long-term-memory/m?namespace=n+s&user_id=u", "", func(ctx context.Context, c *client.Client) error { _, err := c.Memory(ctx, "m", owner); return err }},
		{"PATCH /v1/long-term-memory/m", `{"text":"t","topics":[]}`, func(ctx context.Context, c *client.Client) error {
			_, err := c.PatchMemory(ctx, "m", &wire.MemoryPatch{Text: &text, Topics: &wire.List{}}, nil)
			return err
		}},
		{"DELETE /v1/long-term-memory?memory_ids=a&memory_ids=b%2C", "", func(ctx context.Context, c *client.Client) error {
			_, err := c.DeleteMemories(ctx, []string{"a", "b,"}, nil)
			return err
		}},
		{"POST /v1/long-term-memory/forget?dry_run=true&limit=7&session_id=s", `{"policy":{"budget":3}}`, func(ctx context.Context, c *client.Client) error {
			_, err := c.Forget(ctx, &wire.Forget{Policy: &wire.ForgetPolicy{Budget: &limit}}, &client.ForgetOptions{SessionID: "s", Limit: 7})
			return err
		}},
		{"POST /v1/long-term-memory/compact?namespace=n+s&user_id=u", "", func(ctx context.Context, c *client.Client) error { _, err := c.Compact(ctx, owner); return err }},
		{"POST /v1/memory/prompt", `{"query":"q","long_term_search":true}`, func(ctx context.Context, c *client.Client) error {
			_, err := c.Prompt(ctx, &wire.PromptRequest{Query: "q", LongTerm: &wire.SearchOrBool{Bool: true}})
			return err
		}},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			called, r := setup(t, nil, status(200, `{"id":"m","text":"t"}`))
			require.NoError(t, c.call(t.Context(), called))
			assert.Equal(t, c.line, r.last().line)
			assert.Equal(t, c.body, r.last().body)
			assert.Empty(t, r.last().header.Get("Authorization"))
		})
	}
}

func TestIDsOfAnyKindStayOneSegment(t *testing.T) {
	t.Parallel()
	var got []string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/working-memory/{sid}", func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.PathValue("sid"))
		_, _ = io.WriteString(w, `{}`)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	c, err := client.New(server.URL+"/", nil)
	require.NoError(t, err)
	ids := []string{"a/b", "?", "#", "%", "%2F", "a b", ".", "..", "...", "é", "a+b", ";", "//", "a\\b", ":", "\x00\n", "x/../y"}
	for _, id := range ids {
		_, err := c.Session(t.Context(), id, nil)
		require.NoError(t, err, "%q", id)
	}
	assert.Equal(t, ids, got)
	_, err = c.Session(t.Context(), "", nil)
	require.EqualError(t, err, "client: the id is empty")
}

func TestConditionsAndPreferences(t *testing.T) {
	t.Parallel()
	c, r := setup(t, &client.Options{Token: "secret", Namespace: "n", UserID: "u"}, nil)
	_, err := c.PutSession(t.Context(), "s", &wire.SessionBody{}, &client.WriteOptions{IfVersion: 7, Minimal: true})
	require.NoError(t, err)
	h := r.last().header
	assert.Equal(t, `"7"`, h.Get("If-Match"))
	assert.Equal(t, "return=minimal", h.Get("Prefer"))
	assert.Equal(t, "Bearer secret", h.Get("Authorization"))
	assert.Equal(t, "application/json", h.Get("Content-Type"))
	assert.Equal(t, "PUT /v1/working-memory/s?namespace=n&user_id=u", r.last().line)
	_, err = c.Append(t.Context(), "s", nil, &client.WriteOptions{IfAbsent: true, Owner: client.Owner{UserID: "other"}})
	require.NoError(t, err)
	assert.Equal(t, "*", r.last().header.Get("If-None-Match"))
	assert.Equal(t, "POST /v1/working-memory/s/messages?namespace=n&user_id=other", r.last().line)

	_, err = c.Search(t.Context(), nil)
	require.NoError(t, err)
	assert.JSONEq(t, `{"namespace":{"eq":"n"},"user_id":{"eq":"u"}}`, r.last().body)
	_, err = c.Search(t.Context(), &wire.Search{Namespace: &wire.TextFilter{}, UserID: &wire.TextFilter{Ne: new("x")}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"namespace":{"eq":"n"},"user_id":{"ne":"x"}}`, r.last().body, "a filter that says nothing is none")
	_, err = c.Prompt(t.Context(), nil)
	require.NoError(t, err, "that there is no query is the server's to say")
	assert.JSONEq(t, `{"query":""}`, r.last().body)
	_, err = c.Prompt(t.Context(), &wire.PromptRequest{Query: "q", Session: &wire.PromptSession{SessionID: "s"}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"query":"q","session":{"session_id":"s","namespace":"n","user_id":"u"}}`, r.last().body)
	_, err = c.Prompt(t.Context(), &wire.PromptRequest{Query: "q", LongTerm: &wire.SearchOrBool{Bool: true}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"query":"q","long_term_search":{"namespace":{"eq":"n"},"user_id":{"eq":"u"}}}`, r.last().body)
}

func TestErrorsAreTyped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		is     error
		text   string
	}{
		{404, `{"detail":"Session s not found"}`, client.ErrNotFound, "client: status 404: Session s not found"},
		{401, `{"detail":"Invalid token"}`, client.ErrUnauthorized, "client: status 401: Invalid token"},
		{403, `{"detail":"no"}`, client.ErrForbidden, "client: status 403: no"},
		{412, `{"detail":"Session s has changed"}`, client.ErrStale, "client: status 412: Session s has changed"},
		{422, `{"detail":[{"type":"missing","loc":["body","query"],"msg":"Field required","input":null}]}`, client.ErrInvalid, "client: status 422: wire: body.query: Field required"},
		{413, `{"detail":"Request body is too large"}`, client.ErrInvalid, "client: status 413: Request body is too large"},
		{429, `{"detail":"Too many requests"}`, client.ErrUnavailable, "client: status 429: Too many requests"},
		{503, `<html>busy</html>`, client.ErrUnavailable, "client: status 503: Service Unavailable"},
		{302, ``, nil, "client: status 302: Found"},
		{500, `{"detail":7}`, nil, "client: status 500: Internal Server Error"},
	} {
		called, r := setup(t, &client.Options{Token: "geheim-token"}, status(c.status, c.body))
		_, err := called.Session(t.Context(), "s", nil)
		require.EqualError(t, err, c.text)
		if c.is != nil {
			require.ErrorIs(t, err, c.is)
		}
		var e *client.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, c.status, e.Status)
		assert.NotContains(t, err.Error(), "geheim")
		assert.Len(t, r.asked, 1, "retries are off")
	}
}

func TestRefusalsSayWhenToComeAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for header, want := range map[string]time.Duration{
			"": 0, "0": 0, "7": 7 * time.Second, "-3": 0, "3600": time.Hour, "99999999": time.Hour, "99999999999999999999": 0, "1.5": 0, "soon": 0,
			time.Now().Add(time.Minute).UTC().Format(http.TimeFormat): time.Minute, time.Now().Add(-time.Minute).UTC().Format(http.TimeFormat): 0,
			time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat): time.Hour,
		} {
			c, err := client.New("http://memory.test", &client.Options{HTTPClient: &http.Client{
				Transport: transport(func(*http.Request) (*http.Response, error) {
					return answer(429, http.Header{"Retry-After": {header}}, `{"detail":"Too many requests"}`), nil
				}),
			}})
			require.NoError(t, err)
			_, err = c.Health(t.Context())
			var e *client.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, want, e.RetryAfter, header)
		}
	})
}

// A token is for the server that it was given for: not for where that one points to, be it
// another port, another host, or the same one in clear text.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for name, given := range map[string]*http.Client{"none": nil, "one without a rule": {}} {
		other, seen := setup(t, nil, nil)
		require.NoError(t, other.Ready(t.Context())) // it would answer
		elsewhere := httptest.NewServer(seen)
		t.Cleanup(elsewhere.Close)
		c, _ := setup(t, &client.Options{Token: "geheim", HTTPClient: given}, func(_ int, w http.ResponseWriter) {
			w.Header().Set("Location", elsewhere.URL+"/v1/health")
			w.WriteHeader(http.StatusTemporaryRedirect)
		})
		_, err := c.Health(t.Context())
		require.EqualError(t, err, "client: status 307: Temporary Redirect", name)
		_, err = c.PutSession(t.Context(), "s", &wire.SessionBody{}, nil)
		require.Error(t, err)
		assert.Len(t, seen.asked, 1, name)
	}
	followed := 0
	c, _ := setup(t, &client.Options{HTTPClient: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		followed++
		return http.ErrUseLastResponse
	}}}, func(_ int, w http.ResponseWriter) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(http.StatusFound)
	})
	_, err := c.Health(t.Context())
	require.Error(t, err)
	assert.Equal(t, 1, followed, "a rule that is given counts")
}

func TestTokenIsInNoError(t *testing.T) {
	t.Parallel()
	_, err := client.New("http://127.0.0.1:1", &client.Options{Token: "geheim\n"})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "geheim")
	c, err := client.New("http://127.0.0.1:1", &client.Options{Token: "geheim"})
	require.NoError(t, err)
	_, err = c.Health(t.Context())
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "geheim")
	for _, bad := range []string{"", "127.0.0.1:8000", "ftp://x", "http://user:geheim@x", "http://x?y=geheim", "http://x?", "http://x#geheim", "http://", ":"} {
		_, err := client.New(bad, nil)
		require.Error(t, err, bad)
		assert.NotContains(t, err.Error(), "geheim")
	}
	_, err = client.New("http://x", &client.Options{Retries: 11})
	require.Error(t, err)
}

func TestAnswersAreLimited(t *testing.T) {
	t.Parallel()
	c, _ := setup(t, nil, func(_ int, w http.ResponseWriter) {
		chunk := []byte(strings.Repeat(" ", 1<<20))
		for range 65 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	_, err := c.Health(t.Context())
	require.ErrorIs(t, err, client.ErrAnswer)
	c, _ = setup(t, nil, status(200, `not JSON`))
	_, err = c.Health(t.Context())
	require.ErrorIs(t, err, client.ErrAnswer)
}

// transport answers in the process, so that a test can have a clock of its own.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int, header http.Header, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	read := func(ctx context.Context, c *client.Client) error { _, err := c.Session(ctx, "s", nil); return err }
	add := func(ctx context.Context, c *client.Client, messages ...wire.Message) error {
		_, err := c.Append(ctx, "s", messages, nil)
		return err
	}
	broken := func(int) (*http.Response, error) { return nil, errors.New("connection reset") }
	busy := func(after string) func(int) (*http.Response, error) {
		return func(int) (*http.Response, error) {
			return answer(503, http.Header{"Retry-After": {after}}, `{"detail":"busy"}`), nil
		}
	}
	for _, c := range []struct {
		name  string
		fails func(int) (*http.Response, error)
		call  func(ctx context.Context, c *client.Client) error
		tries int
		least time.Duration // that all of it takes
		most  time.Duration
	}{
		{"reads after broken connections", broken, read, 4, 350 * time.Millisecond, 700 * time.Millisecond},
		{"reads when asked to wait", busy("2"), read, 4, 6 * time.Second, 6 * time.Second},
		{"reads when asked to wait for ever", busy("99999999"), read, 4, 90 * time.Second, 90 * time.Second},
		{"reads when asked in words", busy("soon"), read, 4, 350 * time.Millisecond, 700 * time.Millisecond},
		{"appends with ids", broken, func(ctx context.Context, c *client.Client) error {
			return add(ctx, c, wire.Message{ID: "m", Role: "user", Content: "c"})
		}, 4, 350 * time.Millisecond, 700 * time.Millisecond},
		{"no appends without ids", broken, func(ctx context.Context, c *client.Client) error {
			return add(ctx, c, wire.Message{ID: "m", Role: "user", Content: "c"}, wire.Message{Role: "user", Content: "c"})
		}, 1, 0, 0},
		{"no PUT", broken, func(ctx context.Context, c *client.Client) error {
			_, err := c.PutSession(ctx, "s", &wire.SessionBody{}, nil)
			return err
		}, 1, 0, 0},
		{"nothing that is refused", func(int) (*http.Response, error) { return answer(404, nil, `{"detail":"no"}`), nil }, read, 1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tries, began := 0, time.Now()
				called, err := client.New("http://memory.test", &client.Options{Retries: 3, HTTPClient: &http.Client{
					Transport: transport(func(*http.Request) (*http.Response, error) { tries++; return c.fails(tries) }),
				}})
				require.NoError(t, err)
				require.Error(t, c.call(t.Context(), called))
				assert.Equal(t, c.tries, tries)
				assert.GreaterOrEqual(t, time.Since(began), c.least)
				assert.LessOrEqual(t, time.Since(began), c.most)
			})
		})
	}
}

func TestRetriesEndWithSuccessAndWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		c, err := client.New("http://memory.test", &client.Options{Retries: 5, HTTPClient: &http.Client{
			Transport: transport(func(*http.Request) (*http.Response, error) {
				if tries++; tries < 3 {
					return answer(429, nil, ``), nil
				}
				return answer(200, nil, `{"now":5}`), nil
			}),
		}})
		require.NoError(t, err)
		health, err := c.Health(t.Context())
		require.NoError(t, err)
		assert.Equal(t, int64(5), health.Now)

		tries = -100
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		_, err = c.Health(ctx)
		require.ErrorIs(t, err, client.ErrUnavailable)
		require.ErrorIs(t, err, context.DeadlineExceeded, "it would have tried again")
		assert.Equal(t, -99, tries)
	})
}

func TestRequestsTimeOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := client.New("http://memory.test", &client.Options{HTTPClient: &http.Client{
			Transport: transport(func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() }),
		}})
		require.NoError(t, err)
		began := time.Now()
		_, err = c.Health(t.Context())
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, client.Timeout, time.Since(began))
	})
}
