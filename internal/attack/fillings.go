package attack

import (
	"fmt"
	"strings"
)

// filling is a sequence of pieces.
type filling struct {
	name  string
	piece func(i int) string
}

// fillings are pieces that have no end to look for, or many, that look like something
// worth a closer look, or that fill tables.
var fillings = []filling{
	same("names", "Red suitcase "),
	same("dashes", "- "), same("bars", "| "), same("colons", ": "), same("equals signs", "= "), same("commas", ", "), same("semicolons", "; "),
	same("tight dashes", "-"), same("tight bars", "|"), same("tight colons", ":"), same("tight equals signs", "="), same("tight commas", ","),
	same("underscores", "_"), same("dots", "."), same("slashes", "/"), same("backslashes", `\`), same("number signs", "#"), same("at signs", "@"), same("percent signs", "%"),
	same("open brackets", "["), same("open braces", "{"), same("open parentheses", "("), same("open angles", "<"), same("closing brackets", "]"), same("closing braces", "}"), same("closing parentheses", ")"), same("closing angles", ">"),
	same("spaced parentheses", " ("), same("spaced brackets", " ["), same("empty brackets", "[]"), same("empty parentheses", "() "), same("bracket and quote", `[{"`), same("closed and open", "]("), same("ends of elements", "]: "),
	same("quotes", `"`), same("apostrophes", "'"), same("backticks", "`"), same("spaced quotes", ` "a`), same("triple quotes", "'''"), same("emphasis", "**"), same("bold keys", "**a:** b "),
	same("nested objects", `{"a":`), same("nested arrays", "[["), same("nested dicts", "{'a':"), same("nested calls", "f("), same("nested sets", "{("), same("nested assignments", "a=["), same("nested dashes", "- - "),
	same("one letter", "a"), same("one digit", "7"), same("numbers", "7 "), same("long numbers", "123456789 "), same("decimals", "1.5,"), same("amounts", "$12.50 "), same("shares", "1/2 "), same("spaces", " "), same("tabs", "\t"), same("gaps", "  a"),
	same("empty lines", "\n"), same("blank lines", " \n"), same("carriage returns", "\r"), same("lines of a letter", "a\n"), same("lines of a dash", "- a\n"), same("lines of a key", "a: b\n"), same("lines of a bracket", "[\n"), same("lines of a brace", "{\n"), same("lines with a bar", "a | b\n"), same("lines behind a bar", "| a\n"), same("lines of an object", "{\"a\":1}\n"), same("lines of columns", "A  B\n"), same("lines of words", "A B C 1\n"), same("tables of columns", "A  B\n1  2\n\n"),
	same("rules", "---\n"), same("drawn rules", "+--+\n"), same("drawn bars", "│"), same("headings", "# Orders\n"), same("announcements", "Orders:\n"), same("keys without values", "a:\n"), same("lists over lines", "a = [\n"), same("indented keys", "a:\n  b: c\n"),
	same("tags", "<b>"), same("paragraph tags", "<p>"), same("anchors", "<a "), same("attributes", "<a b=1 "), same("assigned tags", "a=<b c="), same("closing tags", "</a>"), same("lines of a tag", "<a>\n"), same("lines of a closing tag", "</a>\n"), same("pairs of tags over lines", "<a>\nb\n</a>\n"), same("nested tags over lines", "<a>\n<b>\n"), same("objects in a line", `a {"b": 1} `), same("lists of open objects", `a [{"b": [`), same("cells", "<tr><td>"), same("tables", "<table><tr><td>a</td></tr>"), same("scripts", "<script>"), same("scripts in capitals", "<script></SCRIPT>"), same("comments of tags", "<!--"), same("cdata", "<![CDATA["),
	same("entities", "&amp;"), same("ampersands", "&"), same("open entities", "&a"), same("numeric entities", "&#x41;"), same("escapes", `\u0041`), same("escaped quotes", `\"`), same("comments", "/*"), same("line comments", "// "),
	same("dates", "2026-05-12 "), same("times", "2026-05-12T09:14:02Z "), same("addresses", "https://example.com/a/b?c=d "), same("tight addresses", "a://"), same("passwords", "postgres://bob:pw@host/db "), same("emails", "ann@example.com "), same("mailboxes", "Ann <ann@example.com>, "), same("paths", "src/main.go:42:7 "), same("tight paths", "a/b."), same("drive paths", `C:\a\b.txt `), same("versions", "v1.2.3 "),
	same("links", "[a](b.c)"), same("links in lines", "- [A-1001](https://example.com/A-1001)\n"), same("images", "![a](b.c) "), same("link beginnings", "[a]("), same("open links", "[a](b "), same("fences", "```\n"), same("fences of json", "```json\n{\n"), same("inserts", "INSERT INTO orders VALUES (1001, 'a');\n"), same("statements", "x = f(a[1]);\n"),
	same("one id", "ord_1001 "), same("one uuid", "0b8f7d5e-3c1a-4f6e-9b2d-7a5c3e1f9d8b "), same("ids in parentheses", "Ann Lee (cus_8812), "), same("labelled ids", "ID: 7 "), same("lines of ids", "ID: 12\n"), same("items with ids", "- Ann Lee (usr_9fK3a2)\n"), same("titles", "Title: a\n"), same("controls", "- button \"Go\" [ref=e1]\n"), same("chained pairs", "a=b="), same("numbered ids", "#1001 "), same("ids in brackets", "[ORD-1001] "), same("tight pairs", "id=7;"), same("pairs", "id=ord_1001 "), same("tight ids", "ord_1001,"), same("mentions", "<@U07ZZZ111>"), same("elements", "[ref=e1] "), same("hashes", "9fceb02 "), same("commits", "commit 9fceb02 "), same("lengths", "The bridge is 2,071 m long. "), same("capital letters", "A "), same("arns", "arn:aws:sqs:eu:1111:jobs "), same("nouns", "orders "), same("nouns and ids", "order 7 "), same("sentences", "Order A-17 of Ann is late. "), same("joined nouns", "order_"), same("capitals", "aB"), same("codes", "A-1"),
	same("tokens", "sk-1234567890abcdef "), same("token beginnings", "eyJ."), same("bearers", "Bearer "), same("labels", "pw:"), same("labels in paths", "secret/token:"), same("cookies", "cookie:"), same("settings", `"name":"DB_PASSWORD","value":"x",`), same("key blocks", "-----BEGIN "), same("password options", "mysql -p"), same("spaced options", " login -p "), same("secrets of a cluster", "kind: Secret\ndata:\n  a: b\n---\n"), same("members of secrets", `{"kind":"Secret","data":`),
	same("combining marks", "e\u0301"), same("marks alone", "\u0301"), same("wide letters", "漢"), same("symbols", "✅ "), same("zero widths", "\u200b"), same("invalid bytes", "\xff"), same("zero bytes", "\x00"), same("byte order marks", "\ufeff"), same("typographic quotes", "“"), same("bullets", "• "), same("non-breaking spaces", "\u00a0"),
	repeated("long words", "lorem", 400), repeated("long ids", "a1", 300), repeated("long lines", "word 7 ", 300), repeated("long keys", "key", 100), repeated("long addresses", "https://example.com/", 40), repeated("many brackets", "(", 300), repeated("many spaces", " ", 300),
	numberedPieces("different ids", "ord_%08d "), numberedPieces("different codes", "#W%07d, "), numberedPieces("different keys", "key%d: a "), numberedPieces("lines of different keys", "key%d: a\n"), numberedPieces("different nouns", "noun%d_id=7 "), numberedPieces("different members", `"key%d":"ord_%[1]d",`), numberedPieces("aliases", "Issue WEB-%d (https://example.com/WEB-%[1]d) "), numberedPieces("anchored values", "\n    k%d: &a%[1]d b"), numberedPieces("references to anchors", "\n    k%d: *base"), numberedPieces("items", "\n- Item %d (ID: it_%[1]d)"), numberedPieces("steps", "%d. "),
}

func same(name, piece string) filling {
	return filling{name, func(int) string { return piece }}
}

// repeated has pieces of a text several times.
func repeated(name, text string, times int) filling {
	return same(name, strings.Repeat(text, times)+" ")
}

// numberedPieces has pieces with their number.
func numberedPieces(name, format string) filling {
	return filling{name, func(i int) string { return fmt.Sprintf(format, i) }}
}
