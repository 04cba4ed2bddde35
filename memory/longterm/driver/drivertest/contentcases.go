package drivertest

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func contentCases() []testCase {
	return []testCase{{
		Name:  "all fields come back",
		About: "Every field of a record comes back as it was written, from Lookup and Search; Origin comes back from Lookup.",
		Run:   fieldsComeBack,
	}, {
		Name:  "odd texts",
		About: "Texts come back byte for byte, whatever they contain: NUL, quotes, controls, all scripts, a mebibyte.",
		Run:   textsOfAllSorts,
	}, {
		Name:  "metadata comes back",
		About: "Metadata comes back as it was: numbers with all digits as json.Number, nested objects, null, odd names.",
		Run:   metadataComesBack,
	}, {
		Name:  "times come back",
		About: "Times come back in UTC, to the microsecond or better, from the year 1 to 9999; unset times remain unset.",
		Run:   timesComeBack,
	}, {
		Name:  "arguments are copied",
		About: "Changing a slice or map after passing it to an index changes nothing that is stored.",
		Run:   givenIsCopied,
	}, {
		Name:  "results are copied",
		About: "Changing a result of Lookup or Search changes nothing that is stored.",
		Run:   returnedIsCopied,
	}}
}

// fullRecord returns a record with every field set.
func fullRecord(id string) longtermdriver.Record {
	return longtermdriver.Record{
		ID: id, Text: "Anna likes window seats.", Type: sessiondriver.RecordEpisodic, Namespace: "shop", UserID: "anna", SessionID: "s 1",
		Topics: []string{"travel", "seats", "travel"}, Entities: []string{"Anna", ""}, Hash: hash(id),
		EventDate: made.Add(1), CreatedAt: made.Add(2 * time.Hour), UpdatedAt: made.Add(3 * time.Hour),
		LastAccessed: made.Add(4 * time.Hour), PersistedAt: made.Add(5 * time.Hour), AccessCount: math.MaxInt32, Pinned: true,
		ExtractedFrom: []string{"m2", "m1"}, ExtractionStrategy: "discrete",
		Metadata:         map[string]any{"source": "chat", "list": []any{"a", nil, true}},
		ExtractionConfig: map[string]any{"custom_prompt": "Find seats.", "limits": map[string]any{"facts": 3}},
	}
}

// comesBack adds a record and requires that every method returns it.
func (e *env) comesBack(r longtermdriver.Record) {
	e.Helper()
	origin := hash(r.Text)
	e.add(longtermdriver.Entry{Record: r, Terms: []string{"term", r.ID}, Vector: unit(1, 1), Model: "model", Origin: origin})
	got := e.get(longtermdriver.KeyOf(&r))
	require.Equal(e, origin, got.Origin)
	requireSameRecord(e, &r, &got.Record)
	scope := longterm.Of(r.Namespace, r.UserID)
	for _, s := range []longtermdriver.Search{
		{Mode: longtermdriver.ModeList}, {Mode: longtermdriver.ModeKeyword, Terms: []string{r.ID}}, {Mode: longtermdriver.ModeSemantic},
	} {
		s.Scope, s.Filter.ID, s.Limit = scope, &longtermdriver.TextCondition{Eq: &r.ID}, 2
		s.Vector, s.Model = unit(1, 1), "model"
		page := e.search(s)
		require.Len(e, page.Hits, 1)
		requireSameRecord(e, &r, &page.Hits[0].Record)
		require.Equal(e, got.Version, page.Hits[0].Version)
	}
}

func fieldsComeBack(e *env) {
	e.comesBack(fullRecord("full"))
	e.comesBack(longtermdriver.Record{ID: "bare", Hash: hash("bare"), Text: "text"})
	e.comesBack(longtermdriver.Record{ID: "empty", Hash: hash("empty"), Type: sessiondriver.RecordMessage, Topics: []string{}, Entities: []string{}, ExtractedFrom: []string{}, Metadata: map[string]any{}, ExtractionConfig: map[string]any{}})
	e.comesBack(longtermdriver.Record{ID: "pinned", Hash: hash("pinned"), Text: "text", Pinned: true})
}

// oddTexts returns texts that are special to some database, or hard to store.
func oddTexts() []string {
	return []string{
		"'", `"`, "''", "`", `\`, `\'`, `\0`, "%", "_", "%%", "a%", "a_b", "*", "?", "$1", ":a", "@a", "--", "/*", "*/", ";", "'; DROP TABLE records; --",
		`" OR 1=1 --`, "NULL", "null", "AND", "OR", "NOT", "NEAR", "a NEAR b", "a* OR b*", "^a", "text:a", "+a -b", "(", ")", "{a b}:c", "[", "]", "{}", "{a,b}", "[1,2]",
		"\x00", "a\x00b", "\x00\x00", `\u0000`, `\x00`, "\x01", "\x7f", "\n", "\r\n", "\t", " ", "  a  ", "é", "e\u0301", "É", "ß", "ẞ", "ı", "İ", "日本語", "العربية", "हिन्दी", "👩‍👩‍👧", "🇩🇪",
		"\u200b", "\u202e", "\ufeff", "\ufffd", "\U0010ffff", "\uffff", "<b>&amp;</b>", "0", "1e400", "true", "a,b", "a|b", "a/b", "a:b", "shop", "anna",
	}
}

