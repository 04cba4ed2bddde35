package drivertest

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/conformance/child"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// PromotionsOpener opens a store of sessions and an index at an address: a path, a URL, or anything
// else that the tests of a store pass to the processes that share it. It returns a function that
// closes both.
type PromotionsOpener func(address string) (store sessiondriver.Store, index longtermdriver.Index, close func() error, err error)

// PromotionsChild runs the child process of RunPromotions, if this is one, and exits. A package
// that uses RunPromotions calls it in TestMain, before drivertest.Main or m.Run.
func PromotionsChild(open PromotionsOpener) {
	child.Main(promotionsVariable, func(address string, begin func() error) error {
		return promoteAsChild(open, address, begin)
	})
}

const promotionsVariable = "WORKINGMEMORY_LONGTERMTEST_PROMOTIONS"

// promotionWorkers is the number of workers of a process.
const promotionWorkers = 2

// promoteAsChild promotes in the background until the process is killed.
func promoteAsChild(open PromotionsOpener, address string, begin func() error) (err error) {
	store, index, closeBoth, err := open(address)
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	defer func() { err = errors.Join(err, closeBoth()) }()
	if err := begin(); err != nil {
		return err
	}
	manager, err := promotionsManager(reportingStore{store}, reportingIndex{index}, promotion.Options{
		Workers: promotionWorkers, Poll: 20 * time.Millisecond, Lease: 5 * time.Second, RetryAfter: 20 * time.Millisecond, Batch: 3, Delay: -1,
	}, nil)
	if err != nil {
		return err
	}
	<-time.After(time.Hour) // the process is killed, or ends with its parent
	return manager.Close(context.Background())
}

// promotionsManager returns a manager with the options that all processes share.
func promotionsManager(store sessiondriver.Store, index longtermdriver.Index, promotions promotion.Options, now func() time.Time) (*session.Manager, error) {
	promoter, err := promotionsPromoter(index, now)
	if err != nil {
		return nil, err
	}
	return session.NewManager(store, &session.Options{
		LongTerm: promoter, Promotions: promotions, Summaries: summary.Options{Mode: summary.Off}, Now: now,
	})
}

func promotionsPromoter(index longtermdriver.Index, now func() time.Time) (*longterm.Promoter, error) {
	memories, err := longterm.New(index, &longterm.Options{Now: now})
	if err != nil {
		return nil, err
	}
	return longterm.NewPromoter(memories, &longterm.PromoterOptions{
		Messages: true, Entities: true, Strategy: &sessiondriver.StrategyConfig{Name: "echo"}, Strategies: map[string]longterm.Strategy{"echo": echo{}},
	})
}

// echo extracts a new memory from each message at every call: only the bookkeeping of the session
// prevents duplicates.
type echo struct{}

func (echo) Extract(_ context.Context, e sessiondriver.ExtractRequest) ([]longtermdriver.Record, error) {
	var records []longtermdriver.Record
	for i := range e.Messages {
		records = append(records, longtermdriver.Record{
			ID: "echo-" + cryptorand.Text(), Text: "echo " + word() + " of " + e.Messages[i].Content, ExtractedFrom: []string{e.Messages[i].ID},
		})
	}
	return records, nil
}

// reportingStore and reportingIndex report before and after each write, so that processes are
// killed at these moments.
type reportingStore struct{ sessiondriver.Store }

func (s reportingStore) Write(ctx context.Context, key sessiondriver.Key, w sessiondriver.Write) (sessiondriver.Position, error) {
	child.Say("writing")
	at, err := s.Store.Write(ctx, key, w)
	child.Say("wrote")
	return at, err
}

type reportingIndex struct{ longtermdriver.Index }

func (s reportingIndex) Write(ctx context.Context, changes []longtermdriver.RecordChange) error {
	child.Say("putting")
	err := s.Index.Write(ctx, changes)
	child.Say("put")
	return err
}
