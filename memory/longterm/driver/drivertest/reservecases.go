package drivertest

import (
	"context"
	"errors"
	"strings"

	"github.com/stretchr/testify/require"

	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func reserveCases() []testCase {
	return []testCase{{
		Name:  "asks for enough memory",
		About: "If a Lookup or a Search asks the Reserve of its context, it asks for at least twice the texts that it returns, and returns the error of a refusal.",
		Run:   asksForEnough,
	}}
}

func asksForEnough(e *env) {
	const size = 50_000
	ids := []string{"a", "b", "c", "d", "e"}
	var keys []longtermdriver.RecordKey
	for _, id := range ids {
		e.add(entry(record(id, "tea "+strings.Repeat("x", size))))
		keys = append(keys, keyOf(id))
	}
	for name, read := range map[string]func(ctx context.Context) error{
		"lookup": func(ctx context.Context) error {
			_, err := e.index.Lookup(ctx, longtermdriver.Lookup{Keys: keys})
			return err
		},
		"list": func(ctx context.Context) error {
			_, err := e.index.Search(ctx, longtermdriver.Search{Scope: anna, Limit: 10})
			return err
		},
		"search": func(ctx context.Context) error {
			_, err := e.index.Search(ctx, longtermdriver.Search{Scope: anna, Mode: longtermdriver.ModeKeyword, Terms: longtermdriver.QueryTerms("tea"), Limit: 10})
			return err
		},
	} {
		var asked int64
		require.NoError(e, read(sessiondriver.WithReserve(e.ctx, func(_ any, bytes int64) error {
			asked = max(asked, bytes)
			return nil
		})), name)
		if asked == 0 {
			e.Skip("the index does not ask")
		}
		require.GreaterOrEqual(e, asked, int64(len(ids)*2*size), name)
		refusal := errors.New("refused")
		require.ErrorIs(e, read(sessiondriver.WithReserve(e.ctx, func(_ any, bytes int64) error {
			if bytes > 2*2*size {
				return refusal
			}
			return nil
		})), refusal, name)
	}
}