func textsOfAllSorts(e *env) {
	for i, text := range oddTexts() {
		r := fullRecord(text)
		r.Text, r.SessionID, r.ExtractionStrategy = text, text, text
		r.Topics, r.Entities, r.ExtractedFrom = []string{text, "a", text}, []string{text}, []string{text, ""}
		r.Metadata = map[string]any{text: text, "list": []any{text}}
		if i%2 == 0 {
			r.Namespace = text
		} else {
			r.UserID = text
		}
		e.comesBack(r)
	}
	long := fullRecord("long")
	long.Text = strings.Repeat("0123456789abcde\x00", longtermdriver.MaxTextBytes/16)
	e.comesBack(long)
	tags := fullRecord("tags")
	tags.Topics, tags.Entities = numbered("topic", longtermdriver.MaxTags), numbered("entity", longtermdriver.MaxTags)
	e.comesBack(tags)
	e.comesBack(fullRecord(strings.Repeat("i", longtermdriver.MaxIDBytes)))
}

func metadataComesBack(e *env) {
	for i, metadata := range []string{
		`{"n":1}`, `{"n":12345678901234567890123}`, `{"n":0.1000}`, `{"n":1e300}`, `{"n":-0}`, `{"n":1.0}`, `{"n":9007199254740993}`,
		`{"a":{"b":{"c":[1,[2,[]],{}]}}}`, `{"a":null,"b":true,"c":false,"d":"","e":[],"f":{}}`, `{"":""}`,
		`{"a.b":"c","$x":"y","a b":1,"<&>":"<&>"}`, `{"\u0000":"\u0000","a\u0000b":["\u0000"]}`, `{"é":"日本","👍":"\u2028"}`, `{"b":1,"a":2,"B":3}`,
	} {
		r := record(numbered("m", 20)[i], "text")
		decoder := json.NewDecoder(strings.NewReader(metadata))
		decoder.UseNumber()
		require.NoError(e, decoder.Decode(&r.Metadata))
		e.comesBack(r)
	}
	// Go numbers become JSON numbers.
	r := record("numbers", "text")
	r.Metadata = map[string]any{"int": 1, "float": 1.5, "big": int64(math.MaxInt64), "list": []string{"a"}, "map": map[string]int{"a": 1}}
	e.comesBack(r)
}

func timesComeBack(e *env) {
	zone := time.FixedZone("elsewhere", -5*3600)
	for i, at := range edgeTimes() {
		r := record(numbered("t", 40)[i], "text")
		r.CreatedAt, r.EventDate = at.In(zone), at
		e.comesBack(r)
		r = record(numbered("u", 40)[i], "text")
		r.CreatedAt, r.UpdatedAt, r.LastAccessed, r.PersistedAt = time.Time{}, at, at.In(time.Local), at
		e.comesBack(r)
	}
}

// edgeTimes returns times that are easily confused with others.
func edgeTimes() []time.Time {
	return []time.Time{
		{}, time.Date(1, 1, 1, 0, 0, 0, 1000, time.UTC), time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), time.Date(1, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
		time.Date(1582, 10, 10, 0, 0, 0, 0, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Unix(0, -1000), time.Unix(0, 0),
		time.Unix(0, 1), time.Unix(0, 999), time.Unix(0, 1000), time.UnixMicro(-1_500_001), made, made.Add(1), made.Add(999), made.Add(time.Microsecond),
		time.Date(2038, 1, 19, 3, 14, 8, 0, time.UTC), time.Date(2262, 4, 12, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
	}
}

func givenIsCopied(e *env) {
	given := longtermdriver.Entry{Record: fullRecord("a"), Terms: []string{"one", "two"}, Vector: unit(1, 0), Model: "model"}
	list := []any{"inner"}
	given.Record.Metadata = map[string]any{"list": list, "map": map[string]any{"a": "b"}}
	want := fullRecord("a")
	want.Metadata = map[string]any{"list": []any{"inner"}, "map": map[string]any{"a": "b"}}
	changes := adding(given)
	e.write(changes...)
	given.Record.Topics[0], given.Record.Entities[0], given.Record.ExtractedFrom[0] = "x", "x", "x"
	given.Record.Metadata["new"], list[0] = "x", "x"
	given.Record.Metadata["map"].(map[string]any)["a"] = "x"
	given.Terms[0], given.Vector[0], given.Vector[1] = "x", 0, 1
	changes[0].Key, changes[0].Entry.Record.Text = keyOf("x"), "x"
	got := e.get(keyOf("a"))
	requireSameRecord(e, &want, &got.Record)
	require.Equal(e, unit(1, 0), got.Vector)
	e.finds(asking("one"), "a")
	e.finds(asking("x"))
	require.InDelta(e, 1, e.finds(near(1, 0), "a").Hits[0].Similarity, tolerance)
}

func returnedIsCopied(e *env) {
	want := fullRecord("a")
	want.Metadata = map[string]any{"list": []any{"inner"}, "map": map[string]any{"a": "b"}}
	e.add(longtermdriver.Entry{Record: want, Terms: []string{"one"}, Vector: unit(1, 0), Model: "model"})
	spoil := func(r *longtermdriver.Record) {
		r.Topics[0], r.Entities[0], r.ExtractedFrom[0] = "x", "x", "x"
		r.Metadata["list"].([]any)[0], r.Metadata["new"] = "x", "x"
		r.Metadata["map"].(map[string]any)["a"] = "x"
	}
	got := e.get(keyOf("a"))
	spoil(&got.Record)
	got.Vector[0], got.Vector[1] = 0, 1
	for _, s := range []longtermdriver.Search{listing(), asking("one"), near(1, 0), both(0.5, "one", 1, 0)} {
		page := e.search(s)
		requireSameRecord(e, &want, &page.Hits[0].Record)
		spoil(&page.Hits[0].Record)
	}
	got = e.get(keyOf("a"))
	requireSameRecord(e, &want, &got.Record)
	require.Equal(e, unit(1, 0), got.Vector)
	require.InDelta(e, 1, e.finds(near(1, 0), "a").Hits[0].Similarity, tolerance)
}
