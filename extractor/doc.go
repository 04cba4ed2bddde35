// Package extractor finds the entities in the results of any tool.
//
//	tool call ──> rules ──> internal/document ──> reading ─┬─ closed object ──> record ─┬─> finding ──> []memory.Entity
//	              if any    one stream of events           └─ running text ───> prose ──┘   each once,
//	              match     for every format                                                best first
//
// Package record decides what an object is and why, prose what a text mentions. Both
// judge keys and tools by naming, values by shape, and words by the lists in vocabulary.
// Package shell parses command lines. The rules for commands, in the files of the folder
// recipes, are looked up by their words.
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
//   - Aliases: the record's further identifiers, with the one that people use first.
//   - References: customer_id refers to a customer.
//   - Candidates: every other value that looks like an identifier, a path, a link or
//     the name of a file, with the type and label that its key and its record give;
//     words of running text; list items beyond the limits.
//
// If a tool runs something else, such as a shell or a database, the arguments describe the
// call: kubectl get pods returns pods, and rm notes.md deletes a file.
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
// Use a Rule where paths, columns or regular expressions are enough. Where a tool's results
// need code, implement Extractor or use Func, and combine extractors with First.
package extractor
