package shape_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for want, values := range map[shape.Shape][]string{
		shape.NotID: {"", "12.5", "256GB", "v1.2.3", "50%", "$12", "v1-beta", "2024-05-01", "2024-05-01T10:00:00Z", "14:30", "20/12/2024",
			"a@b.example", "+4915112345", "10.0.0.1", "two words", "line\nbreak", "13-inch", strings.Repeat("1", shape.MaxID+1)},
		shape.MaybeID:  {"main", "us-east", "1002", "top-10", "a/b/3"},
		shape.LikelyID: {"NO6JO3", "#W2378156", "4202497723", "abcdefghij12"},
		shape.SurelyID: {"550e8400-e29b-41d4-a716-446655440000", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "usr_9fK3a2", "credit_card_4421486",
			"PROJ-123", "web-7d9f8b-x2x1z"},
	} {
		for _, value := range values {
			assert.Equal(t, want, shape.Of([]byte(value)), "%q", value)
		}
	}
}

func TestPredicates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		is      func([]byte) bool
		yes, no []string
	}{
		"IsUpperWord":           {shape.IsUpperWord, []string{"AB"}, []string{"", "A", "Ab", "A1"}},
		"HasDigit":              {shape.HasDigit, []string{"a1"}, []string{"", "a"}},
		"IsDigits":              {shape.IsDigits, []string{"1", "0012"}, []string{"", "1a", "-1"}},
		"IsUUID":                {shape.IsUUID, []string{"550e8400-e29b-41d4-a716-446655440000"}, []string{"", "550e8400e29b41d4a716446655440000"}},
		"IsMessageTime":         {shape.IsMessageTime, []string{"1730000001.123456"}, []string{"", "1730000001.1"}},
		"IsURN":                 {shape.IsURN, []string{"urn:li:share:68447855"}, []string{"", ":", "https://a:1", "a::b", "a:b"}},
		"IsSerialCode":          {shape.IsSerialCode, []string{"CC5996", "MEDUAB998795"}, []string{"", "cc5996", "AB2024", "TOOLONGX1234"}},
		"IsNumberBehindLetters": {shape.IsNumberBehindLetters, []string{"b97535404"}, []string{"", "b2024", "97535404"}},
		"IsDateOrTime":          {shape.IsDateOrTime, []string{"2024-05-01", "10:30:00", "12-31-2024"}, []string{"", "PROJ-123"}},
		"IsCoded":               {shape.IsCoded, []string{"WH-8J85", "usr_9fK3a2"}, []string{"", "main", "H1"}},
		"IsHandle":              {shape.IsHandle, []string{"prod-db", "logs"}, []string{"Prod", "a b"}},
		"IsProgramName":         {shape.IsProgramName, []string{"acme-logs", "u_1a"}, []string{"", "logs", "Acme-Logs"}},
		"IsNoValue":             {shape.IsNoValue, []string{"null", "None", "N/A", "undefined"}, []string{"", "nullable"}},
		"MayBeCandidate":        {shape.MayBeCandidate, []string{"a1", "a/b", "a_b"}, []string{"", "word", "it's", "well-known", "a 1"}},
		"IsShortWord":           {shape.IsShortWord, []string{"gp3", "h264"}, []string{"GP3", "longer1"}},
		"IsPath":                {shape.IsPath, []string{"/tmp", "a/b/c", "main.go", "a/b.go"}, []string{"", "a/b", ".go", "word"}},
		"IsGenerated":           {shape.IsGenerated, []string{"cus_NeZwdNtLEOXuvB"}, []string{"", "_", "cus_name", "NeZwdNtLEOXuvB"}},
		"IsNotation": {shape.IsNotation, []string{"n+4", "im(1)", "2518#2518", "font-size:0.9em", "HTTP/1.1", "#/components/schemas/Sheet", "~[web-6.1.jar", "15_000", "a-zA-Z0-9"},
			[]string{"", "#", "PROJ-123", "harbour:12", "quay/tides#12", "release-1.4"}},
		"IsCommitID": {shape.IsCommitID, []string{strings.Repeat("a1", 20), strings.Repeat("0f", 32)}, []string{"", "a1b2c3", strings.Repeat("z1", 20)}},
	} {
		for _, value := range c.yes {
			assert.True(t, c.is([]byte(value)), "%s(%q)", name, value)
		}
		for _, value := range c.no {
			assert.False(t, c.is([]byte(value)), "%s(%q)", name, value)
		}
	}
}

// FuzzOf checks that no value panics and that an identifier is one word of bounded
// length.
func FuzzOf(f *testing.F) {
	for _, seed := range []string{"", "#", "-", "_1", "usr_9fK3a2", "1:", "+1", "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		if shape.Of(value) != shape.NotID {
			assert.LessOrEqual(t, len(value), shape.MaxID)
			assert.NotContains(t, string(value), " ")
			assert.NotContains(t, string(value), "\n")
		}
		for _, is := range []func([]byte) bool{
			shape.IsURN, shape.IsSerialCode, shape.IsDateOrTime, shape.IsCoded, shape.IsProgramName, shape.IsPath, shape.IsGenerated, shape.MayBeCandidate,
		} {
			is(value)
		}
	})
}
