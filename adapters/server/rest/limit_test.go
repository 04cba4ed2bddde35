package rest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

func TestRatesOfTokens(t *testing.T) {
	t.Parallel()
	s := start(t, withTokens, with(func(o *rest.Options) { o.Rate, o.Burst = 0.5, 3 }))
	a, _ := s.token(auth.Tenant{Namespace: "a"}, 0)
	b, _ := s.token(auth.Tenant{Namespace: "b"}, 0)
	list := func(token string) reply {
		return s.do("GET", "/v1/working-memory/", "", "Authorization: Bearer "+token)
	}
	for range 3 {
		list(a).is(200)
	}
	got := list(a)
	got.fails(429, "Too many requests")
	assert.Equal(t, "2", got.Header().Get("Retry-After"))
	list(b).is(200)
	var refused sync.WaitGroup // refused requests are not counted, even concurrent ones
	for range 8 {
		refused.Go(func() {
			for range 50 {
				assert.Equal(t, 429, list(a).Code)
			}
		})
	}
	refused.Wait()
	s.clock.Sleep(2 * time.Second)
	list(a).is(200)
	list(a).is(429)
	s.clock.Sleep(700 * time.Millisecond)
	assert.Equal(t, "2", list(a).Header().Get("Retry-After"), "rounded up")
	s.clock.Sleep(-time.Hour) // a clock that is set back
	list(a).is(429)
}

func TestRatesOfAddresses(t *testing.T) {
	t.Parallel()
	s := start(t, with(func(o *rest.Options) { o.Rate = 1.5 }))
	from := func(address, path string) reply {
		r := httptest.NewRequest("GET", path, nil)
		r.RemoteAddr = address
		return s.send(r)
	}
	for _, a := range []struct{ first, same, other string }{
		{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.2:1"},
		{"[2001:db8::1]:1", "[2001:db8::ffff]:2", "[2001:db8:0:1::1]:1"},
		{"[::ffff:192.0.2.9]:1", "192.0.2.9:1", "192.0.2.10:1"},
		{"@", "", "[fe80::1%eth0]:1"},
	} {
		from(a.first, "/v1/working-memory/").is(200)
		from(a.same, "/v1/ready").is(200)
		from(a.same, "/v1/working-memory/").is(429)
		from(a.same, "/v1/ready").is(429)
		from(a.same, "/v1/health").is(200)
		from(a.other, "/v1/working-memory/").is(200)
	}
}

// Failures are counted by id of a token, or by address for texts that name none, and a valid token
// works whatever was tried before: from the same address, or with its own id.
func TestGuessingTokens(t *testing.T) {
	t.Parallel()
	s := start(t, withTokens)
	fresh, id := s.token(auth.Tenant{}, 0)
	revoked, revokedID := s.token(auth.Tenant{}, 0)
	expired, _ := s.token(auth.Tenant{}, time.Second)
	list := func(token, address string) reply {
		r := httptest.NewRequest("GET", "/v1/working-memory/", nil)
		r.RemoteAddr = address
		return s.send(r, "Authorization: Bearer "+token)
	}
	wrong := func(id string, secret int) string { return fmt.Sprintf("wmem_%s_%064x", id, secret) }
	list(revoked, "192.0.2.1:1").is(200)
	require.NoError(t, s.tokens.Remove(context.Background(), revokedID))
	s.clock.Sleep(time.Second)
	for i := range 100 {
		list(fmt.Sprint("guess", i), "192.0.2.1:1").fails(401, "Invalid token")
		list(wrong(id, i), fmt.Sprintf("192.0.2.%d:1", i)).fails(401, "Invalid token")
	}
	got := list("guess", "192.0.2.1:2")
	got.fails(429, "Too many failed authentications")
	assert.Equal(t, "1", got.Header().Get("Retry-After"))
	list(wrong(id, 100), "198.51.100.1:1").fails(429, "Too many failed authentications")
	// No other text is concerned.
	list(fresh, "192.0.2.1:1").is(200)
	list("guess", "192.0.2.2:1").fails(401, "Invalid token")
	list(revoked, "192.0.2.1:1").fails(401, "Invalid token")
	list(expired, "192.0.2.1:1").fails(401, "Token has expired")
	list(wrong("0123456789abcdef", 1), "192.0.2.1:1").fails(401, "Invalid token")
	s.clock.Sleep(time.Minute)
	list("guess", "192.0.2.1:1").is(401)
	list(wrong(id, 100), "192.0.2.1:1").is(401)
}

// hungTokens is a store of tokens that does not answer about unknown ids.
type hungTokens struct {
	auth.TokenStore
	asked atomic.Int32
}

func (h *hungTokens) Get(ctx context.Context, id string) (auth.Token, error) {
	h.asked.Add(1)
	token, err := h.TokenStore.Get(ctx, id)
	if err != nil {
		<-ctx.Done()
		return token, ctx.Err()
	}
	return token, err
}

// Few guesses ask the store at once, tokens that were valid before do not wait for them, and others
// no longer than for their turn.
func TestGuessesDoNotOccupyTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tokens := &hungTokens{TokenStore: auth.NewMemoryTokenStore()}
		s := start(t, with(func(o *rest.Options) { o.Verifier, o.Timeout = auth.NewVerifier(tokens, nil), time.Minute }))
		create := func() string {
			text, _, err := auth.Create(t.Context(), tokens, auth.CreateOptions{Unbound: true})
			require.NoError(t, err)
			return text
		}
		known, fresh := create(), create()
		list := func(token string) reply {
			return s.do("GET", "/v1/working-memory/", "", "Authorization: Bearer "+token)
		}
		list(known).is(200)
		var guesses sync.WaitGroup
		tokens.asked.Store(0)
		for i := range 100 {
			guesses.Go(func() { list(fmt.Sprintf("wmem_%020d_%064x", i, i)).is(503) })
		}
		synctest.Wait()
		assert.EqualValues(t, 8, tokens.asked.Load())
		list(known).is(200)
		time.Sleep(time.Second)
		list(fresh).is(200)
		guesses.Wait()
	})
}

