// Package otel observes working memory with OpenTelemetry: spans by the semantic conventions for
// generative AI, and metrics.
//
//	observer, err := otel.New(nil)
//	recorder, err := middleware.NewRecorder(&middleware.Options{Observer: observer})
//
// The same observer serves any number of recorders, and middleware.SessionsOptions.Observer.
// It uses the API of OpenTelemetry only: the program chooses the SDK and its exporters.
//
// # Spans
//
// Spans follow "Memory" of the conventions (status: development). They are children of the span
// in the context, such as execute_tool of the framework. A block is no operation and has none.
//
//	upsert_memory   a tool call was recorded      Recorder.Record
//	search_memory   memories were recalled        Options.Recall
//	delete_memory   the entities were removed     Recorder.Clear
//
// Their kind is INTERNAL, or CLIENT if the conversation is a stored session. The conventions
// list neither the conversation nor the tool for these spans; both have the names that they have
// on other spans. No released semconv package of Go has the names of memory yet. Attributes:
//
//	gen_ai.operation.name        the name of the span
//	gen_ai.memory.store.id       Options.StoreID, or else the namespace of the session
//	gen_ai.memory.record.count   entities found, or memories recalled
//	gen_ai.conversation.id       the id of the session, or that of Options.ConversationID
//	gen_ai.tool.name             of upsert_memory
//	gen_ai.tool.call.id          of upsert_memory, if the call has one
//	error.type                   panic, extractor_panic, too_long, invalid_id, canceled,
//	                             timeout, store_unavailable or _OTHER
//
// # Contents
//
// What tools returned and users said leaves the process only if the variable
// OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is true, SPAN_ONLY or SPAN_AND_EVENT, or if
// Options.CaptureContent says so:
//
//	gen_ai.memory.query.text     the user's message that memories are recalled for
//	gen_ai.memory.records        the entities found, as JSON
//
// and the text of an error, which may quote contents, as the description of the span's status.
//
// # Metrics
//
//	gen_ai.client.operation.duration    seconds that an operation took, by
//	                                    gen_ai.operation.name and error.type
//
// is that of the conventions, with their buckets, whose first ends at 10 ms: it shows slow stores
// and recalls. The conventions have no other metrics of memory. These are the module's own:
//
//	workingmemory.block.tokens          tokens of each rendered block
//	workingmemory.block.entities        entities of each rendered block, by
//	                                    workingmemory.entity.state: shown or dropped
//	workingmemory.extraction.duration   seconds that reading a result took
package otel
