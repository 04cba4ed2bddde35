package drivertest

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func TestRunFaults(t *testing.T) {
	t.Parallel()
	for _, flaw := range []string{flawless, resending} {
		t.Run("a client that "+flaw, func(t *testing.T) {
			t.Parallel()
			RunFaults(t, startTable(t).Address(), func(_ testing.TB, address string) driver.Store { return openRemote(address, flaw) })
		})
	}
}

func TestRunFaultsFindsFlaws(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ flaw, found string }{
		{blind, "loses answers to writes"},
		{blind, "loses answers to writes that make a session"},
		{blind, "loses answers to deletions"},
		{doubling, "loses answers to appends"},
		{deaf, "is silent"},
		{deaf, "is slow"},
		{sulking, "refuses"},
		{sulking, "is silent"},
		{sulking, "is slow"},
		{boasting, "refuses"},
		{boasting, "loses answers to appends"},
		{nameless, "refuses"},
		{nameless, "loses answers to deletions"},
	} {
		t.Run(test.flaw+"/"+test.found, func(t *testing.T) {
			t.Parallel()
			proxy := NewProxy(t, startTable(t).Address())
			f := &faults{
				proxy: proxy, store: openRemote(proxy.Address(), test.flaw), key: key, patience: time.Second / 2, slack: slack,
			}
			if test.flaw == deaf { // it would never return
				f.slack = 0
				go func() {
					for t.Context().Err() == nil {
						time.Sleep(time.Second / 2)
						proxy.Cut()
					}
				}()
			}
			cases := faultCases()
			i := slices.IndexFunc(cases, func(c faultCase) bool { return c.name == test.found })
			err := cases[i].run(t.Context(), f)
			require.Error(t, err)
			t.Log(err)
		})
	}
}

func TestRunOutage(t *testing.T) {
	t.Parallel()
	RunOutage(t, startTable(t), func(_ testing.TB, address string) driver.Store { return openRemote(address, flawless) })
}

func TestRunOutageFindsFlaws(t *testing.T) {
	t.Parallel()
	for _, flaw := range []string{boasting, nameless} {
		t.Run(flaw, func(t *testing.T) {
			t.Parallel()
			s := startTable(t)
			err := endure(t.Context(), s, openRemote(s.Address(), flaw), time.Second)
			require.Error(t, err)
			t.Log(err)
		})
	}
}
