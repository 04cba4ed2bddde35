package service

import (
	"context"

	"github.com/go-workingmemory/workingmemory/adapters/rest/wire"
)

// RecordToolCall takes a finished tool call into a session, which is made if it is not
// there, and returns what was found in it.
func (s *Service) RecordToolCall(ctx context.Context, t Tenant, ref Ref, call *wire.RecordedCall) (*wire.Recorded, error) {
	panic("service: not there yet")
}

// Entities returns what the tools of a session returned, newest first. Errors: NotFound.
func (s *Service) Entities(ctx context.Context, t Tenant, ref Ref) (*wire.Entities, error) {
	panic("service: not there yet")
}
