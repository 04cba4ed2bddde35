package postgresstore_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/sessiontest"
)

func harness(tb testing.TB) sessiontest.Harness {
	schema := newSchema(tb)
	return sessiontest.Harness{
		Shared: true,
		Open:   func(tb testing.TB) session.Store { return open(tb, schema) },
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, harness)
}
