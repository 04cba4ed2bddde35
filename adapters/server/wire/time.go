package wire

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// milliseconds is the number above which Unix times are in milliseconds.
const milliseconds = 2e10

// ParseTime parses a text in one of the forms of Time and truncates it to the microsecond.
func ParseTime(text string) (Time, error) {
	text = strings.TrimSpace(text)
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return timeOf(t)
	}
	if f, ok := parseFloat(text); ok {
		return unixTime(text, f)
	}
	spelled := []byte(text)
	const date = len(time.DateOnly)
	if len(spelled) > date && strings.IndexByte(" tT_", spelled[date]) >= 0 {
		spelled[date] = 'T'
	}
	if n := len(spelled); n > 0 && spelled[n-1] == 'z' {
		spelled[n-1] = 'Z'
	}
	for _, layout := range []string{
		"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05",
		"2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02T15:04", time.DateOnly,
	} {
		if t, err := time.Parse(layout, string(spelled)); err == nil {
			return timeOf(t)
		}
	}
	return Time{}, notTime()
}

func notTime() error {
	return &wrong{"datetime_parsing", "Input should be a valid datetime, as in 2025-01-02T03:04:05Z"}
}

// timeOf converts a time to the wire's precision. It is an error if the year does not have four
// digits.
func timeOf(t time.Time) (Time, error) {
	t = t.UTC().Truncate(time.Microsecond)
	if year := t.Year(); year < 1 || year > 9999 {
		return Time{}, &wrong{"datetime_parsing", "Input should be a valid datetime, year is out of range"}
	}
	return Time{t}, nil
}

// unixTime converts seconds or milliseconds. Fractions are rounded to the microsecond.
func unixTime(text string, f float64) (Time, error) {
	if math.Abs(f) > 3e14 || math.IsNaN(f) { // the year 9999 in milliseconds
		return Time{}, &wrong{"datetime_parsing", "Input should be a valid datetime, year is out of range"}
	}
	whole, err := strconv.ParseInt(text, 10, 64)
	switch inMillis := math.Abs(f) > milliseconds; {
	case err == nil && inMillis:
		return timeOf(time.UnixMilli(whole))
	case err == nil:
		return timeOf(time.Unix(whole, 0))
	case inMillis:
		return timeOf(time.UnixMicro(int64(math.Round(f * 1e3))))
	default:
		return timeOf(time.UnixMicro(int64(math.Round(f * 1e6))))
	}
}

// UnmarshalJSON implements json.Unmarshaler. null leaves it as it is.
func (t *Time) UnmarshalJSON(data []byte) (err error) {
	text := string(data)
	switch jsontext.Value(data).Kind() {
	case 'n':
		return nil
	case '0':
	case '"':
		if text, err = unquote(data); err != nil {
			return err
		}
	default:
		return &wrong{"datetime_type", "Input should be a valid datetime"}
	}
	read, err := ParseTime(text)
	if err == nil {
		*t = read
	}
	return err
}

// MarshalJSON implements json.Marshaler. It is an error if the year does not have four digits.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().Truncate(time.Microsecond).MarshalJSON()
}
