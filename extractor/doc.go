// Package extractor finds the entities in the results of any tool.
//
//	tool call ──> internal/document ──> record finder ──> types, names, ids ──> []memory.Entity
//	              one stream of events  objects that      tool's name, keys,
//	              for every format      have an identity  values' shapes
//
// EntityExtractor needs no model and no description of the tool. It reads Go
// values, JSON (also inside strings), MCP content, YAML, NDJSON, "key: value"
// text, tables and XML as one stream, keeps the scalars of the objects that are
// open, and when an object ends decides whether it was a record:
//
//   - identity: id, _id, uuid…; order_id in an order; the object's key in a map
//     keyed by ids; key, number, code, sku, path where nothing better is there;
//     or the id the tool was called with, where the answer does not repeat it.
//   - type, in this order: the one the record states, if plausible; the one its
//     identifier names (order_id); the key or wrapper it stands under; the tool's
//     name; "resource".
//   - name and description: name, title…, else the short texts that tell the
//     record apart.
//   - what the record points to: customer_id gives a customer.
//
// Not taken: secrets (by name and shape), dates, prices, counts, statuses,
// addresses of people, texts.
//
// # Implementing an Extractor
//
// Implement Extractor, or use Func, where a tool's results need code; use a Rule
// where paths are enough. Compose yours with ours by First.
package extractor
