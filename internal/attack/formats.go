package attack

import (
	"encoding/json"
	"encoding/xml"
	"strings"
)

// format is what is around the pieces of a document. A "$" in between is replaced by the
// number of the item.
type format struct {
	name                   string
	before, between, after string
	// quote escapes a piece; nil if the format has no escapes.
	quote func(string) string
	// wrap puts the whole document into another one; nil if there is none.
	wrap func(string) string
}

// bare is the format of texts that consist of pieces only.
const bare = "bare"

// formats are the formats that package document reads, and texts as commands print them.
var formats = []format{
	{name: "json", before: `{"orders":[{"id":"ord_1001","name":"`, between: `"},{"id":"ord_1001$","name":"`, after: `"}],"total":2}`, quote: jsonText},
	{name: "json array", before: `[{"id":"ord_1001","note":"`, between: `"},{"id":"ord_1001$","note":"`, after: `"}]`, quote: jsonText},
	{name: "json texts", before: `{"order_ids":["ord_1001","`, between: `","`, after: `"]}`, quote: jsonText},
	{name: "json keys", before: `{"id":"ord_1001","`, between: `":{"id":"part_$"},"`, after: `":1}`, quote: jsonText},
	{name: "json map", before: `{"orders":{"ord_1001":{"text":"`, between: `"},"ord_1001$":{"text":"`, after: `"}}}`, quote: jsonText},
	{name: "json parts", before: `{"order":{"id":"ord_1001","part":{"note":"`, between: `"},"part$":{"note":"`, after: `"}}}`, quote: jsonText},
	{name: "json rows", before: `{"columns":["id","name"],"rows":[["ord_1001","`, between: `"],["ord_1001$","`, after: `"]]}`, quote: jsonText},
	{name: "json typed", before: `{"Items":[{"id":{"S":"ord_1001"},"name":{"S":"`, between: `"}},{"id":{"S":"ord_1001$"},"name":{"S":"`, after: `"}}]}`, quote: jsonText},
	{name: "json indented", before: "{\n  \"orders\": [\n    {\n      \"id\": \"ord_1001\",\n      \"name\": \"", between: "\"\n    },\n    {\n      \"id\": \"ord_1001$\",\n      \"name\": \"", after: "\"\n    }\n  ]\n}", quote: jsonText},
	{name: "ndjson", before: `{"id":"ord_1001","name":"`, between: "\"}\n{\"id\":\"ord_1001$\",\"name\":\"", after: "\"}\n", quote: jsonText},
	{name: "json in json", before: `{"orders":[{"id":"ord_1001","name":"`, between: `"},{"id":"ord_1001$","name":"`, after: `"}]}`, quote: jsonText,
		wrap: around(`{"status":200,"output":"`, `"}`)},
	{name: "text in json", before: "Order ord_1001: ", between: "\nOrder ord_1001$: ", wrap: around(`{"stdout":"`, `","exit_code":0}`)},
	{name: "text in records", before: `[{"id":"ord_1001","body":"Order A-1001 of today: `, between: `"},{"id":"ord_1001$","body":"Order A-1001 of today: `, after: `"}]`, quote: jsonText},
	{name: "documents in records", before: `[{"id":"ord_1001","body":"{\"items\":[\"`, between: `\"]}"},{"id":"ord_1001$","body":"{\"items\":[\"`, after: `\"]}"}]`, quote: jsonTextTwice},
	{name: "mcp", before: `{"orders":[{"id":"ord_1001","name":"`, between: `"},{"id":"ord_1001$","name":"`, after: `"}]}`, quote: jsonText,
		wrap: around(`{"content":[{"type":"text","text":"`, `"}]}`)},
	{name: "mcp items", before: `{"content":[{"type":"text","text":"`, between: `"},{"type":"text","text":"`, after: `"}]}`, quote: jsonText},
	{name: "mcp text", before: "Found orders:\n- Order ord_1001: ", between: "\n- Order ord_1001$: ", wrap: around(`{"content":[{"type":"text","text":"`, `"}]}`)},
	{name: "yaml", before: "orders:\n  - id: ord_1001\n    name: '", between: "'\n  - id: ord_1001$\n    name: '", after: "'\n", quote: yamlText},
	{name: "yaml plain", before: "orders:\n  - id: ord_1001\n    name: ", between: "\n  - id: ord_1001$\n    name: ", after: "\n"},
	{name: "yaml block", before: "order:\n  id: ord_1001\n  parts: |\n    ", between: "\n    ", after: "\n"},
	{name: "yaml aliases", before: "base: &base\n  id: ord_1001\norders:\n  - <<: *base\n    name: ", between: "\n  - <<: *base\n    name: ", after: "\n"},
	{name: "key value", before: "Order ID: ord_1001\nName: ", between: "\n\nOrder ID: ord_1001$\nName: ", after: "\n"},
	{name: "key value lines", before: "Order ID: ord_1001\nStatus: open\n", between: "\nkey$: ", after: "\n"},
	{name: "titles", before: "- Standup (ID: ev_1001)\n  Start: ", between: "\n- Standup (ID: ev_1001$)\n  Start: ", after: "\n"},
	{name: "csv", before: "id,name,note\nord_1001,\"", between: "\",n1\nord_1001$,\"", after: "\",n2\n", quote: csvText},
	{name: "csv plain", before: "id,name\nord_1001,", between: "\nord_1001$,", after: "\n"},
	{name: "tsv", before: "id\tname\nord_1001\t", between: "\nord_1001$\t", after: "\n"},
	{name: "markdown table", before: "| id | name |\n|---|---|\n| ord_1001 | ", between: " |\n| ord_1001$ | ", after: " |\n"},
	{name: "drawn table", before: "+------+------+\n| id | name |\n+------+------+\n| ord_1001 | ", between: " |\n| ord_1001$ | ", after: " |\n+------+------+\n"},
	{name: "box table", before: "┌────┬────┐\n│ id │ name │\n├────┼────┤\n│ ord_1001 │ ", between: " │\n│ ord_1001$ │ ", after: " │\n└────┴────┘\n"},
	{name: "columns", before: "ID        NAME\nord_1001  ", between: "\nord_1001$  ", after: "\n"},
	{name: "aligned", before: "PID USER COMMAND\n1001 root ", between: "\n1001$ root ", after: "\n"},
	{name: "rows", before: "ord_1001  open  ", between: "\nord_1001$  open  ", after: "\n"},
	{name: "tab rows", before: "ord_1001\topen\t", between: "\nord_1001$\topen\t", after: "\n"},
	{name: "bar rows", before: "ord_1001|open|", between: "\nord_1001$|open|", after: "\n"},
	{name: "python", before: "[{'id': 'ord_1001', 'name': '", between: "'}, {'id': 'ord_1001$', 'name': '", after: "'}]", quote: pythonText},
	{name: "python calls", before: "[Order(id='ord_1001', name='", between: "'), Order(id='ord_1001$', name='", after: "')]", quote: pythonText},
	{name: "python reprs", before: "[<Order id=1001 name='", between: "'>, <Order id=1001$ name='", after: "'>]", quote: pythonText},
	{name: "python fields", before: "meta=None orders=[Order(id='ord_1001', name='", between: "'), Order(id='ord_1001$', name='", after: "')]", quote: pythonText},
	{name: "xml", before: `<?xml version="1.0"?><orders><order id="ord_1001"><name>`, between: `</name></order><order id="ord_1001$"><name>`, after: `</name></order></orders>`, quote: xmlText},
	{name: "xml attributes", before: `<orders><order id="ord_1001" name="`, between: `"/><order id="ord_1001$" name="`, after: `"/></orders>`, quote: xmlText},
	{name: "html", before: `<!DOCTYPE html><html><body><p>Order ord_1001: `, between: `</p><p>Order ord_1001$: `, after: `</p></body></html>`, quote: xmlText},
	{name: "html table", before: `<table><tr><th>id</th><th>name</th></tr><tr><td>ord_1001</td><td>`, between: `</td></tr><tr><td>ord_1001$</td><td>`, after: `</td></tr></table>`, quote: xmlText},
	{name: "fenced", before: "Here they are:\n```json\n{\"orders\":[{\"id\":\"ord_1001\",\"name\":\"", between: `"},{"id":"ord_1001$","name":"`, after: "\"}]}\n```\nAnything else?", quote: jsonText},
	{name: "tagged", before: "<returncode>0</returncode>\n<output>\nOrder ord_1001: ", between: "\nOrder ord_1001$: ", after: "\n</output>"},
	{name: "tags", before: "<output>\nOrder ord_1001: ", between: "\n</output>\n<output$>\nOrder ord_1001$: ", after: "\n</output>"},
	{name: "run", before: "Exit code: 0\nOutput:\nOrder ord_1001: ", between: "\nOrder ord_1001$: ", after: "\n[Command finished with exit code 0]"},
	{name: "embedded lines", before: "Order ord_1001: {\"id\": \"", between: "\"}\nOrder ord_1001$: {\"id\": \"", after: "\"}", quote: jsonText},
	{name: "embedded", before: `The orders are {"orders":[{"id":"ord_1001","name":"`, between: `"},{"id":"ord_1001$","name":"`, after: `"}]} as of today.`, quote: jsonText},
	{name: "several documents", before: `The order is {"order":{"id":"ord_1001","name":"`, between: "\"}}\nand {\"order\":{\"id\":\"ord_1001$\",\"name\":\"", after: `"}} as of today.`, quote: jsonText},
	{name: "prose", before: "Order ord_1001 of customer Ann Lee (cus_8812) was shipped. ", between: "Order ord_1001$ came. ", after: "\n"},
	{name: "prose lines", before: "Order ord_1001 was shipped.\n", between: "\nOrder ord_1001$: ", after: "\n"},
	{name: "list", before: "Orders:\n- Red suitcase (ID: ord_1001) ", between: "\n- Blue suitcase (ID: ord_1001$) ", after: "\n"},
	{name: "numbered list", before: "Orders:\n1. Red suitcase [ORD-1001] ", between: "\n$. Blue suitcase [ORD-1001$] ", after: "\n"},
	{name: "indented list", before: "Orders:\n  - Red suitcase\n    ID: ord_1001 ", between: "\n  - Blue suitcase\n    ID: ord_1001$ ", after: "\n"},
	{name: "listing", before: "total 8\n-rw-r--r-- 1 root root 4096 Nov 23 14:10 notes.txt", between: "\n-rw-r--r-- 1 root root 4096 Nov 23 14:10 notes$.txt", after: "\n"},
	{name: "history", before: "9fceb02 Fix login ", between: "\n9fceb02 Fix login $ ", after: "\n"},
	{name: "commits", before: "commit 9fceb02d0ae598e95dc970b74767f19372d61af8\nAuthor: Ann\n\n    ", between: "\n\ncommit 9fceb02d0ae598e95dc970b74767f19372d61af8\n\n    ", after: "\n"},
	{name: "resources", before: "pod/web-1001 created\n", between: "\npod/web-1001$ created\n", after: "\n"},
	{name: "log", before: "2026-05-12T09:14:02Z INFO request id=req_1001 path=/orders/1001 ", between: "\n2026-05-12T09:14:02Z INFO request id=req_1001$ path=/orders/1001$ ", after: "\n"},
	{name: "screen", before: "- button \"Add to cart\" [ref=e1001]\n- link \"", between: "\" [ref=e1001$]\n- link \"", after: "\" [ref=e9]\n"},
	{name: "code", before: "```go\nfunc main() { // order ord_1001\n", between: "\nx = foo(ord_1001$, ", after: "\n```\n"},
	{name: "error", before: "Error: order ord_1001 not found: ", between: "\n\tat ord_1001$: ", after: "\n"},
	{name: bare},
	{name: "lines", between: "\n"},
	{name: "words", between: " "},
}

func around(before, after string) func(string) string {
	return func(document string) string { return before + jsonText(document) + after }
}

// jsonText returns the content of a JSON string.
func jsonText(text string) string {
	quoted, _ := json.Marshal(text) // a string always marshals
	return string(quoted[1 : len(quoted)-1])
}

func jsonTextTwice(text string) string { return jsonText(jsonText(text)) }

func yamlText(text string) string { return strings.ReplaceAll(text, "'", "''") }

func csvText(text string) string { return strings.ReplaceAll(text, `"`, `""`) }

var pythonEscapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`)

func pythonText(text string) string { return pythonEscapes.Replace(text) }

func xmlText(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder takes everything
	return b.String()
}
