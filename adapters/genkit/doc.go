// Package genkit connects working memory with Genkit (github.com/firebase/genkit/go).
//
// A WorkingMemory is a middleware of Genkit. One option of a Generate call, a prompt or an agent
// adds it. As Genkit's own package has the same name, this one is imported as wm here:
//
//	response, err := genkit.Generate(ctx, g, ai.WithTools(tools...), ai.WithUse(wm.New(rec, nil)), …)
//
// It has these hooks, which Genkit calls in its loop of tools:
//
//	Generate ──> WrapModel ── records the calls in the messages that are new,
//	    ^            │        and shows the block to the model
//	    │            v
//	    │          model ──> answer
//	    │            │
//	    └─────── WrapTool ─── records the call when the tool returns or fails
//
// Both see each call of a tool, and record it once. WrapModel alone sees the calls of earlier
// turns, given by ai.WithMessages, of a program that runs tools itself
// (ai.WithReturnToolRequests), and those that a program answered in place of the tool
// (ai.WithToolResponses).
//
// The messages of the program are not modified, and the request in the response has no block:
// ModelResponse.History returns what a conversation can continue with.
//
// # Handles and large results
//
// With middleware.Options.Handles, tools receive ids in place of handles, and the model sees
// handles in place of ids. With Options.Results it sees a description in place of a large result,
// which it reads with the tools of ResultTools:
//
//	ai.WithTools(append(memory.ResultTools(), tools...)...)
//
// The messages of a conversation have what the model wrote and saw. A call with an unknown handle
// gets an error as its output. A program that runs tools itself (ai.WithReturnToolRequests) receives
// calls with ids; if one has an unknown handle, the model is asked again, up to
// middleware.MaxCorrections times. The chunks of a streamed answer keep their handles.
//
// # Recorders
//
// The recorder of a call is that of its context (middleware.WithRecorder), or else the one that
// Options.Recorder returns, or else that of New. Flows, tools and calls of Generate within tools
// inherit the context, so that a server makes its flows once:
//
//	flow := genkit.DefineFlow(g, "edit", func(ctx context.Context, said string) (string, error) {
//		return genkit.GenerateText(ctx, g, ai.WithPrompt("%s", said), ai.WithUse(wm.New(nil, nil)))
//	})
//	answer, err := flow.Run(middleware.WithRecorder(ctx, sessions.Recorder(key)), said)
//
// A tool that calls Generate without the middleware records nothing of what happens there.
//
// # Plugin
//
// A WorkingMemory is also a plugin of Genkit, which registers it by its Name: for the field use of
// dotprompt files, for ai.GenerateActionOptions and for the developer UI.
//
//	g := genkit.Init(ctx, genkit.WithPlugins(wm.New(rec, nil)))
//
// # Order
//
// The first middleware of ai.WithUse is the outermost. Put a WorkingMemory behind those that
// shorten results or change arguments: it then records what the tool received and returned. List
// it before middleware that may switch models, such as Fallback, so that the other model receives
// the block too. An approval of tools may be on either side.
//
// # Suspended calls
//
// A call that a tool, or a middleware, interrupts is not recorded. It is recorded once it has run
// to its end, restarted by ai.WithToolRestarts, or was answered by ai.WithToolResponses.
//
// # Limits
//
//   - Genkit decodes results as JSON with floating point numbers. Integer ids from 2^53 lose
//     digits, for the model too: return them as text, or a copy of the whole result as its only
//     text part.
//   - Partial results that a tool streams are not recorded; its returned result is.
//   - A failing tool ends the call of Generate. Its call is recorded, with the error. Calls that
//     run at the same time are recorded when they return, maybe after Generate has.
//   - The plugins for Gemini and Anthropic join all system messages to one system prompt, so that
//     Options.Placement has no effect on the cache there.
//   - A model without ModelSupports.SystemRole accepts one system message, thus only
//     prompt.PlaceSystem; one without ModelSupports.Multiturn accepts none.
//   - Deprecated middleware (ai.WithMiddleware) is outside of this one.
package genkit
