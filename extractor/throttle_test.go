package extractor_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/extractor"
)

type ownerKey struct{}

func ownedBy(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

func ownerOf(ctx context.Context) string {
	owner, _ := ctx.Value(ownerKey{}).(string)
	return owner
}

// gate is an extractor whose calls wait until they are let through, one by one.
type gate struct {
	begun []string // the tools, in the order in which their extractions began
	next  chan struct{}
}

func (g *gate) Extract(_ context.Context, in extractor.Input) (extractor.Extraction, error) {
	g.begun = append(g.begun, in.Tool)
	<-g.next
	return extractor.Extraction{Reason: in.Tool}, nil
}

func TestThrottleTakesTurnsByOwner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gate{next: make(chan struct{})}
		x := extractor.Throttle(g, &extractor.ThrottleOptions{Concurrency: 1, Owner: ownerOf})
		var all sync.WaitGroup
		for _, tool := range []string{"a1", "a2", "a3", "a4", "b1", "b2", "c1", "a5"} {
			all.Go(func() {
				found, err := x.Extract(ownedBy(t.Context(), tool[:1]), extractor.Input{Tool: tool})
				assert.NoError(t, err)
				assert.Equal(t, tool, found.Reason)
			})
			synctest.Wait()
		}
		assert.Equal(t, []string{"a1"}, g.begun)
		for range 8 {
			g.next <- struct{}{}
			synctest.Wait()
		}
		all.Wait()
		assert.Equal(t, []string{"a1", "a2", "b1", "c1", "a3", "b2", "a4", "a5"}, g.begun)
	})
}

func TestThrottleWaitsUntilTheContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gate{next: make(chan struct{})}
		x := extractor.Throttle(g, &extractor.ThrottleOptions{Concurrency: 1})
		extract := func(ctx context.Context, tool string) error {
			_, err := x.Extract(ctx, extractor.Input{Tool: tool})
			return err
		}
		go func() { _ = extract(t.Context(), "first") }()
		synctest.Wait()
		late, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, extract(late, "late"), context.DeadlineExceeded)
		require.ErrorIs(t, extract(late, "ended before"), context.DeadlineExceeded)
		g.next <- struct{}{}
		synctest.Wait()
		go func() { g.next <- struct{}{} }()
		require.NoError(t, extract(t.Context(), "last"))
		assert.Equal(t, []string{"first", "last"}, g.begun)
	})
}

// Whatever ends early or panics, no turn is lost and none is given twice.
func TestThrottleKeepsItsTurns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		concurrency := rapid.IntRange(1, 4).Draw(rt, "concurrency")
		calls := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) [4]int {
			return [4]int{
				rapid.IntRange(0, 20).Draw(rt, "begin"), rapid.IntRange(0, 10).Draw(rt, "work"),
				rapid.IntRange(1, 30).Draw(rt, "patience"), rapid.IntRange(0, 2).Draw(rt, "owner"),
			}
		}), 1, 40).Draw(rt, "calls")
		panics := rapid.IntRange(-1, len(calls)-1).Draw(rt, "panics")
		synctest.Test(t, func(t *testing.T) {
			var running atomic.Int32
			x := extractor.Throttle(extractor.Func(func(_ context.Context, in extractor.Input) (extractor.Extraction, error) {
				assert.LessOrEqual(t, int(running.Add(1)), concurrency)
				defer running.Add(-1)
				time.Sleep(in.Result.(time.Duration))
				if in.Failed {
					panic("as asked")
				}
				return extractor.Extraction{}, nil
			}), &extractor.ThrottleOptions{Concurrency: concurrency, Owner: ownerOf})
			var all sync.WaitGroup
			for i, call := range calls {
				all.Go(func() {
					defer func() {
						if p := recover(); p != nil {
							assert.Equal(t, panics, i, "%v", p)
						}
					}()
					time.Sleep(time.Duration(call[0]) * time.Second)
					ctx, cancel := context.WithTimeout(ownedBy(t.Context(), fmt.Sprint(call[3])), time.Duration(call[2])*time.Second)
					defer cancel()
					_, err := x.Extract(ctx, extractor.Input{Result: time.Duration(call[1]) * time.Second, Failed: i == panics})
					if err != nil {
						assert.ErrorIs(t, err, context.DeadlineExceeded)
						assert.Error(t, ctx.Err())
					}
				})
			}
			all.Wait()
			// Afterwards all turns are free, and there are no more.
			for range concurrency {
				go func() { _, _ = x.Extract(t.Context(), extractor.Input{Result: time.Minute}) }()
			}
			synctest.Wait()
			assert.EqualValues(t, concurrency, running.Load())
			time.Sleep(2 * time.Minute)
		})
	})
}

func TestThrottleByDefault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		most := max(1, runtime.GOMAXPROCS(0)/2)
		var begun atomic.Int32
		x := extractor.Throttle(extractor.Func(func(context.Context, extractor.Input) (extractor.Extraction, error) {
			begun.Add(1)
			time.Sleep(time.Second)
			return extractor.Extraction{}, nil
		}), nil)
		for range 3 * most {
			go func() { _, _ = x.Extract(t.Context(), extractor.Input{}) }()
		}
		synctest.Wait()
		assert.EqualValues(t, most, begun.Load())
		time.Sleep(time.Minute)
		assert.EqualValues(t, 3*most, begun.Load())
	})
}
