package service

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// AppendMessages appends messages to a session, which it creates if necessary, and returns the
// session as PutSession does. It skips messages whose ids the session has or recently had; a
// conditional write skips only those that it has. The cost of a minimal answer does not depend
// on the number of messages. Errors: as PutSession.
func (s *Service) AppendMessages(ctx context.Context, t Tenant, v WriteView, messages []session.Message) (*Session, error) {
	if err := v.check(func(c *checks) { c.messages(messages, s.sessions.Now()) }); err != nil {
		return nil, err
	}
	key, err := writeKey(t, v.Ref)
	if err != nil {
		return nil, err
	}
	if err := checkAppend(messages); err != nil {
		return nil, err
	}
	write := s.append
	if v.isConditional() {
		write = s.appendIf
	}
	found, err := write(ctx, key, &v, messages, v.options())
	if err != nil {
		return nil, withSession(v.Ref, s.reportError(ctx, err))
	}
	return s.withUsage(found, v.Model, v.Window), nil
}

// checkAppend checks messages to append. Errors: Bad, Invalid.
func checkAppend(messages []session.Message) error {
	if err := checkDuplicates(messages); err != nil {
		return err
	}
	for i := range messages {
		if err := checkContent(&messages[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) append(ctx context.Context, key session.Key, v *WriteView, messages []session.Message, opts *session.WriteOptions) (*session.Session, error) {
	if _, err := s.sessions.Append(ctx, key, messages, opts); err != nil {
		return nil, err
	}
	load := &session.LoadOptions{}
	if v.Minimal {
		load.Last = -1
	}
	found, err := s.sessions.Load(ctx, key, load)
	if refused, ok := errors.AsType[*Error](err); ok { // by a Loan
		return nil, &Error{Kind: refused.Kind, Detail: refused.Detail + "; the messages have been appended"}
	}
	return found, err
}

// appendIf is append with a condition. It has to read the session to check it.
func (s *Service) appendIf(ctx context.Context, key session.Key, v *WriteView, messages []session.Message, opts *session.WriteOptions) (*session.Session, error) {
	return s.sessions.Update(ctx, key, func(found *session.Session) error {
		if err := v.checkVersion(found); err != nil {
			return err
		}
		there := make(map[string]bool, len(found.Messages))
		for i := range found.Messages {
			there[found.Messages[i].ID] = true
		}
		for _, m := range messages {
			if !there[m.ID] {
				found.Messages = append(found.Messages, m)
			}
		}
		return nil
	}, opts)
}
