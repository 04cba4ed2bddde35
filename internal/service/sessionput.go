package service

import (
	"context"

	"github.com/go-workingmemory/workingmemory/adapters/rest/wire"
)

// PutSession replaces a session by a body, or makes it, and returns it as it is then, after
// a summary that it was due for, with what its client should be warned of. The id is that of
// the Ref. Entities stay as they are where the body has none. Errors: Bad, Invalid,
// Forbidden, Stale, Conflict, TooLarge, Unavailable.
func (s *Service) PutSession(ctx context.Context, t Tenant, v WriteView, body *wire.SessionBody) (*wire.Session, []string, error) {
	panic("service: not there yet")
}

// AppendMessages adds messages at the end of a session, but for those whose ids are there,
// and makes it if it is not there. Errors: as of PutSession.
func (s *Service) AppendMessages(ctx context.Context, t Tenant, v WriteView, body *wire.Append) (*wire.Session, []string, error) {
	panic("service: not there yet")
}
