package mcpserver_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// A tenant with many calls does not make another one wait for all of them.
func TestTenantsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var begun []string
		next := make(chan struct{})
		server := newServer(t, mcpserver.Options{
			MaxCalls: 1, Tenant: tenantOf,
			Recording: &middleware.SessionsOptions{Extractor: extractor.Func(func(_ context.Context, in extractor.Input) (extractor.Extraction, error) {
				begun = append(begun, in.Tool)
				<-next
				return extractor.Extraction{}, nil
			})},
		})
		handler := server.HTTPHandler()
		var all sync.WaitGroup
		for _, call := range []string{"a1", "a2", "a3", "b1", "c1"} {
			all.Go(func() {
				ctx := context.WithValue(t.Context(), tenantKey{}, auth.Tenant{UserID: call[:1]})
				said := serveOne(ctx, handler, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"record_tool_call","arguments":{"session_id":"s","name":%q,"result":{}}}}`, call))
				assert.Contains(t, said, "No entities")
			})
			synctest.Wait()
		}
		for range 5 {
			next <- struct{}{}
			synctest.Wait()
		}
		all.Wait()
		assert.Equal(t, []string{"a1", "a2", "b1", "c1", "a3"}, begun)
	})
}
