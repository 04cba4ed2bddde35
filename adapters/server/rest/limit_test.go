package rest_test

import (
	"context"
	"fmt"
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

func TestGuessingTokens(t *testing.T) {
	t.Parallel()
	s := start(t, withTokens)
	known, _ := s.token(auth.Tenant{}, 0)
	fresh, _ := s.token(auth.Tenant{}, 0)
	revoked, id := s.token(auth.Tenant{}, 0)
	list := func(token, address string) reply {
		r := httptest.NewRequest("GET", "/v1/working-memory/", nil)
		r.RemoteAddr = address
		return s.send(r, "Authorization: Bearer "+token)
	}
	list(known, "192.0.2.1:1").is(200)
	list(revoked, "192.0.2.1:1").is(200)
	require.NoError(t, s.tokens.Remove(context.Background(), id))
	for i := range 100 {
		list(fmt.Sprintf("guess%d", i), "192.0.2.1:1").is(401)
	}
	list("guess", "192.0.2.1:1").fails(429, "Too many failed authentications")
	list(fresh, "192.0.2.1:1").is(429)
	list(known, "192.0.2.1:1").is(200)
	list(revoked, "192.0.2.1:1").is(401)
	list(revoked, "192.0.2.1:1").is(429)
	list(fresh, "192.0.2.2:1").is(200)
	s.clock.Sleep(time.Minute)
	list("guess", "192.0.2.1:1").is(401)
	list(fresh, "192.0.2.1:1").is(200)
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
	} {
		_, err := rest.New(manager, &o)
		assert.ErrorContains(t, err, "rest: ")
	}
	_, err = rest.New(nil, nil)
	assert.Error(t, err)
	_, err = rest.New(manager, nil)
	assert.NoError(t, err)
}
