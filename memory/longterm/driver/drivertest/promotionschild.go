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

// PromotionsOpener opens a store of sessions and an index on what an address names, as
// each process does that shares them: a path, a URL, or whatever the tests of a store
// give. It returns what closes both.
type PromotionsOpener func(address string) (store sessiondriver.Store, index longtermdriver.Index, close func() error, err error)

// PromotionsChild does the part of a child process that RunPromotions starts, if this is
// one, and ends it. A package that uses RunPromotions calls it in TestMain, before
// drivertest.Main or m.Run.
func PromotionsChild(open PromotionsOpener) {
	child.Main(promotionsVariable, func(address string, begin func() error) error {
		return promoteAsChild(open, address, begin)
	})
}

const promotionsVariable = "WORKINGMEMORY_LONGTERMTEST_PROMOTIONS"

// promotionWorkers is how many workers a process has.
const promotionWorkers = 2

// promoteAsChild promotes in the background until it is killed.
func promoteAsChild(open PromotionsOpener, address string, begin func() error) (err error) {
	store, index, closeBoth, err := open(address)
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	defer func() { err = errors.Join(err, closeBoth()) }()
	if err := begin(); err != nil {
		return err
	}
	manager, err := promotionsManager(sayingStore{store}, sayingIndex{index}, promotion.Options{
		Workers: promotionWorkers, Poll: 20 * time.Millisecond, Lease: 5 * time.Second, RetryAfter: 20 * time.Millisecond, Batch: 3, Delay: -1,
	}, nil)
	if err != nil {
		return err
	}
	<-time.After(time.Hour) // it is killed, or ends with its parent
	return manager.Close(context.Background())
}

// promotionsManager makes a manager as all that take part have it.
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

// echo extracts a memory from each message, which is another one whenever it is
// extracted: nothing but the account that is kept of it can keep it from being twice.
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

// sayingStore and sayingIndex say when they are about to write and when they have: at
// any of these moments the process may be killed.
type sayingStore struct{ sessiondriver.Store }

func (s sayingStore) Write(ctx context.Context, key sessiondriver.Key, w sessiondriver.Write) (sessiondriver.Position, error) {
	child.Say("writing")
	at, err := s.Store.Write(ctx, key, w)
	child.Say("wrote")
	return at, err
}

type sayingIndex struct{ longtermdriver.Index }

func (s sayingIndex) Write(ctx context.Context, changes []longtermdriver.RecordChange) error {
	child.Say("putting")
	err := s.Index.Write(ctx, changes)
	child.Say("put")
	return err
}
