package session

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
)

// LoadOptions selects the messages of a session to read. If nil, all are read.
type LoadOptions struct {
	// Last is the number of messages to read, counted from the end. 0 means all, a
	// negative number none.
	Last int
	// Tokens is the maximum number of tokens of the messages together; the last message
	// is always read. 0 means no limit.
	Tokens int
	// From is the number (Message.Seq) of the first message to read, even if that is the
	// result of a tool call. 0 means the first message of the session.
	From uint64
}

// Load reads a session. Messages read in part do not begin with results whose tool calls
// are left out, unless LoadOptions.From says so.
//
// If Options.LongTerm keeps messages, an expired session is rebuilt from them: its Version
// is 0, and the next write stores it again. Errors: ErrKey, ErrNotFound, *DamagedError,
// *FormatError, ErrUnavailable, ErrClosed, and that of the LongTerm.
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

// loadRebuilt loads a session from long-term memory. It returns missing if that has no messages.
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
	s.from.Messages = nil // the store has none of them
	return s, nil
}

// loadNumbered reads the messages from a number on, or the last of these.
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

// startAt drops the messages before a number.
func (s *Session) startAt(from uint64) { s.cut(len(s.Messages) - len(head.From(s.Messages, from))) }

// loadTokens reads the last messages within a number of tokens. As their number is not
// known in advance, it reads four times as many until they suffice.
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

// beginOf returns the index of the first of the last messages within a number of tokens,
// or that of the last message.
func (s *Session) beginOf(tokens int64) int {
	sum, begin := int64(0), len(s.Messages)
	for begin > 0 && (begin == len(s.Messages) || sum+int64(s.Messages[begin-1].Tokens) <= tokens) {
		begin--
		sum += int64(s.Messages[begin].Tokens)
	}
	return begin
}

// passOver drops the first n messages, and the results behind them whose calls are dropped,
// unless nothing else would remain.
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

// cut drops the first n messages.
func (s *Session) cut(n int) {
	s.Messages, s.from.Messages = s.Messages[n:], s.from.Messages[n:]
	s.from.complete = s.from.complete && n == 0
}
