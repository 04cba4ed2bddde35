package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// transport is an http.RoundTripper in the process, so that tests can run in a synctest bubble.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int, header http.Header, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}
}

// setup returns a client whose requests do answers.
func setup(t *testing.T, opts client.Options, do transport) *client.Client {
	t.Helper()
	opts.HTTPClient = &http.Client{Transport: do}
	c, err := client.New("http://memory.test/", &opts)
	require.NoError(t, err)
	return c
}

// record returns a transport that stores each request and its body.
func record(last **http.Request, body *string) transport {
	return func(r *http.Request) (*http.Response, error) {
		*last, *body = r, ""
		if r.Body != nil {
			data, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			*body = string(data)
		}
		return answer(200, nil, `{"id":"m","text":"t","arguments":{}}`), nil
	}
}

// errorOf drops a result.
func errorOf[T any](_ T, err error) error { return err }

func TestRequests(t *testing.T) {
	t.Parallel()
	text, limit, no := "t", wire.Int(3), wire.Bool(false)
	owner := client.Owner{Namespace: "n s", UserID: "u"}
	for _, tc := range []struct {
		line string
		body string
		call func(ctx context.Context, c *client.Client) error
	}{
		{"GET /v1/health", "", func(ctx context.Context, c *client.Client) error { return errorOf(c.Health(ctx)) }},
		{"GET /v1/ready", "", func(ctx context.Context, c *client.Client) error { return c.Ready(ctx) }},
		{"GET /v1/working-memory/?limit=5&namespace=n+s&offset=2&user_id=u", "", func(ctx context.Context, c *client.Client) error {
			return errorOf(c.Sessions(ctx, &client.ListOptions{Owner: owner, Limit: 5, Offset: 2}))
		}},
		{"GET /v1/working-memory/s?context_window_max=100&model_name=gpt-4o&recent_messages_limit=3", "", func(ctx context.Context, c *client.Client) error {
			return errorOf(c.Session(ctx, "s", &client.ReadOptions{Model: "gpt-4o", Window: 100, Recent: 3}))
		}},
		{"PUT /v1/working-memory/s?context_window_max=9&model_name=m&ttl_seconds=60", `{"context":"t"}`, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.PutSession(ctx, "s", &wire.SessionBody{Context: &text}, &client.WriteOptions{Model: "m", Window: 9, TTLSeconds: 60}))
		}},
		{"POST /v1/working-memory/s/messages", `{"messages":[{"role":"user","content":"hi <b>","id":"m","persisted_at":null,"discrete_memory_extracted":"f"}]}`, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.Append(ctx, "s", []wire.Message{{Role: "user", Content: "hi <b>", ID: "m"}}, nil))
		}},
		{"DELETE /v1/working-memory/s?namespace=n+s&user_id=u", "", func(ctx context.Context, c *client.Client) error {
			return c.DeleteSession(ctx, "s", &client.DeleteOptions{Owner: owner})
		}},
		{"POST /v1/working-memory/s/tool-calls", `{"name":"list","result":[1.50]}`, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.RecordToolCall(ctx, "s", &wire.RecordedCall{Name: "list", Result: []any{json.Number("1.50")}}, nil))
		}},
		{"POST /v1/working-memory/s/tool-calls", `{"name":"list","handles":false,"store_results":false}`, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.RecordToolCall(ctx, "s", &wire.RecordedCall{Name: "list", Handles: &no, StoreResults: &no}, nil))
		}},
		{"POST /v1/working-memory/s/tool-calls/arguments", `{"arguments":{"id":"page#1"}}`, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.DecodeArguments(ctx, "s", map[string]any{"id": "page#1"}, nil))
		}},
		{"GET /v1/working-memory/s/results?namespace=n+s&user_id=u", "", func(ctx context.Context, c *client.Client) error { return errorOf(c.Results(ctx, "s", &owner)) }},
		{"GET /v1/working-memory/s/results/result%233a?limit=2&offset=1&path=%24.a&query=b", "", func(ctx context.Context, c *client.Client) error {
			return errorOf(c.ReadResult(ctx, "s", "result#3a", client.ResultPart{Path: "$.a", Query: "b", Offset: 1, Limit: 2}, nil))
		}},
		{"GET /v1/working-memory/s/entities", "", func(ctx context.Context, c *client.Client) error { return errorOf(c.Entities(ctx, "s", nil)) }},
		{"GET /v1/working-memory/s/block?budget=200", "", func(ctx context.Context, c *client.Client) error { return errorOf(c.Block(ctx, "s", 200, nil)) }},
		{"GET /v1/working-memory/s/decisions", "", func(ctx context.Context, c *client.Client) error { return errorOf(c.Decisions(ctx, "s", nil)) }},
		{"POST /v1/working-memory/s/summarize", "", func(ctx context.Context, c *client.Client) error { return errorOf(c.Summarize(ctx, "s", nil)) }},
		{"POST /v1/long-term-memory/?namespace=n+s&user_id=u", `{"memories":[],"deduplicate":false}`, func(ctx context.Context, c *client.Client) error {
			return c.CreateMemories(ctx, &wire.MemoryBody{Deduplicate: &no}, &owner)
		}},
		{"POST /v1/long-term-memory/search", `{"text":"t","limit":3}`, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.Search(ctx, &wire.Search{Text: &text, Limit: &limit}))
		}},
		{"GET /v1/long-term-memory/m?namespace=n+s&user_id=u", "", func(ctx context.Context, c *client.Client) error { return errorOf(c.Memory(ctx, "m", &owner)) }},
		{"PATCH /v1/long-term-memory/m", `{"text":"t","topics":[]}`, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.PatchMemory(ctx, "m", &wire.MemoryPatch{Text: &text, Topics: &wire.List{}}, nil))
		}},
		{"DELETE /v1/long-term-memory?memory_ids=a&memory_ids=b%2C", "", func(ctx context.Context, c *client.Client) error {
			return errorOf(c.DeleteMemories(ctx, []string{"a", "b,"}, nil))
		}},
		{"POST /v1/long-term-memory/forget?dry_run=true&limit=7&session_id=s", `{"policy":{"budget":3}}`, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.Forget(ctx, &wire.Forget{Policy: &wire.ForgetPolicy{Budget: &limit}}, &client.ForgetOptions{SessionID: "s", Limit: 7}))
		}},
		{"POST /v1/long-term-memory/forget?dry_run=false", `{"policy":null}`, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.Forget(ctx, &wire.Forget{}, &client.ForgetOptions{Really: true}))
		}},
		{"POST /v1/long-term-memory/compact?namespace=n+s&user_id=u", "", func(ctx context.Context, c *client.Client) error { return errorOf(c.Compact(ctx, &owner)) }},
		{"POST /v1/memory/prompt", `{"query":"q","long_term_search":true}`, func(ctx context.Context, c *client.Client) error {
			return errorOf(c.Prompt(ctx, &wire.PromptRequest{Query: "q", LongTerm: &wire.SearchOrBool{Bool: true}}))
		}},
	} {
		var r *http.Request
		var body string
		c := setup(t, client.Options{}, record(&r, &body))
		require.NoError(t, tc.call(t.Context(), c), tc.line)
		assert.Equal(t, tc.line, r.Method+" "+r.URL.RequestURI())
		assert.Equal(t, tc.body, body, tc.line)
		assert.Empty(t, r.Header.Get("Authorization"))

		method, path, _ := strings.Cut(tc.line, " ")
		repeatable := (method == "GET" || method == "DELETE" || strings.HasSuffix(path, "/messages") || strings.HasSuffix(path, "/arguments") || strings.HasSuffix(path, "/search") || strings.HasSuffix(path, "/prompt")) && path != "/v1/ready"
		synctest.Test(t, func(t *testing.T) {
			tries := 0
			require.Error(t, tc.call(t.Context(), setup(t, client.Options{Retries: 1}, func(*http.Request) (*http.Response, error) { tries++; return nil, errors.New("reset") })))
			assert.Equal(t, repeatable, tries == 2, tc.line)
		})
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	var r *http.Request
	var body string
	c, ctx := setup(t, client.Options{Token: "secret", Namespace: "n", UserID: "u"}, record(&r, &body)), t.Context()
	require.NoError(t, errorOf(c.PutSession(ctx, "s", &wire.SessionBody{}, &client.WriteOptions{IfVersion: 7, Minimal: true})))
	assert.Equal(t, http.Header{
		"If-Match": {`"7"`}, "Prefer": {"return=minimal"}, "Authorization": {"Bearer secret"}, "Content-Type": {"application/json"},
	}, r.Header)
	assert.Equal(t, "/v1/working-memory/s?namespace=n&user_id=u", r.URL.RequestURI())
	require.NoError(t, errorOf(c.Append(ctx, "s", nil, &client.WriteOptions{IfAbsent: true, Owner: client.Owner{UserID: "other"}})))
	assert.Equal(t, "*", r.Header.Get("If-None-Match"))
	assert.Equal(t, "/v1/working-memory/s/messages?namespace=n&user_id=other", r.URL.RequestURI())
	require.EqualError(t, errorOf(c.Session(ctx, "", nil)), "client: the id is empty")
	require.NoError(t, c.DeleteSession(ctx, "s", &client.DeleteOptions{IfVersion: 8}))
	assert.Equal(t, `"8"`, r.Header.Get("If-Match"))

	const filters = `{"namespace":{"eq":"n"},"user_id":{"eq":"u"}}`
	for want, call := range map[string]func() error{
		filters: func() error { return errorOf(c.Search(ctx, nil)) },
		`{"namespace":{"eq":"n"},"user_id":{"ne":"x"}}`: func() error {
			return errorOf(c.Search(ctx, &wire.Search{Namespace: &wire.TextFilter{}, UserID: &wire.TextFilter{Ne: new("x")}}))
		},
		`{"query":""}`: func() error { return errorOf(c.Prompt(ctx, nil)) },
		`{"query":"q","session":{"session_id":"s","namespace":"n","user_id":"u"}}`: func() error {
			return errorOf(c.Prompt(ctx, &wire.PromptRequest{Query: "q", Session: &wire.PromptSession{SessionID: "s"}}))
		},
		`{"query":"q","session":{"session_id":"s","namespace":"a","user_id":"b"}}`: func() error {
			return errorOf(c.Prompt(ctx, &wire.PromptRequest{Query: "q", Session: &wire.PromptSession{SessionID: "s", Namespace: new("a"), UserID: new("b")}}))
		},
		`{"query":"q","long_term_search":` + filters + `}`: func() error {
			return errorOf(c.Prompt(ctx, &wire.PromptRequest{Query: "q", LongTerm: &wire.SearchOrBool{Bool: true}}))
		},
		`{"query":"q","long_term_search":{"text":"t","namespace":{"eq":"n"},"user_id":{"eq":"u"}}}`: func() error {
			return errorOf(c.Prompt(ctx, &wire.PromptRequest{Query: "q", LongTerm: &wire.SearchOrBool{Search: &wire.Search{Text: new("t")}}}))
		},
	} {
		require.NoError(t, call())
		assert.JSONEq(t, want, body)
	}
	for want, opts := range map[string]client.Options{`{"namespace":{"eq":"n"}}`: {Namespace: "n"}, `{"user_id":{"eq":"u"}}`: {UserID: "u"}, `true`: {}} {
		require.NoError(t, errorOf(setup(t, opts, record(&r, &body)).Prompt(ctx, &wire.PromptRequest{Query: "q", LongTerm: &wire.SearchOrBool{Bool: true}})))
		assert.JSONEq(t, `{"query":"q","long_term_search":`+want+`}`, body)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "127.0.0.1:8000", "ftp://x", "http://user:geheim@x", "http://x?y=geheim", "http://x?", "http://x#geheim", "http://", ":geheim"} {
		_, err := client.New(bad, nil)
		require.Error(t, err, bad)
		assert.NotContains(t, err.Error(), "geheim")
	}
	for _, opts := range []client.Options{{Token: "geheim\n"}, {Token: "geheim é"}, {Retries: 11}, {Retries: -1}} {
		_, err := client.New("http://x", &opts)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "geheim")
	}
	_, err := client.New("https://x/memory", &client.Options{Retries: 10, Token: "!~"})
	require.NoError(t, err)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		body   string
		is     error
		text   string
	}{
		{404, `{"detail":"Session s not found"}`, client.ErrNotFound, "client: status 404: Session s not found"},
		{401, `{"detail":"Invalid token"}`, client.ErrUnauthorized, "client: status 401: Invalid token"},
		{403, `{"detail":"no"}`, client.ErrForbidden, "client: status 403: no"},
		{410, `{"detail":"The result was dropped"}`, client.ErrDropped, "client: status 410: The result was dropped"},
		{412, `{"detail":"Session s has changed"}`, client.ErrStale, "client: status 412: Session s has changed"},
		{400, `{"detail":"Bad"}`, client.ErrInvalid, "client: status 400: Bad"},
		{422, `{"detail":[{"type":"missing","loc":["body","query"],"msg":"Field required","input":null}]}`, client.ErrInvalid, "client: status 422: wire: body.query: Field required"},
		{413, `{"detail":"Request body is too large"}`, client.ErrInvalid, "client: status 413: Request body is too large"},
		{429, `{"detail":"Too many requests"}`, client.ErrUnavailable, "client: status 429: Too many requests"},
		{503, `<html>busy</html>`, client.ErrUnavailable, "client: status 503: Service Unavailable"},
		{302, ``, nil, "client: status 302: Found"},
		{500, `{"detail":7}`, nil, "client: status 500: Internal Server Error"},
		{500, `{"detail":"` + strings.Repeat("é", 600) + `"}`, nil, "client: status 500: " + strings.Repeat("é", 500)},
		{200, `not JSON`, client.ErrAnswer, ""},
		{200, strings.Repeat(" ", client.MaxAnswerBytes+1), client.ErrAnswer, "client: unreadable answer: more than 67108864 bytes"},
	} {
		tries := 0
		c := setup(t, client.Options{Token: "geheim-token"}, func(*http.Request) (*http.Response, error) {
			tries++
			return answer(tc.status, nil, tc.body), nil
		})
		err := errorOf(c.Session(t.Context(), "s", nil))
		require.ErrorContains(t, err, tc.text)
		require.NotContains(t, err.Error(), "geheim")
		require.Equal(t, 1, tries, "retries are off")
		for _, sentinel := range []error{
			client.ErrNotFound, client.ErrUnauthorized, client.ErrForbidden, client.ErrDropped, client.ErrUnknownHandle, client.ErrStale, client.ErrInvalid, client.ErrUnavailable, client.ErrAnswer,
		} {
			assert.Equal(t, sentinel == tc.is, errors.Is(err, sentinel), "%d: %v", tc.status, sentinel)
		}
		if tc.status != 200 {
			refusal, ok := errors.AsType[*client.Error](err)
			require.True(t, ok)
			assert.Equal(t, tc.status, refusal.Status)
		}
	}
	unknown := setup(t, client.Options{}, func(*http.Request) (*http.Response, error) {
		return answer(422, nil, `{"detail":[{"type":"unknown_handle","loc":["body","arguments"],"msg":"unknown handle page#7","input":"page#7"}]}`), nil
	})
	_, err := unknown.DecodeArguments(t.Context(), "s", "page#7", nil)
	require.ErrorIs(t, err, client.ErrUnknownHandle)
	require.ErrorIs(t, err, client.ErrInvalid)
	c, err := client.New("http://127.0.0.1:1", &client.Options{Token: "geheim"})
	require.NoError(t, err)
	err = errorOf(c.Health(t.Context()))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "geheim")
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for header, want := range map[string]time.Duration{
			"": 0, "0": 0, "7": 7 * time.Second, "-3": 0, "3600": time.Hour, "99999999": time.Hour, "99999999999999999999": 0, "1.5": 0, "soon": 0,
			time.Now().Add(time.Minute).UTC().Format(http.TimeFormat): time.Minute, time.Now().Add(-time.Minute).UTC().Format(http.TimeFormat): 0,
			time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat): time.Hour,
		} {
			c := setup(t, client.Options{}, func(*http.Request) (*http.Response, error) {
				return answer(429, http.Header{"Retry-After": {header}}, `{"detail":"Too many requests"}`), nil
			})
			refusal, ok := errors.AsType[*client.Error](errorOf(c.Health(t.Context())))
			require.True(t, ok)
			assert.Equal(t, want, refusal.RetryAfter, header)
		}
	})
}

