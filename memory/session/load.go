package session

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
)

// LoadOptions say which messages of a session to read. nil means all.
type LoadOptions struct {
	// Last is how many messages to read, the last ones. 0 means all, a negative
	// number none.
	Last int
	// Tokens is how many tokens the messages may have together; the last message is
	// read in any case. 0 means any number.
	Tokens int
	// From is the number (Message.Seq) of the first message that is read, also where
	// it is the result of a tool call. 0 means the first there is.
	From uint64
}

// Load reads a session. A part of the messages never begins with results of tool
// calls without their calls, unless the session does, or LoadOptions.From says so.
//
// Where Options.LongTerm keeps messages, a session that has expired is rebuilt of them:
// its Version is 0, and it is in the store again with the next write. Errors: ErrKey,
// ErrNotFound, *DamagedError, *FormatError, ErrUnavailable, ErrClosed, and that of the
// LongTerm.
func (m *Manager) Load(ctx context.Context, key Key, opts *LoadOptions) (*Session, error) {
	if opts == nil {
		opts = &LoadOptions{}
	}
	s, err := m.loadWith(ctx, key, opts)
	if errors.Is(err, ErrNotFound) {
		return m.loadRebuilt(ctx, key, opts, err)
	}
	return s, err
}

func (m *Manager) loadWith(ctx context.Context, key Key, opts *LoadOptions) (*Session, error) {
	switch {
	case opts.Last < 0:
		return m.load(ctx, key, 0)
	case opts.Tokens > 0:
		return m.loadTokens(ctx, key, opts)
	case opts.From > 0:
		return m.loadNumbered(ctx, key, opts)
	case opts.Last > 0:
		s, err := m.load(ctx, key, opts.Last)
		if err != nil {
			return nil, err
		}
		s.passOver(0)
		return s, nil
	default:
		return m.load(ctx, key, -1)
	}
}

// loadRebuilt does so with a session that is rebuilt, if there is anything to rebuild.
func (m *Manager) loadRebuilt(ctx context.Context, key Key, opts *LoadOptions, missing error) (*Session, error) {
	s, err := m.rebuilt(ctx, key, missing)
	if err != nil {
		return nil, err
	}
	last := opts.Last
	if last <= 0 || last > len(s.Messages) {
		last = len(s.Messages)
	}
	switch begin := len(s.Messages) - last; {
	case opts.Last < 0:
		s.cut(len(s.Messages))
	case opts.Tokens > 0:
		s.passOver(max(begin, s.beginOf(int64(opts.Tokens))))
	default:
		s.passOver(begin)
	}
	s.startAt(opts.From)
	s.from.Messages = nil // none of them is in the store
	return s, nil
}

// loadNumbered reads the messages from a number on, and of those the last ones.
func (m *Manager) loadNumbered(ctx context.Context, key Key, opts *LoadOptions) (*Session, error) {
	h, err := m.sessions.Load(ctx, key, 0)
	if err != nil {
		return nil, err
	}
	if h, err = head.LoadFrom(ctx, m.sessions, key, opts.From, h.At); err != nil {
		return nil, err
	}
	s := newSession(key, h)
	if tooMany := len(s.Messages) - opts.Last; opts.Last > 0 && tooMany > 0 {
		s.passOver(tooMany)
	}
	return s, nil
}

// startAt leaves the messages before a number out of those that were read.
func (s *Session) startAt(from uint64) { s.cut(len(s.Messages) - len(head.From(s.Messages, from))) }

// loadTokens reads the last messages that have so many tokens together. How many
// messages those are is not known before: it is guessed, and guessed again.
func (m *Manager) loadTokens(ctx context.Context, key Key, opts *LoadOptions) (*Session, error) {
	const first = 64
	for n := first; ; n *= 4 {
		if opts.Last > 0 {
			n = min(n, opts.Last)
		}
		s, err := m.load(ctx, key, n)
		if err != nil {
			return nil, err
		}
		begin := s.beginOf(int64(opts.Tokens))
		if len(s.Messages) > 0 && s.Messages[begin].Seq < opts.From {
			s.startAt(opts.From)
			return s, nil
		}
		if begin > 0 || len(s.Messages) == s.Len() || n == opts.Last {
			s.passOver(begin)
			return s, nil
		}
	}
}

// beginOf is the index of the first of the last messages that have so many tokens
// together, or of the last message.
func (s *Session) beginOf(tokens int64) int {
	sum, begin := int64(0), len(s.Messages)
	for begin > 0 && (begin == len(s.Messages) || sum+int64(s.Messages[begin-1].Tokens) <= tokens) {
		begin--
		sum += int64(s.Messages[begin].Tokens)
	}
	return begin
}

// passOver leaves the first n messages out of those that were read, and results
// behind them whose calls are left out; all results, if nothing else is there, stay.
func (s *Session) passOver(n int) {
	if n == 0 && s.from.complete {
		return
	}
	begin := n
	for begin < len(s.Messages) && s.Messages[begin].IsResult() {
		begin++
	}
	if begin == len(s.Messages) {
		begin = n
	}
	s.cut(begin)
}

// cut leaves the first n messages out of those that were read.
func (s *Session) cut(n int) {
	s.Messages, s.from.Messages = s.Messages[n:], s.from.Messages[n:]
	s.from.complete = s.from.complete && n == 0
}
