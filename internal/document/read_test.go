package document_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// formats are texts, how they are read, and what they say.
var formats = []struct {
	name   string
	text   string
	format document.Format
	want   any
}{
	{"empty", "", document.FormatEmpty, nil},
	{"blank", " \n\t\r\n", document.FormatEmpty, nil},

	{"json object", `{"id": "a", "n": 12345678901234567890, "x": 1e400, "t": true, "z": null}`, document.FormatJSON,
		object{"id": "a", "n": num("12345678901234567890"), "x": num("1e400"), "t": true, "z": nil}},
	{"json with byte order mark", "\ufeff {\"a\":1}", document.FormatJSON, object{"a": num("1")}},
	{"json escapes", `{"aA":"\ud83d\ude00\n\"\/"}`, document.FormatJSON, object{"aA": "😀\n\"/"}},
	{"json array of ids", `["a", "b"]`, document.FormatJSON, array{"a", "b"}},
	{"json numbers", `[12, 13]`, document.FormatJSON, array{num("12"), num("13")}},
	{"json number", " 42\n", document.FormatJSON, num("42")},
	{"json word", "true", document.FormatJSON, true},
	{"json string", `"a b"`, document.FormatJSON, "a b"},
	{"json in a string", `"{\"id\": \"a\"}"`, document.FormatJSON, object{"id": "a"}},
	{"json in a string in a string", `"\"[{\\\"id\\\": 1}]\""`, document.FormatJSON, array{object{"id": num("1")}}},
	{"csv in a string", `"id,name\n1,a\n2,b"`, document.FormatCSV,
		array{object{"id": num("1"), "name": "a"}, object{"id": num("2"), "name": "b"}}},
	{"json with text behind", "{\"a\":1}\nDone.", document.FormatJSON, object{"a": num("1")}},
	{"json with text around", "Here is the result:\n{\n \"id\": 5,\n \"b\": [1]\n}\nDone.", document.FormatJSON,
		object{"id": num("5"), "b": array{num("1")}}},
	{"json within a line", `Created {"id": "a b"} for you.`, document.FormatJSON, object{"id": "a b"}},
	{"json cut off in prose", "Result:\n{\"id\": \"a\", \"b", document.FormatJSON, object{"id": "a"}},
	{"json in a fence", "Sure!\n```json\n{\"id\": 1}\n```\nDone {\"x\":2}", document.FormatJSON, object{"id": num("1")}},
	{"second fence", "```sh\nls -la\n```\n\n```\n[{\"id\": 1}]\n```", document.FormatJSON, array{object{"id": num("1")}}},
	{"yaml in a fence", "```yaml\na:\n  - b: 1\n```", document.FormatYAML, object{"a": array{object{"b": num("1")}}}},

	{"ndjson", "{\"a\":1}\n{\"a\":2}\r\n\n{\"a\":3}\n", document.FormatNDJSON,
		array{object{"a": num("1")}, object{"a": num("2")}, object{"a": num("3")}}},
	{"json, concatenated", `{"a":1}{"a":2} [3]`, document.FormatNDJSON,
		array{object{"a": num("1")}, object{"a": num("2")}, array{num("3")}}},
	{"json, indented and concatenated", "{\n  \"a\": 1\n}\n{\n  \"a\": 2\n}", document.FormatNDJSON,
		array{object{"a": num("1")}, object{"a": num("2")}}},
	{"json between commas", "{\"a\":1},\n{\"a\":2},", document.FormatNDJSON, array{object{"a": num("1")}, object{"a": num("2")}}},
	{"ndjson in prose", "Found 2:\n{\"a\":1}\n{\"a\":2}\nThat is all.", document.FormatNDJSON,
		array{object{"a": num("1")}, object{"a": num("2")}}},
	{"ndjson with damage", "{\"a\":1}\n{\"a\":\n{\"a\":3}\nnonsense\n{\"a\":4}", document.FormatNDJSON,
		array{object{"a": num("1")}, object{"a": object{"a": num("3")}}, object{"a": num("4")}}},

	{"python dict", `{'id': '#W1', "it's": "it's", 'ok': True, 'none': None, 't': (1, 2.5), 'e': [], 's': {'a', 'b'}, 'd': {}}`,
		document.FormatPython,
		object{"id": "#W1", "it's": "it's", "ok": true, "none": nil, "t": array{num("1"), num("2.5")}, "e": array{}, "s": array{"a", "b"}, "d": object{}}},
	{"python calls", `[{'at': datetime.datetime(2024, 1, 2, tzinfo=<UTC>), 'id': UUID('a-b'), 'p': Decimal("1.20"), 'o': OrderedDict({'x': 1}), 'c': defaultdict(<class 'int'>, {'y': 2}), 'k': Status(code=5, why='no'), 'e': <Status.OPEN: 'open'>}]`,
		document.FormatPython,
		array{object{"at": "datetime.datetime(2024, 1, 2, tzinfo=<UTC>)", "id": "a-b", "p": "1.20",
			"o": object{"x": num("1")}, "c": object{"y": num("2")}, "k": object{"code": num("5"), "why": "no"}, "e": "<Status.OPEN: 'open'>"}}},
	{"python strings", `{'a': b'x\xc3\xa9', 'b': u'\u00e9\x41', 'c': r'\d', 'd': 'one '` + "\n" + `'two', 'e': '''it's''', 'f': '\ud83d\ude00', 'g': '\101\q'}`,
		document.FormatPython,
		object{"a": "xé", "b": "éA", "c": `\d`, "d": "one two", "e": "it's", "f": "😀", "g": `A\q`}},
	{"python object", `Order(id='W1', items=[Item(id=2)], total=5.0)`, document.FormatPython,
		object{"id": "W1", "items": array{object{"id": num("2")}}, "total": num("5.0")}},
	{"python tuple", `('a', 1)`, document.FormatPython, array{"a", num("1")}},
	{"python numbers", `{'a': 0x1F, 'b': 1_000, 'c': -5, 'd': nan, 'e': 1e5}`, document.FormatPython,
		object{"a": "0x1F", "b": "1_000", "c": num("-5"), "d": nil, "e": num("1e5")}},
	{"python keys", `{(1, 2): 'a', 3: 'b', None: 'c'}`, document.FormatPython, object{"(1, 2)": "a", "3": "b", "None": "c"}},
	{"python lines", "{'a': 1}\n{'a': 2}", document.FormatPython, array{object{"a": num("1")}, object{"a": num("2")}}},
	{"loose json", "{id: 'a', // c\n n: [1,2,], # d\n \"x\": {},}", document.FormatPython,
		object{"id": "a", "n": array{num("1"), num("2")}, "x": object{}}},
	{"json with NaN", `{"a": NaN, "b": 1}`, document.FormatPython, object{"a": nil, "b": num("1")}},
	{"json with a trailing comma", `{"a": [1, 2,],}`, document.FormatPython, object{"a": array{num("1"), num("2")}}},
	{"python in prose", "Result:\n{'id': 1}\nok", document.FormatPython, object{"id": num("1")}},

	{"yaml", "order:\n  id: #W1\n  code: 0123\n  n: 1e5\n  u: 12_34\n  yes: yes\n  on: on\n  t: true\n  z: ~\n  q: \"12\"\n  items:\n    - id: 1\n      name: it's\n    - id: 2\n", document.FormatYAML,
		object{"order": object{"id": "#W1", "code": "0123", "n": "1e5", "u": "12_34", "yes": "yes", "on": "on", "t": true, "z": nil, "q": "12",
			"items": array{object{"id": num("1"), "name": "it's"}, object{"id": num("2")}}}}},
	{"yaml list", "- id: #W1\n  title: Re: your order\n- id: b\n  by: @ann # c\n", document.FormatYAML,
		array{object{"id": "#W1", "title": "Re: your order"}, object{"id": "b", "by": "@ann # c"}}},
	{"yaml list of words", "- a1\n- #W2\n- c3", document.FormatYAML, array{"a1", "#W2", "c3"}},
	{"yaml documents", "---\na: 1\n---\na: 2\n", document.FormatYAML, array{object{"a": num("1")}, object{"a": num("2")}}},
	{"yaml aliases", "base: &b\n  x: 1\n  y: 2\nuse:\n  <<: *b\n  y: 3\nagain: *b\n", document.FormatYAML,
		object{"base": object{"x": num("1"), "y": num("2")}, "use": object{"x": num("1"), "y": num("3")}, "again": object{"x": num("1"), "y": num("2")}}},
	{"yaml block", "a: 1\ntext: |\n  see: #5\n  b: c: d\nlist:\n  - x\n", document.FormatYAML,
		object{"a": num("1"), "text": "see: #5\nb: c: d\n", "list": array{"x"}}},
	{"yaml flow", "tags: [a, b]\nid: 5\n", document.FormatYAML, object{"tags": array{"a", "b"}, "id": num("5")}},
	{"yaml flow object", "{id: 5, name: Home}", document.FormatYAML, object{"id": num("5"), "name": "Home"}},
	{"yaml that is none", "a: 1\n  b: 2\n\tc:\n - d: [\n", document.FormatKeyValue, object{"a": num("1"), "b": num("2"), "c": nil, "d": "["}},

	{"key value", "Order: #W1\nStatus: pending\nTotal = 5.20\nUrl: https://a.b/c\n", document.FormatKeyValue,
		object{"Order": "#W1", "Status": "pending", "Total": num("5.20"), "Url": "https://a.b/c"}},
	{"key value in markdown", "## Order\n\n- **Order ID:** `W1`\n- **Paid**: **yes**\n- Note: none yet\n", document.FormatKeyValue,
		object{"Order ID": "W1", "Paid": "yes", "Note": "none yet"}},
	{"key value records", "Found 2 orders\n\nId: 1\nName: a\n\nId: 2\nName: b\n", document.FormatKeyValue,
		array{object{"Id": num("1"), "Name": "a"}, object{"Id": num("2"), "Name": "b"}}},
	{"key value paragraphs of one record", "Id: 1\nName: a\n\nStreet: x\nCity: y\n", document.FormatKeyValue,
		object{"Id": num("1"), "Name": "a", "Street": "x", "City": "y"}},
	{"key value with one line", "id: a1", document.FormatKeyValue, object{"id": "a1"}},
	{"key value in a numbered list", "1. Order ID: W1\n   Status: open\n2. Order ID: W2\n   Status: done\n", document.FormatKeyValue,
		array{object{"Order ID": "W1", "Status": "open"}, object{"Order ID": "W2", "Status": "done"}}},
	{"key value below headings", "Flight HAT001:\n  Origin: JFK\n  Price: 120\n\nFlight HAT002:\n  Origin: JFK\n  Price: 130\n", document.FormatKeyValue,
		array{object{"Flight": "HAT001", "Origin": "JFK", "Price": num("120")}, object{"Flight": "HAT002", "Origin": "JFK", "Price": num("130")}}},
	{"key value below plain headings", "commit 1a2b\nAuthor: Ann\n\n    Fix it\n\ncommit 3c4d\nAuthor: Bob\n\n    Break it\n", document.FormatKeyValue,
		array{object{"commit": "1a2b", "Author": "Ann"}, object{"commit": "3c4d", "Author": "Bob"}}},
	{"key value below a number sign", "Order #W1 (pending)\nCustomer: Ann\nItems:\n- Lamp (1001) x2\nTotal: $20\n", document.FormatKeyValue,
		object{"Order": "#W1", "Customer": "Ann", "Items": nil, "Total": "$20"}},
	{"issue in markdown", "# Issue 12: Login broken\n\n**Status:** open\n**Author:** ann\n\n## Description\nIt does not work.\n", document.FormatKeyValue,
		object{"Issue": num("12"), "title": "Login broken", "Status": "open", "Author": "ann"}},
	{"pairs on a line", "- id: 1, name: Home page\n- id: 2, name: About\n", document.FormatKeyValue,
		array{object{"id": num("1"), "name": "Home page"}, object{"id": num("2"), "name": "About"}}},
	{"pairs between bars", "id: W1 | status: open\nid: W2 | status: done\n", document.FormatKeyValue,
		array{object{"id": "W1", "status": "open"}, object{"id": "W2", "status": "done"}}},
	{"logfmt", "id=1 name=Home\nid=2 name=About\n", document.FormatKeyValue,
		array{object{"id": num("1"), "name": "Home"}, object{"id": num("2"), "name": "About"}}},
	{"environment", "HOST=a.b\nPORT=80", document.FormatKeyValue, object{"HOST": "a.b", "PORT": num("80")}},

	{"csv", "id,name,price\n001,\"Home, sweet\",5\n2,\"a \"\"b\"\"\",\n", document.FormatCSV,
		array{object{"id": "001", "name": "Home, sweet", "price": num("5")}, object{"id": num("2"), "name": `a "b"`, "price": nil}}},
	{"csv with spaces", "id, name\n1, a\n2, b", document.FormatCSV, array{object{"id": num("1"), "name": "a"}, object{"id": num("2"), "name": "b"}}},
	{"csv with semicolons", "id;name\n1;a,b\n", document.FormatCSV, array{object{"id": num("1"), "name": "a,b"}}},
	{"csv below a title", "Results:\nid,name\n1,a\n", document.FormatCSV, array{object{"id": num("1"), "name": "a"}}},
	{"csv of fields", "key,value\nid,5\nname,x\n", document.FormatCSV, object{"id": num("5"), "name": "x"}},
	{"tsv", "id\tname\n1\ta b\n", document.FormatTSV, array{object{"id": num("1"), "name": "a b"}}},

	{"markdown table", "Orders:\n\n| ID | **Name** | Link |\n|:---|---:|---|\n| `W1` | a \\| b | [x](http://y) |\n| W2 | **c** | |\n\nEnd | of it", document.FormatMarkdown,
		array{object{"ID": "W1", "Name": "a | b", "Link": "x"}, object{"ID": "W2", "Name": "c", "Link": nil}}},
	{"markdown table without outer bars", "a | b\n--- | ---\n1 | x\n", document.FormatMarkdown, array{object{"a": num("1"), "b": "x"}}},
	{"two markdown tables", "|a|\n|-|\n|1|\n\ntext\n\n|b|\n|-|\n|2|\n", document.FormatMarkdown, array{object{"a": num("1")}, object{"b": num("2")}}},
	{"markdown fields", "| Field | Value |\n|---|---|\n| ID | 5 |\n| Name | x |\n", document.FormatMarkdown, object{"ID": num("5"), "Name": "x"}},
	{"psql", " id | name \n----+------\n  1 | a\n  2 | \n(2 rows)\n", document.FormatTable,
		array{object{"id": num("1"), "name": "a"}, object{"id": num("2"), "name": nil}}},
	{"mysql", "+----+------+\n| id | name |\n+----+------+\n|  1 | a    |\n+----+------+\n1 row in set", document.FormatTable, array{object{"id": num("1"), "name": "a"}}},
	{"boxes", "┌────┬──────┐\n│ id │ name │\n├────┼──────┤\n│ 1  │ a    │\n└────┴──────┘\n", document.FormatTable, array{object{"id": num("1"), "name": "a"}}},
	{"columns", "NAME      READY   STATUS             AGE\nweb-1     1/1     Running            5d\ndb-é-22   0/1     CrashLoopBackOff   3m (1h ago)\n", document.FormatTable,
		array{object{"NAME": "web-1", "READY": "1/1", "STATUS": "Running", "AGE": "5d"},
			object{"NAME": "db-é-22", "READY": "0/1", "STATUS": "CrashLoopBackOff", "AGE": "3m (1h ago)"}}},
	{"columns with an empty cell", "ID    PORTS       NAMES\na1                web\nb2    80->80/tcp  db\n", document.FormatTable,
		array{object{"ID": "a1", "PORTS": nil, "NAMES": "web"}, object{"ID": "b2", "PORTS": "80->80/tcp", "NAMES": "db"}}},
	{"columns to the right", "\n  ID  SIZE\nabc   1 GB\n  d  20 MB\n", document.FormatTable,
		array{object{"ID": "abc", "SIZE": "1 GB"}, object{"ID": "d", "SIZE": "20 MB"}}},

	{"columns with a ruler", "Item  Price\n----  -----\nLamp  20.00\n\nTotal: 1\n", document.FormatTable, array{object{"Item": "Lamp", "Price": num("20.00")}}},

	{"xml", `<?xml version="1.0"?><!-- c --><order id="W1" xmlns:x="u"><x:name>A &amp; B</x:name><item>1</item><item n="2">two</item><e/></order>`, document.FormatXML,
		object{"order": object{"id": "W1", "name": "A & B", "item": "two", "item@n": "2", "e": ""}}},
	{"xml text with attributes", `<order><tracking carrier="UPS" via="air">1Z9</tracking><id type="web">W1</id><total currency="EUR">5</total><note xml:lang="en">hi</note></order>`, document.FormatXML,
		object{"order": object{"tracking": "1Z9", "tracking@carrier": "UPS", "tracking@via": "air", "id": "W1", "id@type": "web", "total": "5", "note": "hi"}}},
	{"xml text of what attributes identify", `<order><customer id="C1">Ann</customer><agent agentNumber="A1">Ben</agent><field name="size">5</field></order>`, document.FormatXML,
		object{"order": object{"customer": object{"id": "C1", "#text": "Ann"}, "agent": object{"agentNumber": "A1", "#text": "Ben"}, "field": object{"name": "size", "#text": "5"}}}},
	{"xml text with a schema's type", `<id xsi:type="xsd:string" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">W1</id>`, document.FormatXML, object{"id": "W1"}},
	{"xml attributes without text", `<order><e n="1"/></order>`, document.FormatXML, object{"order": object{"e": object{"n": "1"}}}},
	{"xml element", "<id>5</id>", document.FormatXML, object{"id": "5"}},
	{"xml in Latin-1", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xe9\xffx</a>", document.FormatXML, object{"a": "éÿx"}},
	{"html fragment", "<div>Order W1<br></div>", document.FormatText, "Order W1"},
	{"html", "<!DOCTYPE html><html><style>a{}</style><p>Order&nbsp;<b>W1</b></p></html>", document.FormatText, "Order\u00a0 W1"},

	{"rows without a header", "REQ-67417 | Engineer\nREQ-97048 | Cook\n", document.FormatText, "REQ-67417 | Engineer\nREQ-97048 | Cook"},
	{"rows without a header, comma", "c_184630,Ann,new\nc_365024,Ben,old\n", document.FormatText, "c_184630,Ann,new\nc_365024,Ben,old"},
	{"columns without a header", "REQ-67417  Engineer\nREQ-97048  Cook", document.FormatText, "REQ-67417  Engineer\nREQ-97048  Cook"},
	{"columns named with digits", "name,FY2024,sha256\na,5,b2f41c8\n", document.FormatCSV, array{object{"name": "a", "FY2024": num("5"), "sha256": "b2f41c8"}}},
	{"word", "yusuf_rossi_9620", document.FormatText, "yusuf_rossi_9620"},
	{"number that may be an id", "007", document.FormatText, "007"},
	{"exponent that may be an id", "1e5", document.FormatText, "1e5"},
	{"prose", "Note: I have updated the order.", document.FormatText, "Note: I have updated the order."},
	{"numbered prose", "Found 3 results:\n1. Fix login (id: 123)\n2. Other (id: 124)\n", document.FormatText, "Found 3 results:\n1. Fix login (id: 123)\n2. Other (id: 124)"},
	{"prose of lines", "Dear John,\nthank you, and all the best,\nAnn", document.FormatText, "Dear John,\nthank you, and all the best,\nAnn"},
	{"prose with commas", "Hello, world\nGood bye, world", document.FormatText, "Hello, world\nGood bye, world"},
	{"log", "[INFO] server started", document.FormatText, "[INFO] server started"},
	{"log with time", "[2024-01-01 10:00:00] started\n[2024-01-01 10:00:01] ended", document.FormatText, "[2024-01-01 10:00:00] started\n[2024-01-01 10:00:01] ended"},
	{"footnote", "[1] See below", document.FormatText, "[1] See below"},
	{"link", "[a](http://b)", document.FormatText, "[a](http://b)"},
	{"aside", "(no results)", document.FormatText, "(no results)"},
	{"template", "{name} is not found", document.FormatText, "{name} is not found"},
	{"time", "12:30 is fine", document.FormatText, "12:30 is fine"},
	{"list of prose", "- this is one thing\n- this is another", document.FormatText, "- this is one thing\n- this is another"},
	{"less than", "<3 you", document.FormatText, "<3 you"},
	{"invalid UTF-8", "a\xffb", document.FormatText, "a\uFFFDb"},
}

func TestReadText(t *testing.T) {
	t.Parallel()
	for _, test := range formats {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got tree
			result := document.ReadText([]byte(test.text), &got, document.Limits{})
			assert.Empty(t, got.problems())
			assert.Equal(t, test.want, got.root, got.sequence.String())
			assert.Equal(t, test.format, result.Format)
		})
	}
}

// Opening texts inside texts ends at the limit.
func TestNestedLimit(t *testing.T) {
	t.Parallel()
	text := `{"id": 1}`
	for range 4 {
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		text = string(quoted)
	}
	for nested, want := range map[int]any{
		-1: mustUnquote(t, text), 0: `{"id": 1}`, 2: `"{\"id\": 1}"`, 4: object{"id": num("1")},
	} {
		var got tree
		document.ReadText([]byte(text), &got, document.Limits{Nested: nested})
		assert.Equal(t, want, got.root, nested)
	}
}

func mustUnquote(t *testing.T, text string) (s string) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &s))
	return s
}
