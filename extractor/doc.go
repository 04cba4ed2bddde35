// Package extractor finds the entities in the results of any tool.
//
//	tool call ──> internal/document ──> reading ─┬─ closed object ──> record ─┬─> finding ──> []memory.Entity
//	              one stream of events           └─ running text ───> prose ──┘   each once,
//	              for every format                                                best first
//
// Package record decides what an object is and why, prose what a text mentions. Both
// judge keys and tools by naming, values by shape, and words by the lists in vocabulary.
//
// EntityExtractor needs no model and no description of the tool. It reads Go
// values, JSON (also inside strings), MCP content, YAML, NDJSON, "key: value"
// text, tables and XML as one stream. It keeps the scalars of open objects only;
// when an object ends, it decides whether the object was a record:
//
//   - Identity: id, _id, uuid…; order_id in an order; the object's key in a map
//     keyed by ids; key, number, code, sku or path without a better identifier;
//     the id that the tool was called with, if the result does not repeat it.
//   - Type, the first of: the type that the record states, if plausible; the type
//     in its identifier's name (order_id); its key or wrapper; the tool's name;
//     "resource".
//   - Name and description: name, title…, else the short texts that tell the
//     record apart. Sentences about what happened to it are neither.
//   - Aliases: the record's further identifiers, the one that people use to be shown
//     first.
//   - References: customer_id refers to a customer.
//   - Candidates: every other value that looks like an identifier, a path, a link or
//     the name of a file, with the type and label that its key and its record give;
//     words of running text; list items beyond the limits.
//
// A call whose tool runs something else, a shell or a database, is described by its
// arguments: kubectl get pods returns pods.
//
// Dates, prices, counts, statuses, addresses of people and longer texts are not
// entities.
//
// Secrets are neither entities nor parts of their texts: credentials, private keys,
// card numbers, national ids and one-time codes, by label ("password: …", ?token=…,
// {"api_key": …}) and by form (ghp_…, a check digit), wherever they are. What has
// neither a label nor a known form cannot be told from an identifier.
//
// # Implementing an Extractor
//
// Use a Rule where paths are enough, and implement Extractor, or use Func, where
// the results of a tool need code. Combine extractors with First.
package extractor
