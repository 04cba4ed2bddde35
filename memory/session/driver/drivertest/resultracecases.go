package drivertest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func resultRaceCases() []resultCase {
	return []resultCase{{
		Name:  "one id at once",
		About: "Of many results of one id that are put at once, one is kept, whole.",
		Run:   resultsOneID,
	}, {
		Name:  "put and read at once",
		About: "A result that is listed can be read whole, unless it was removed since; the limits hold at every moment.",
		Run:   resultsWhole,
	}, {
		Name:  "put and deleted at once",
		About: "A result that is put while its session is deleted is gone with it, or finds no session: one that is made again has none.",
		Run:   resultsMadeAgain,
	}, {
		Name:  "like the model",
		About: "Whatever is done in whatever order, a store keeps the results that the model keeps, a list with simple rules.",
		Run:   func(e *resultEnv) { rapid.Check(e, func(t *rapid.T) { newResultPair(e, t).run() }) },
	}}
}

func resultsOneID(e *resultEnv) {
	e.append("a")
	for round := range 5 {
		id := fmt.Sprint("result ", round)
		e.atOnce(func(client int, store driver.Store) {
			assert.NoError(e, store.(driver.ResultStore).PutResult(e.ctx, key, result(id, 70_000+client), unlimited))
		})
		infos, err := e.store.Results(e.ctx, key, driver.ToolResult)
		require.NoError(e, err)
		require.Len(e, infos, round+1)
		e.reads(key, result(id, int(infos[round].Size)))
	}
}

func resultsWhole(e *resultEnv) {
	const limit, rounds = 1_000_000, 8
	e.append("a")
	e.atOnce(func(client int, store driver.Store) {
		results := store.(driver.ResultStore)
		for round := range rounds {
			if client%2 == 0 {
				id := fmt.Sprint(client, " ", round)
				assert.NoError(e, results.PutResult(e.ctx, key, result(id, 200_000+1000*client+round), limit))
				continue
			}
			infos, err := results.Results(e.ctx, key, driver.ToolResult)
			assert.NoError(e, err)
			sum := int64(0)
			for _, info := range infos {
				sum += info.Size
			}
			assert.LessOrEqual(e, sum, int64(limit))
			for _, info := range infos {
				p := make([]byte, info.Size)
				_, err := results.ReadResult(e.ctx, key, driver.ToolResult, info.ID, p, 0)
				if !errors.Is(err, driver.ErrNotFound) {
					assert.NoError(e, err)
					assert.True(e, bytes.Equal(pattern(info.ID, len(p)), p), "another content")
				}
			}
		}
	})
	infos, err := e.store.Results(e.ctx, key, driver.ToolResult)
	require.NoError(e, err)
	require.Len(e, infos, 4)
}

func resultsMadeAgain(e *resultEnv) {
	for range 10 {
		e.append("a")
		e.atOnce(func(client int, store driver.Store) {
			if client == 0 {
				assert.NoError(e, store.Delete(e.ctx, key, nil))
				return
			}
			err := store.(driver.ResultStore).PutResult(e.ctx, key, result(fmt.Sprint(client), 70_000), unlimited)
			assert.True(e, err == nil || errors.Is(err, driver.ErrNotFound), "%v", err)
		})
		e.absent(key)
		e.keeps(key)
		e.append("a")
		e.keeps(key)
		e.lacks(key, "1")
		require.NoError(e, e.store.Delete(e.ctx, key, nil))
	}
}

// resultPair is a store and a model of the results of two sessions.
type resultPair struct {
	*rapid.T
	e       *resultEnv
	passed  time.Duration // by the clock of the store
	model   map[driver.Key]*modelResults
	results int
}

// modelResults are the results of a session, oldest first.
type modelResults struct {
	all   []driver.StoredResult
	until time.Duration // 0: it does not expire
}

func newResultPair(e *resultEnv, t *rapid.T) *resultPair {
	p := &resultPair{T: t, e: e, model: map[driver.Key]*modelResults{}}
	for _, key := range p.keys() {
		require.NoError(t, e.store.Delete(e.ctx, key, nil))
	}
	return p
}

func (*resultPair) keys() []driver.Key { return []driver.Key{key, otherKey} }

func (p *resultPair) run() {
	actions := []func(driver.Key){p.doPut, p.doPut, p.doPut, p.doPut, p.doAppend, p.doAppend, p.doDelete}
	if p.e.harness.Sleep != nil {
		actions = append(actions, func(driver.Key) {
			p.e.harness.Sleep(time.Second)
			p.passed += time.Second
		})
	}
	for range rapid.IntRange(1, 25).Draw(p.T, "actions") {
		key := rapid.SampledFrom(p.keys()).Draw(p.T, "key")
		actions[rapid.IntRange(0, len(actions)-1).Draw(p.T, "action")](key)
	}
	for _, key := range p.keys() {
		if s := p.find(key); s != nil {
			p.e.keeps(key, s.all...)
		} else {
			p.e.keeps(key)
		}
	}
}

func (p *resultPair) find(key driver.Key) *modelResults {
	s := p.model[key]
	if s == nil || s.until != 0 && s.until <= p.passed {
		return nil
	}
	return s
}

func (p *resultPair) doPut(key driver.Key) {
	p.results++
	r := result(rapid.SampledFrom([]string{"a", "b", "c", fmt.Sprint("new ", p.results)}).Draw(p.T, "id"), rapid.IntRange(0, 1000).Draw(p.T, "size"))
	limit := rapid.Int64Range(900, 3000).Draw(p.T, "limit")
	err := p.e.store.PutResult(p.e.ctx, key, r, limit)
	s := p.find(key)
	switch {
	case r.Size > limit:
		require.ErrorIs(p, err, driver.ErrTooLarge)
		return
	case s == nil:
		require.ErrorIs(p, err, driver.ErrNotFound)
		return
	}
	require.NoError(p, err)
	if slices.ContainsFunc(s.all, func(have driver.StoredResult) bool { return have.ID == r.ID }) {
		return
	}
	s.all = append(s.all, r)
	for sizeOf(s.all) > limit {
		s.all = s.all[1:]
	}
}

func sizeOf(all []driver.StoredResult) (sum int64) {
	for _, r := range all {
		sum += r.Size
	}
	return sum
}

func (p *resultPair) doAppend(key driver.Key) {
	a := appendOf()
	a.TTL = rapid.SampledFrom([]time.Duration{0, 0, driver.NoExpiry, 2500 * time.Millisecond, time.Hour}).Draw(p.T, "TTL")
	if p.e.harness.Sleep == nil && a.TTL > 0 {
		a.TTL = time.Hour
	}
	_, _, err := p.e.store.Append(p.e.ctx, key, a)
	require.NoError(p, err)
	s := p.find(key)
	if s == nil {
		s = &modelResults{}
		p.model[key] = s
	}
	switch {
	case a.TTL > 0:
		s.until = p.passed + a.TTL
	case a.TTL < 0:
		s.until = 0
	}
}

func (p *resultPair) doDelete(key driver.Key) {
	require.NoError(p, p.e.store.Delete(p.e.ctx, key, nil))
	delete(p.model, key)
}
