package longtermtest

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/sessiontest/child"
)

// PromotionsOpener opens a store of sessions and an index on what an address names, as
// each process does that shares them: a path, a URL, or whatever the tests of a store
// give. It returns what closes both.
type PromotionsOpener func(address string) (store session.Store, index longterm.Index, close func() error, err error)

// PromotionsChild does the part of a child process that RunPromotions starts, if this is
// one, and ends it. A package that uses RunPromotions calls it in TestMain, before
// sessiontest.Main or m.Run.
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
	manager, err := promotionsManager(sayingStore{store}, sayingIndex{index}, session.Promotions{
		Workers: promotionWorkers, Poll: 20 * time.Millisecond, Lease: 5 * time.Second, RetryAfter: 20 * time.Millisecond, Batch: 3, Delay: -1,
	}, nil)
	if err != nil {
		return err
	}
	<-time.After(time.Hour) // it is killed, or ends with its parent
	return manager.Close(context.Background())
}

// promotionsManager makes a manager as all that take part have it.
func promotionsManager(store session.Store, index longterm.Index, promotions session.Promotions, now func() time.Time) (*session.Manager, error) {
	promoter, err := promotionsPromoter(index, now)
	if err != nil {
		return nil, err
	}
	return session.NewManager(store, &session.Options{
		LongTerm: promoter, Promotions: promotions, Summaries: session.Summaries{Mode: session.SummarizeOff}, Now: now,
	})
}

func promotionsPromoter(index longterm.Index, now func() time.Time) (*longterm.Promoter, error) {
	memories, err := longterm.New(index, &longterm.Options{Now: now})
	if err != nil {
		return nil, err
	}
	return longterm.NewPromoter(memories, &longterm.PromoterOptions{
		Messages: true, Entities: true, Strategy: &session.Strategy{Name: "echo"}, Strategies: map[string]longterm.Strategy{"echo": echo{}},
	})
}

// echo extracts a memory from each message, which is another one whenever it is
// extracted: nothing but the account that is kept of it can keep it from being twice.
type echo struct{}

func (echo) Extract(_ context.Context, e session.Extraction) ([]longterm.Record, error) {
	var records []longterm.Record
	for i := range e.Messages {
		records = append(records, longterm.Record{
			ID: "echo-" + cryptorand.Text(), Text: "echo " + word() + " of " + e.Messages[i].Content, ExtractedFrom: []string{e.Messages[i].ID},
		})
	}
	return records, nil
}

// sayingStore and sayingIndex say when they are about to write and when they have: at
// any of these moments the process may be killed.
type sayingStore struct{ session.Store }

func (s sayingStore) Write(ctx context.Context, key session.Key, w session.Write) (session.Position, error) {
	child.Say("writing")
	at, err := s.Store.Write(ctx, key, w)
	child.Say("wrote")
	return at, err
}

type sayingIndex struct{ longterm.Index }

func (s sayingIndex) Write(ctx context.Context, changes []longterm.Change) error {
	child.Say("putting")
	err := s.Index.Write(ctx, changes)
	child.Say("put")
	return err
}
