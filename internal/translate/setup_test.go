package translate_test

import (
	"context"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// served is a service with the types of the wire. Tests of what clients read and send back go
// through both packages, as every request does.
type served struct{ *service.Service }

// writeView is a service.WriteView with headers.
type writeView struct {
	service.Ref
	Model                string
	Window               int64
	TTLSeconds           *int64
	IfMatch, IfNoneMatch string // headers, "" for none
	Minimal              bool
}

func (v writeView) view() service.WriteView {
	return service.WriteView{
		Ref: v.Ref, Model: v.Model, Window: v.Window, TTLSeconds: v.TTLSeconds, Minimal: v.Minimal,
		If: versions(v.IfMatch, false), IfNot: versions(v.IfNoneMatch, true),
	}
}

func versions(header string, weak bool) *service.Versions {
	if header == "" {
		return nil
	}
	return translate.Versions([]string{header}, weak)
}

// answered converts an answer unless err is not nil.
func answered[In, Out any](out func(In) Out, in In, err error) (Out, error) {
	var none Out
	if err != nil {
		return none, err
	}
	return out(in), nil
}

func (s served) PutSession(ctx context.Context, t service.Tenant, v writeView, body *wire.SessionBody) (*wire.Session, error) {
	view := v.view()
	given := translate.SessionWrite(body, &view)
	written, err := s.Service.PutSession(ctx, t, view, given)
	return answered(func(s *service.Session) *wire.Session { return translate.Session(s, v.Minimal) }, written, err)
}

func (s served) AppendMessages(ctx context.Context, t service.Tenant, v writeView, body *wire.Append) (*wire.Session, error) {
	written, err := s.Service.AppendMessages(ctx, t, v.view(), translate.Messages(body.Messages))
	return answered(func(s *service.Session) *wire.Session { return translate.Session(s, v.Minimal) }, written, err)
}

func (s served) GetSession(ctx context.Context, t service.Tenant, ref service.Ref, v service.View) (*wire.Session, error) {
	found, err := s.Service.GetSession(ctx, t, ref, v)
	return answered(func(s *service.Session) *wire.Session { return translate.Session(s, false) }, found, err)
}

func (s served) DeleteSession(ctx context.Context, t service.Tenant, ref service.Ref, ifMatch string) error {
	return s.Service.DeleteSession(ctx, t, ref, versions(ifMatch, false))
}

func (s served) ListSessions(ctx context.Context, t service.Tenant, namespace, userID *string, limit, offset int) (*wire.SessionList, error) {
	page, err := s.Service.ListSessions(ctx, t, namespace, userID, limit, offset)
	return answered(translate.SessionList, page, err)
}

func (s served) Summarize(ctx context.Context, t service.Tenant, ref service.Ref) (*wire.Summarized, error) {
	outcome, err := s.Service.Summarize(ctx, t, ref)
	return answered(translate.Summarized, outcome, err)
}

func (s served) Entities(ctx context.Context, t service.Tenant, ref service.Ref) (*wire.Entities, error) {
	found, err := s.Service.Entities(ctx, t, ref)
	return answered(translate.Entities, found, err)
}

func (s served) RecordToolCall(ctx context.Context, t service.Tenant, ref service.Ref, call *wire.RecordedCall) (*wire.Recorded, error) {
	found, err := s.Service.RecordToolCall(ctx, t, ref, translate.ToolCall(call), translate.Rewriting(call))
	return answered(translate.Recorded, found, err)
}

func (s served) CreateMemories(ctx context.Context, t service.Tenant, namespace, userID *string, body *wire.MemoryBody) error {
	return s.Service.CreateMemories(ctx, t, namespace, userID, translate.Memories(body.Memories), translate.Apart(body))
}

func (s served) SearchMemories(ctx context.Context, t service.Tenant, body *wire.Search) (*wire.Results, error) {
	search, err := translate.Search(body)
	if err != nil {
		return nil, err
	}
	found, err := s.Service.SearchMemories(ctx, t, search)
	return answered(translate.Results, found, err)
}

func (s served) GetMemory(ctx context.Context, t service.Tenant, id string, namespace, userID *string) (*wire.Memory, error) {
	found, err := s.Service.GetMemory(ctx, t, id, namespace, userID)
	return answered(memoryOut, found, err)
}

func (s served) PatchMemory(ctx context.Context, t service.Tenant, id string, namespace, userID *string, patch *wire.MemoryPatch) (*wire.Memory, error) {
	changed, err := s.Service.PatchMemory(ctx, t, id, namespace, userID, translate.MemoryPatch(patch))
	return answered(memoryOut, changed, err)
}

func memoryOut(m *session.Record) *wire.Memory { return new(translate.Memory(m)) }

func (s served) ForgetMemories(ctx context.Context, t service.Tenant, namespace, userID, sessionID *string, limit int, dryRun bool, body *wire.Forget) (*wire.ForgetResult, error) {
	forget := translate.Forget(body)
	forget.SessionID, forget.Limit, forget.DryRun = sessionID, limit, dryRun
	gone, err := s.Service.ForgetMemories(ctx, t, namespace, userID, forget)
	return answered(translate.Forgotten, gone, err)
}

func (s served) Prompt(ctx context.Context, t service.Tenant, body *wire.PromptRequest) (*wire.Prompt, error) {
	request, err := translate.PromptRequest(body)
	if err != nil {
		return nil, err
	}
	made, err := s.Service.Prompt(ctx, t, request)
	return answered(translate.Prompt, made, err)
}
