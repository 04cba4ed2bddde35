// Package llmhttp gives working memory to any Go client of a language model's HTTP API, in one
// option: it reads the tool results in the client's requests and puts the block into them.
//
//	client := openai.NewClient(option.WithMiddleware(llmhttp.New(rec, nil).Middleware))
//	client := anthropic.NewClient(option.WithMiddleware(llmhttp.New(rec, nil).Middleware))
//	client, err := genai.NewClient(ctx, &genai.ClientConfig{
//		HTTPClient: &http.Client{Transport: llmhttp.New(rec, nil).Transport(nil)},
//	})
//
// It imports none of these clients. It knows the requests of four APIs, with their streaming
// variants, by the end of the path:
//
//	/chat/completions                              OpenAI Chat Completions, and compatible servers
//	/responses                                     OpenAI Responses
//	/messages                                      Anthropic Messages
//	:generateContent, :streamGenerateContent       Gemini
//
//	           ┌ calls and results ─> Recorder.RecordHistory
//	request ──>│ what was said     ─> Recorder.Prepare ─> block
//	           └ everything else   ─> unchanged, byte for byte ──> server
//
// A client sends its whole conversation each time. What begins as an earlier request did is not
// read again, and what was recorded is not recorded again: see middleware.History.
//
// Requests to other paths, and bodies that are no valid request of the API, are too large or
// compressed, or signed for AWS, pass unchanged. So do all responses, unless the recorder has
// handles.
//
// # Handles and large results
//
// With middleware.Options.Handles or Results, the model sees handles in place of ids, and
// descriptions in place of large results: in the results of the client's tools and in the arguments
// of their calls. Nothing else in them changes. A result is sent the same way each time, so that
// what the provider has cached of a prompt stays valid. In answers, ids replace the handles in
// arguments, in streams as they arrive but for a word that is not complete. The client's tools
// receive ids, and its messages hold ids; texts keep handles: see middleware.Recorder.Decode.
//
// A call with an unknown handle never reaches the client whole. The model is asked again, at most
// twice; the usage of these answers is not in that of the last one. If it fails again, or if the
// answer is a stream, reading the body of the response fails with a wrapped *handle.UnknownError,
// which the clients above return as it is and do not retry.
//
// The tools that read large results are those of middleware.ResultTools.
//
// # Placement
//
// With prompt.PlaceSystem the block is appended to the system prompt: as a part of its own if
// the prompt consists of parts, so that a provider's cache marker before it stays in place. With
// the other placements it is a system message of its own. Anthropic and Gemini have none among
// their messages: there it is a text in a message of the user (at the end of one with tool results,
// at the beginning of the last one) or, for Gemini, a content of its own. Beside a cachedContent,
// which excludes a system instruction, Gemini's block goes to the tail.
//
// # Caches and thinking
//
// Markers for a provider's cache stay where the client put them, before the block. With a marker at
// the end of the conversation, as Anthropic's automatic caching sets it, prompt.PlaceTail makes what
// is cached end in a block that changes; prompt.PlaceAppend does not. Older models of Anthropic drop
// their thinking at a text of the user behind the results of tools, which prompt.PlaceTail and
// prompt.PlaceAppend add; prompt.PlaceSystem does not.
//
// # Limits
//
//   - A call is recorded when the request with its result leaves, so the last calls of a
//     conversation are not. Wrap the tools too (middleware.RecordCalls) to record all of them,
//     with their errors and durations; each is recorded once.
//   - Chat Completions and Responses do not say which results are failures.
//   - With previous_response_id, Responses has the results but not their calls: they are recorded
//     without a name and arguments. The same is true of a conversation object.
//   - The paths of Bedrock (/invoke) and Vertex (:rawPredict) are not known: let Middleware see the
//     request before the client rewrites it.
//   - Batches, count_tokens, and conversations over WebSocket (Realtime, Live) are not seen.
//   - A result whose text the client shortened is recorded as shortened.
//   - Tools that the provider calls (MCP connectors) receive what the model wrote, so that handles
//     mean nothing to them; their calls and results stay as they are.
//   - Handles are not decoded in answers that are compressed or longer than 16 MiB, that are fetched
//     later (background), or whose arguments Vertex streams by path (partialArgs). In a stream, they
//     are decoded also in strings that contain NUL.
package llmhttp
