package rest

import (
	"container/list"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// maxLimiters is the maximum number of tokens or addresses with a rate. The least recently
	// used starts over.
	maxLimiters = 10_000
	// failuresPerSecond and failuresAtOnce limit the failed authentications with an id of a
	// token, or without one of an address.
	failuresPerSecond, failuresAtOnce = 5, 100
	// maxStrangers is the maximum number of lookups at once of tokens that were not valid
	// before: those of guesses must not occupy the store.
	maxStrangers = 8
	// longestWait is the maximum of Retry-After, in seconds.
	longestWait = 3600
)

// limiters limit the rate of each token or address. They are safe for concurrent use.
type limiters struct {
	perSecond rate.Limit
	burst     int
	now       func() time.Time
	each      *lru[string, *rate.Limiter]
}

func newLimiters(perSecond float64, burst int, now func() time.Time) *limiters {
	return &limiters{
		perSecond: rate.Limit(perSecond), burst: burst, now: now,
		each: newLRU[string, *rate.Limiter](maxLimiters),
	}
}

func (l *limiters) limiterOf(key string) *rate.Limiter {
	return l.each.getOrAdd(key, func() *rate.Limiter { return rate.NewLimiter(l.perSecond, l.burst) })
}

// use counts n requests and reports whether they are within the limit. If not, none is counted,
// and wait is the time until they will be, or 0 if n exceeds the burst. It makes no reservation,
// since canceling concurrent ones would not give back all of them.
func (l *limiters) use(key string, n int) (wait time.Duration, ok bool) {
	now, limiter := l.now(), l.limiterOf(key)
	switch {
	case limiter.AllowN(now, n):
		return 0, true
	case n > l.burst:
		return 0, false
	}
	seconds := (float64(n) - limiter.TokensAt(now)) / float64(l.perSecond)
	return time.Duration(min(max(seconds, 0), longestWait) * float64(time.Second)), false
}

// tooMany refuses a request that exceeds a rate.
func tooMany(detail string, wait time.Duration) *refusal {
	seconds := max(1, int64(math.Ceil(wait.Seconds())))
	return refuse(http.StatusTooManyRequests, detail).with("Retry-After", strconv.FormatInt(seconds, 10))
}

// lru is a cache of the max most recently used values. It is safe for concurrent use.
type lru[K comparable, V any] struct {
	max   int
	mu    sync.Mutex
	order *list.List // of lruEntry, most recent first
	byKey map[K]*list.Element
}

type lruEntry[K comparable, V any] struct {
	key   K
	value V
}

func newLRU[K comparable, V any](max int) *lru[K, V] {
	return &lru[K, V]{max: max, order: list.New(), byKey: map[K]*list.Element{}}
}

// getOrAdd returns the value of a key. For a new key it first adds the value that fresh returns.
func (l *lru[K, V]) getOrAdd(key K, fresh func() V) V {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.byKey[key]; ok {
		l.order.MoveToFront(e)
		return e.Value.(lruEntry[K, V]).value
	}
	if l.order.Len() >= l.max {
		oldest := l.order.Remove(l.order.Back()).(lruEntry[K, V])
		delete(l.byKey, oldest.key)
	}
	value := fresh()
	l.byKey[key] = l.order.PushFront(lruEntry[K, V]{key, value})
	return value
}

// has reports whether there is a value of a key.
func (l *lru[K, V]) has(key K) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.byKey[key]
	return ok
}

// remove removes a key.
func (l *lru[K, V]) remove(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.byKey[key]; ok {
		l.order.Remove(e)
		delete(l.byKey, key)
	}
}
