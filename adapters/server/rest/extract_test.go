package rest_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func withExtractor(x extractor.Extractor) option {
	return with(func(o *rest.Options) { o.Recording = &middleware.SessionsOptions{Extractor: x} })
}

const recordPath = "/v1/working-memory/s-1/tool-calls"

// A client that records many calls does not make another one wait for all of them.
func TestExtractionsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var begun []string
		next := make(chan struct{})
		s := start(t, withTokens, withExtractor(extractor.Throttle(extractor.Func(func(_ context.Context, in extractor.Input) (extractor.Extraction, error) {
			begun = append(begun, in.Tool)
			<-next
			return extractor.Extraction{}, nil
		}), &extractor.ThrottleOptions{Concurrency: 1, Owner: rest.RequesterFrom})))
		a, _ := s.token(auth.Tenant{Namespace: "shop", UserID: "a"}, 0)
		b, _ := s.token(auth.Tenant{Namespace: "shop", UserID: "b"}, 0)
		var all sync.WaitGroup
		for _, call := range [][2]string{{a, "a1"}, {a, "a2"}, {a, "a3"}, {b, "b1"}} {
			all.Go(func() {
				s.do("POST", recordPath, fmt.Sprintf(`{"name":%q,"result":{}}`, call[1]), "Authorization: Bearer "+call[0]).is(200)
			})
			synctest.Wait()
		}
		for range 4 {
			next <- struct{}{}
			synctest.Wait()
		}
		all.Wait()
		assert.Equal(t, []string{"a1", "a2", "b1", "a3"}, begun)
	})
}

// An extraction that ends with the request is not an error of the server.
func TestExtractionsThatEndEarly(t *testing.T) {
	t.Parallel()
	ended := error(context.DeadlineExceeded)
	s := start(t, withExtractor(extractor.Func(func(context.Context, extractor.Input) (extractor.Extraction, error) {
		return extractor.Extraction{}, fmt.Errorf("waiting for a turn: %w", ended)
	})))
	const body = `{"name":"get_page","result":{"id":"page-1001"}}`
	s.do("POST", recordPath, body).fails(503, "Request took too long")
	ended = context.Canceled
	gone, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(gone, "POST", recordPath, strings.NewReader(body))
	got := s.send(r)
	got.fails(503, "Request was stopped")
	assert.Equal(t, "1", got.Header().Get("Retry-After"))
	s.do("GET", "/v1/working-memory/s-1/entities", "").is(404)
}

// An extraction ends with its request, whether it runs or waits for its turn.
func TestExtractionsEndWithTheirRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 2)
		s := start(t, withExtractor(extractor.Throttle(extractor.Func(func(ctx context.Context, _ extractor.Input) (extractor.Extraction, error) {
			<-ctx.Done()
			ended <- ctx.Err()
			return extractor.Extraction{}, ctx.Err()
		}), &extractor.ThrottleOptions{Concurrency: 1})), with(func(o *rest.Options) { o.Timeout = time.Minute }))
		const body = `{"name":"get_page","result":{"id":"page-1001"}}`
		gone, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { s.do("POST", recordPath, body).fails(503, "Request took too long") })
		synctest.Wait() // it runs
		all.Go(func() {
			s.send(httptest.NewRequestWithContext(gone, "POST", recordPath, strings.NewReader(body))).fails(503, "Request was stopped")
		})
		synctest.Wait() // it waits
		leave()
		synctest.Wait()
		assert.Empty(t, ended, "the first one runs on")
		all.Wait() // until its time is over
		assert.Equal(t, context.DeadlineExceeded, <-ended)
		assert.Empty(t, ended, "the second one never ran")
		s.do("GET", "/v1/working-memory/s-1/entities", "").is(404)
	})
}

func TestRequesters(t *testing.T) {
	t.Parallel()
	var seen []string
	s := start(t, withExtractor(extractor.Func(func(ctx context.Context, _ extractor.Input) (extractor.Extraction, error) {
		seen = append(seen, rest.RequesterFrom(ctx))
		return extractor.Extraction{}, nil
	})))
	for _, address := range []string{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.2:1"} {
		r := httptest.NewRequest("POST", recordPath, strings.NewReader(`{"name":"get_page","result":{}}`))
		r.RemoteAddr = address
		s.send(r).is(200)
	}
	assert.Equal(t, []string{"192.0.2.1", "192.0.2.1", "192.0.2.2"}, seen)
	assert.Empty(t, rest.RequesterFrom(t.Context()))
}
