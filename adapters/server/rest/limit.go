package rest

import (
	"container/list"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// maxLimiters bounds what is remembered of tokens and addresses. Who is forgotten begins
	// anew.
	maxLimiters = 10_000
	// failuresPerSecond and failuresAtOnce are how often an address may fail to authenticate.
	failuresPerSecond, failuresAtOnce = 5, 100
	// longestWait is the most seconds that anybody is told to wait.
	longestWait = 3600
)

// limiters limit the rates of many: of tokens, or of addresses. They are safe for concurrent
// use.
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
	return l.each.get(key, func() *rate.Limiter { return rate.NewLimiter(l.perSecond, l.burst) })
}

// use counts n, or says how long there is to wait, 0 where that would not help. What is refused
// is not counted: a reservation that is cancelled would be, in part, where several are made at a
// time.
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

// spent says that use would fail.
func (l *limiters) spent(key string) bool {
	limiter, ok := l.each.peek(key)
	return ok && limiter.TokensAt(l.now()) < 1
}

// tooMany refuses what comes too often.
func tooMany(detail string, wait time.Duration) *refusal {
	seconds := max(1, int64(math.Ceil(wait.Seconds())))
	return refuse(http.StatusTooManyRequests, detail).with("Retry-After", strconv.FormatInt(seconds, 10))
}

// clientOf returns the address that a request came from, which is that of a proxy where there
// is one: headers about it can be made up. Of IPv6 it is the network, which is what one client
// has at least.
func clientOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return "local" // a Unix socket
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return "local"
	}
	if addr = addr.Unmap().WithZone(""); addr.Is6() {
		if network, err := addr.Prefix(64); err == nil {
			return network.String()
		}
	}
	return addr.String()
}

// lru remembers the most recently used values, max of them. It is safe for concurrent use.
type lru[K comparable, V any] struct {
	max   int
	mu    sync.Mutex
	order *list.List // of remembered, most recent first
	byKey map[K]*list.Element
}

type remembered[K comparable, V any] struct {
	key   K
	value V
}

func newLRU[K comparable, V any](max int) *lru[K, V] {
	return &lru[K, V]{max: max, order: list.New(), byKey: map[K]*list.Element{}}
}

// get returns the value of a key, a fresh one where there is none.
func (l *lru[K, V]) get(key K, fresh func() V) V {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.byKey[key]; ok {
		l.order.MoveToFront(e)
		return e.Value.(remembered[K, V]).value
	}
	if l.order.Len() >= l.max {
		oldest := l.order.Remove(l.order.Back()).(remembered[K, V])
		delete(l.byKey, oldest.key)
	}
	value := fresh()
	l.byKey[key] = l.order.PushFront(remembered[K, V]{key, value})
	return value
}

// peek returns the value of a key, if there is one.
func (l *lru[K, V]) peek(key K) (V, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.byKey[key]; ok {
		return e.Value.(remembered[K, V]).value, true
	}
	var zero V
	return zero, false
}

// drop forgets a key.
func (l *lru[K, V]) drop(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.byKey[key]; ok {
		l.order.Remove(e)
		delete(l.byKey, key)
	}
}
