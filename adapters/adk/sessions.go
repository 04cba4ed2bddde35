package adk

import (
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	stored "github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// InSessions returns an Options.Recorder that keeps the memory of each ADK session in a stored
// session of its own: see SessionKey.
func InSessions(sessions *middleware.Sessions) func(ctx agent.ReadonlyContext) *middleware.Recorder {
	return func(ctx agent.ReadonlyContext) *middleware.Recorder { return sessions.Recorder(SessionKey(ctx)) }
}

// SessionKey returns the key of the session that a context belongs to: its AppName as the
// Namespace, UserID and SessionID. The sessions that agenttool makes have the key of the session
// that called it.
func SessionKey(ctx agent.ReadonlyContext) stored.Key {
	if state := ctx.ReadonlyState(); state != nil {
		if v, err := state.Get(callerKey); err == nil {
			if key, ok := v.(stored.Key); ok {
				return key
			}
		}
	}
	return stored.Key{Namespace: ctx.AppName(), UserID: ctx.UserID(), SessionID: ctx.SessionID()}
}

// callerKey is the key, in the state of a session while a runner runs in it, of its SessionKey.
// It is never stored, but agenttool copies the state into the sessions that it makes.
const callerKey = temporary + "session"

// temporary begins all keys of this package in the state of a session, which session services
// do not store.
const temporary = session.KeyPrefixTemp + "workingmemory:"

// beforeRun puts the session's key into its state.
func (w *WorkingMemory) beforeRun(ctx agent.InvocationContext) (*genai.Content, error) {
	if s := ctx.Session(); w.opts.Recorder != nil && s != nil && s.State() != nil {
		_ = s.State().Set(callerKey, SessionKey(agent.Promote(ctx))) // without it, agenttool's sessions have memories of their own
	}
	return nil, nil
}

// sessionOf returns the session of a callback's context, or nil. ADK refuses Session there; a
// copy of the context does not.
func sessionOf(ctx agent.Context) session.Session {
	c := ctx.WithDelta(&agent.CommonContextDelta{})
	if c == nil {
		return nil
	}
	return c.Session()
}
