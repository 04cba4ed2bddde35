package rest_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// stuck is a store that answers nobody until it is released.
type stuck struct {
	driver.Store
	arrived atomic.Int64
	release chan struct{}
}

func (s *stuck) Load(ctx context.Context, key session.Key, after int) (*driver.StoredSession, error) {
	s.arrived.Add(1)
	<-s.release
	return s.Store.Load(ctx, key, after)
}

// Many bodies, each small and each far larger when it is decoded, wait for a store at a time:
// what they take together is bounded all the same. It does not run beside others, who would use
// the heap too.
func TestWhatBodiesAreDecodedToIsInTheBudget(t *testing.T) {
	const budget, clients = 5 << 20, 30
	for name, part := range map[string]string{"lists": "[0]", "digits": "1", "objects": `{"":0}`, "long texts": `"` + strings.Repeat("x", 1000) + `"`} {
		t.Run(name, func(t *testing.T) {
			store := &stuck{Store: memstore.New(nil), release: make(chan struct{})}
			s := start(t, with(func(o *rest.Options) { o.MaxBodiesBytes = budget }), func(o *setup) { o.store = store })
			body := `{"data":{"a":[` + strings.TrimSuffix(strings.Repeat(part+",", 60_000/(len(part)+1)), ",") + `]}}`
			before := heap()
			var refused, taken atomic.Int64
			var waiting sync.WaitGroup
			for range clients {
				waiting.Go(func() {
					switch got := s.do("PUT", sessionPath, body); got.Code {
					case 503:
						assert.Equal(t, "1", got.Header().Get("Retry-After"))
						refused.Add(1)
					case 200:
						taken.Add(1)
					default:
						assert.Fail(t, "another answer", "%d %s", got.Code, got.Body)
					}
				})
			}
			for store.arrived.Load()+refused.Load() < clients {
				runtime.Gosched()
			}
			held := heap() - before
			close(store.release)
			waiting.Wait()
			assert.Less(t, held, int64(budget+budget/4), "%d of %d were taken", taken.Load(), clients)
			assert.Positive(t, taken.Load())
			s.do("PUT", sessionPath, body).is(200) // all is back
		})
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestBodiesThatNeverFit(t *testing.T) {
	t.Parallel()
	s := start(t, with(func(o *rest.Options) { o.MaxBodiesBytes = 100_000 }))
	body := fmt.Sprintf(`{"data":{"a":[%s1]}}`, strings.Repeat("1,", 10_000))
	s.do("PUT", sessionPath, body).fails(413, "Request body would take too much memory")
	s.do("PUT", sessionPath, oneMessage).is(200)
}
