package service

import (
	"context"

	"github.com/go-workingmemory/workingmemory/adapters/rest/wire"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Block returns the [WORKING MEMORY] block of a session, "" where there is none or nothing
// in it. budget is its largest size in tokens; 0: the default.
func (s *Service) Block(ctx context.Context, t Tenant, ref Ref, budget int) (string, error) {
	panic("service: not there yet")
}

// blockOf is the block of a session that was read, of the head at least.
func (s *Service) blockOf(found *session.Session, budget int) string {
	panic("service: not there yet")
}

// Summarize summarises a session now, whether it is over its threshold or not.
func (s *Service) Summarize(ctx context.Context, t Tenant, ref Ref) (*wire.Summarized, error) {
	panic("service: not there yet")
}