// The token must not go to the server that a redirect names.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	redirect := transport(func(*http.Request) (*http.Response, error) {
		return answer(307, http.Header{"Location": {"http://elsewhere.test/"}}, ""), nil
	})
	followed := 0
	for _, given := range []*http.Client{{Transport: redirect}, {Transport: redirect, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		followed++
		return http.ErrUseLastResponse
	}}} {
		c, err := client.New("http://memory.test", &client.Options{Token: "geheim", HTTPClient: given})
		require.NoError(t, err)
		require.EqualError(t, errorOf(c.Health(t.Context())), "client: status 307: Temporary Redirect")
		require.Error(t, errorOf(c.PutSession(t.Context(), "s", &wire.SessionBody{}, nil)))
	}
	assert.Equal(t, 2, followed, "a CheckRedirect of the caller is used")
}

func TestRetries(t *testing.T) {
	t.Parallel()
	read := func(ctx context.Context, c *client.Client) error { return errorOf(c.Session(ctx, "s", nil)) }
	appends := func(opts *client.WriteOptions, ids ...string) func(ctx context.Context, c *client.Client) error {
		return func(ctx context.Context, c *client.Client) error {
			var messages []wire.Message
			for _, id := range ids {
				messages = append(messages, wire.Message{ID: id, Role: "user", Content: "c"})
			}
			return errorOf(c.Append(ctx, "s", messages, opts))
		}
	}

	status := func(code int, after string) transport {
		return func(*http.Request) (*http.Response, error) {
			return answer(code, http.Header{"Retry-After": {after}}, `{"detail":"busy"}`), nil
		}
	}
	reset := transport(func(*http.Request) (*http.Response, error) { return nil, errors.New("connection reset") })
	short, long := 350*time.Millisecond, 700*time.Millisecond
	for name, tc := range map[string]struct {
		do          transport
		call        func(ctx context.Context, c *client.Client) error
		tries       int
		least, most time.Duration // for all tries together
	}{
		"read":                        {reset, read, 4, short, long},
		"read, wait 2 s":              {status(503, "2"), read, 4, 6 * time.Second, 6 * time.Second},
		"read, wait for years":        {status(503, "99999999"), read, 4, 90 * time.Second, 90 * time.Second},
		"read, malformed Retry-After": {status(503, "soon"), read, 4, short, long},
		"read, not found":             {status(404, ""), read, 1, 0, 0},
		"append with ids":             {reset, appends(nil, "m"), 4, short, long},
		"append without an id":        {reset, appends(nil, "m", ""), 1, 0, 0},
		"append with a condition":     {reset, appends(&client.WriteOptions{IfVersion: 1}, "m"), 1, 0, 0},
		"append if absent":            {reset, appends(&client.WriteOptions{IfAbsent: true}, "m"), 1, 0, 0},
		"delete with a condition": {reset, func(ctx context.Context, c *client.Client) error {
			return c.DeleteSession(ctx, "s", &client.DeleteOptions{IfVersion: 1})
		}, 1, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			tries, began := 0, time.Now()
			c := setup(t, client.Options{Retries: 3}, func(r *http.Request) (*http.Response, error) { tries++; return tc.do(r) })
			err := tc.call(t.Context(), c)
			require.Error(t, err, name)
			assert.Equal(t, tc.tries, tries, name)
			assert.GreaterOrEqual(t, time.Since(began), tc.least, name)
			assert.LessOrEqual(t, time.Since(began), tc.most, name)
		})
	}
}

func TestRetriesEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		c := setup(t, client.Options{Retries: 5}, func(*http.Request) (*http.Response, error) {
			if tries++; tries < 3 {
				return answer(429, nil, ``), nil
			}
			return answer(200, nil, `{"now":5}`), nil
		})
		health, err := c.Health(t.Context())
		require.NoError(t, err)
		assert.Equal(t, int64(5), health.Now)

		tries = -100
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		err = errorOf(c.Health(ctx))
		require.ErrorIs(t, err, client.ErrUnavailable)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, -99, tries)

		c = setup(t, client.Options{}, func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() })
		began := time.Now()
		require.ErrorIs(t, errorOf(c.Health(t.Context())), context.DeadlineExceeded)
		assert.Equal(t, client.Timeout, time.Since(began))
	})
}
