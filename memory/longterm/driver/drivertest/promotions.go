package drivertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance/child"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// RunPromotions lets 8 workers in 4 processes promote the sessions of one store to one index while
// other goroutines write to the sessions, and kills processes the given number of times at random
// moments, as kill -9 does. In the end, each memory must be found exactly once and be marked in
// its session, each message must be kept once and extracted once, and no owner may find records
// of another. It needs PromotionsChild in TestMain and a shared index.
func RunPromotions(t *testing.T, address string, open PromotionsOpener, times int) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	p := promotions{address: address, open: open, times: times, seed: seed}
	start := time.Now()
	require.NoError(t, p.run(t.Context()))
	t.Logf("killed %d processes after %d reported writes; %d sessions in %v",
		times, p.reports, len(p.sessions), time.Since(start).Round(time.Millisecond))
	require.Greater(t, p.reports, times, "the processes did too little to test anything")
}

// promotions is a run of RunPromotions.
type promotions struct {
	address string
	open    PromotionsOpener
	times   int
	seed    uint64

	store   sessiondriver.Store
	index   longtermdriver.Index
	manager *session.Manager // of the writing goroutines

	mu       sync.Mutex
	reports  int
	sessions []*promoted
}

// promotionProcesses is the number of concurrent processes.
const promotionProcesses = 4

func (p *promotions) run(ctx context.Context) (err error) {
	var closeBoth func() error
	p.store, p.index, closeBoth, err = p.open(p.address)
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	defer func() { err = errors.Join(err, closeBoth()) }()
	if p.manager, err = promotionsManager(p.store, p.index, promotion.Options{Off: true, Delay: -1}, nil); err != nil {
		return err
	}
	defer func() { _ = p.manager.Close(context.WithoutCancel(ctx)) }()

	failed := make(chan error, promotionProcesses)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range promotionProcesses {
		go func() {
			w := promotionWriter{p: p, number: i, random: rand.New(rand.NewPCG(p.seed, uint64(i)))}
			failed <- w.run(ctx, (p.times+i)/promotionProcesses)
		}()
	}
	for range promotionProcesses {
		if one := <-failed; one != nil && err == nil {
			err = one
			cancel() // stop the others
		}
	}
	if err != nil {
		return err
	}
	if err := p.finish(ctx); err != nil {
		return fmt.Errorf("promoting the rest: %w", err)
	}
	return p.check(ctx)
}

// runProcess starts a process, lets it promote, and kills it after a random number of reports, or
// if it is idle.
func (p *promotions) runProcess(ctx context.Context, random *rand.Rand, write func() error) error {
	process, err := child.Start(ctx, promotionsVariable, p.address)
	if err != nil {
		return err
	}
	defer func() { process.Kill(); _ = process.Reap() }()
	if err := errors.Join(process.Begin(), write()); err != nil {
		return err
	}
	const most, idle = 60, 2 * time.Second
	timer := time.AfterFunc(idle, process.Kill)
	defer timer.Stop()
	for said, last := 0, random.IntN(most); ; said++ {
		if said == last {
			process.Kill()
		}
		if _, err := process.Hear(); errors.Is(err, io.EOF) {
			p.mu.Lock()
			p.reports += said
			p.mu.Unlock()
			return process.Buried()
		}
	}
}

// finish promotes the rest, at a time when all leases have expired.
func (p *promotions) finish(ctx context.Context) error {
	later := func() time.Time { return time.Now().Add(time.Hour) }
	manager, err := promotionsManager(p.store, p.index, promotion.Options{Off: true, Delay: -1}, later)
	if err != nil {
		return err
	}
	for _, s := range p.sessions {
		if outcome, err := manager.Promote(ctx, s.key); err != nil || outcome.Refused > 0 {
			return errors.Join(err, fmt.Errorf("%s: %d memories refused", s.key, outcome.Refused))
		}
	}
	due, err := manager.Due(ctx, 10)
	if err == nil && len(due) > 0 {
		err = fmt.Errorf("%v remain due", due)
	}
	return errors.Join(err, manager.Close(ctx))
}