// slow is a store that answers when the context ends.
type slow struct{ driver.Store }

func (slow) List(ctx context.Context, _ session.ListOptions) (session.Listing, error) {
	<-ctx.Done()
	return session.Listing{}, ctx.Err()
}

func (slow) Load(ctx context.Context, _ session.Key, _ int) (*driver.StoredSession, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestBodyTimeoutDoesNotLimitTheRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, with(func(o *rest.Options) {
			o.BodyTimeout, o.Timeout = 20*time.Millisecond, 200*time.Millisecond
		}), func(o *setup) { o.store = slow{o.store} })
		client := piped(t, s.handler).client(t)
		for range 2 { // over one connection
			r, err := http.NewRequest("PUT", "http://memory.test"+sessionPath, strings.NewReader(oneMessage))
			require.NoError(t, err)
			got, err := client.Do(r)
			require.NoError(t, err)
			body, err := io.ReadAll(got.Body)
			require.NoError(t, err)
			require.NoError(t, got.Body.Close())
			assert.Equal(t, 503, got.StatusCode)
			assert.JSONEq(t, `{"detail":"Request took too long"}`, string(body))
		}
	})
}

func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	manager, err := session.NewManager(memstore.New(nil), nil)
	require.NoError(t, err)
	nan := 0.0
	for _, o := range []rest.Options{
		{Rate: -1}, {Rate: nan / nan}, {Rate: 1 / nan}, {Burst: -1}, {MaxBodyBytes: -1}, {MaxBodiesBytes: -1}, {BodyTimeout: -1}, {Timeout: -1},
		{TrustedProxies: []netip.Prefix{{}}}, {TrustedProxies: []netip.Prefix{netip.MustParsePrefix("::ffff:10.0.0.0/104")}},
	} {
		_, err := rest.New(manager, &o)
		assert.ErrorContains(t, err, "rest: ")
	}
	_, err = rest.New(nil, nil)
	assert.Error(t, err)
	_, err = rest.New(manager, nil)
	assert.NoError(t, err)
}
