package service

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// AppendMessages adds messages at the end of a session, but for those whose ids are there
// or left it lately, and makes the session if it is not there. On a condition, those that
// left it are added again. It answers as PutSession. A minimal answer costs the same
// whatever the number of messages. Errors: as of PutSession.
func (s *Service) AppendMessages(ctx context.Context, t Tenant, v WriteView, messages []session.Message) (*Session, error) {
	if err := v.check(func(c *checks) { c.messages(messages, s.sessions.Now()) }); err != nil {
		return nil, err
	}
	key, err := writeKey(t, v.Ref)
	if err != nil {
		return nil, err
	}
	if messages, err = appended(messages); err != nil {
		return nil, err
	}
	write := s.append
	if v.conditional() {
		write = s.appendIf
	}
	found, err := write(ctx, key, &v, messages, v.options())
	if err != nil {
		return nil, without(v.Ref, s.fail(ctx, err))
	}
	return s.withUsage(found, v.Model, v.Window), nil
}

// appended returns messages as they are appended. Errors: Bad, Invalid.
func appended(given []session.Message) ([]session.Message, error) {
	if err := checkDuplicates(given); err != nil {
		return nil, err
	}
	messages := make([]session.Message, len(given))
	for i := range messages {
		messages[i] = fresh(given[i])
		if err := checkContent(i, &messages[i]); err != nil {
			return nil, err
		}
	}
	return messages, nil
}

func (s *Service) append(ctx context.Context, key session.Key, v *WriteView, messages []session.Message, opts *session.WriteOptions) (*session.Session, error) {
	if _, err := s.sessions.Append(ctx, key, messages, opts); err != nil {
		return nil, err
	}
	load := &session.LoadOptions{}
	if v.Minimal {
		load.Last = -1
	}
	return s.sessions.Load(ctx, key, load)
}

// appendIf is append to a session that is what the caller expects. That cannot be told
// without reading it.
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
