package adaptertest

import (
	"context"
	"errors"
	"testing"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Harness makes agents of a framework, for tests of its adapter, and declares what they can do.
type Harness struct {
	// New returns an agent. It is called several times in a test, also concurrently.
	New func(tb testing.TB, s Setup) Agent
	// Streams is true if the model can stream its answers: see Setup.Stream.
	Streams bool
	// StreamingTools is true if tools can return their results in parts.
	StreamingTools bool
	// Suspends is true if a tool can suspend its call by ErrSuspend. Agents that can go on
	// implement Resumer.
	Suspends bool
	// MessagesOnly is true if the adapter sees tool calls only in the messages that the
	// model is given, so that a failure is a result like any other.
	MessagesOnly bool
	// FailureEndsTurn is true if a failing tool ends the turn with an error.
	FailureEndsTurn bool
	// NoHistory is true if agents cannot keep the messages of their turns.
	NoHistory bool
	// NoIDs is true if calls of tools have no ids at all in the framework.
	NoIDs bool
	// UnknownEndsStream is true if a call with an unknown handle in a streamed answer ends the
	// turn with a *handle.UnknownError, because what was streamed cannot be taken back.
	UnknownEndsStream bool
}

// Setup describes an agent.
type Setup struct {
	// System is the system prompt.
	System string
	// Recorder is the fallback of the adapter. It may be nil: then contexts carry recorders.
	Recorder *middleware.Recorder
	// Model answers a request. Its error is the model's.
	Model func(ctx context.Context, request Request) (Reply, error)
	// Tools are the tools of the agent.
	Tools []Tool
	// Stream makes the agent stream the model's answers.
	Stream bool
	// History makes the agent keep the messages of its turns, with the calls and results of
	// tools. Otherwise each turn is a conversation of its own.
	History bool
	// ResultTools gives the agent also the tools that the adapter makes of
	// middleware.ResultTools.
	ResultTools bool
}

// Agent is an agent with the adapter under test attached.
type Agent interface {
	// Say runs a turn, in which the user says text, to its end, and returns the model's
	// last answer. With History, a turn that failed leaves its messages, so that the
	// next model call includes the results of its tools.
	Say(ctx context.Context, text string) (string, error)
}

// Resumer is an Agent whose turns can go on after a tool was suspended.
type Resumer interface {
	// Resume runs the suspended tool again and the turn to its end.
	Resume(ctx context.Context) (string, error)
}

// Tool is a tool with one parameter, page_id, which is a string.
type Tool struct {
	Name string
	// Streams is true if the result comes in parts. Harnesses without StreamingTools never
	// receive such tools.
	Streams bool
	// Run runs the tool with its arguments as JSON, and returns its result, which is text,
	// in parts; more than one only if Streams. If the error is ErrSuspend, the harness
	// suspends the call as the framework does.
	Run func(ctx context.Context, arguments string) ([]string, error)
}

// ErrSuspend is returned by a Tool to suspend its call.
var ErrSuspend = errors.New("adaptertest: suspend this call")

// Request is a request to the model.
type Request struct {
	// System is the text of the system prompt: of all system messages, joined.
	System string
	// Messages are the other messages, results of tools among them, with the role "tool". In
	// those of the model, the arguments of its calls are behind the text.
	Messages []prompt.Message
}

// Reply is the model's answer to a request: a text, or calls of tools.
type Reply struct {
	Text  string
	Calls []Call
}

// Call is a call of a tool that the model requests.
type Call struct {
	ID        string // "" if the model gives none
	Name      string
	Arguments string // JSON
}
