package wire

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// UnmarshalJSON implements json.Unmarshaler. null leaves it as it is.
func (n *Int) UnmarshalJSON(data []byte) error {
	switch jsontext.Value(data).Kind() {
	case 'n':
		return nil
	case '0':
		return n.parse(string(data), &wrong{"int_from_float", "Input should be a valid integer, got a number with a fractional part"})
	case '"':
		text, err := unquote(data)
		if err != nil {
			return err
		}
		return n.parse(text, &wrong{"int_parsing", "Input should be a valid integer, unable to parse string as an integer"})
	default:
		return &wrong{"int_type", "Input should be a valid integer"}
	}
}

// parse parses an integer, or a number whose fraction is zero. It returns none for anything
// else.
func (n *Int) parse(text string, none *wrong) error {
	text = strings.TrimSpace(text)
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		*n = Int(i)
		return nil
	}
	f, ok := parseFloat(text)
	switch {
	case !ok || f != math.Trunc(f):
		return none
	case f < -1<<63 || f >= 1<<63:
		return &wrong{"int_parsing_size", "Unable to parse input string as an integer, exceeded maximum size"}
	}
	*n = Int(f)
	return nil
}

// UnmarshalJSON implements json.Unmarshaler. null leaves it as it is.
func (n *Float) UnmarshalJSON(data []byte) error {
	text := string(data)
	switch jsontext.Value(data).Kind() {
	case 'n':
		return nil
	case '0':
	case '"':
		var err error
		if text, err = unquote(data); err != nil {
			return err
		}
	default:
		return &wrong{"float_type", "Input should be a valid number"}
	}
	return n.parse(text)
}

func (n *Float) parse(text string) error {
	f, ok := parseFloat(strings.TrimSpace(text))
	if !ok {
		return &wrong{"float_parsing", "Input should be a valid number, unable to parse string as a number"}
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return &wrong{"finite_number", "Input should be a finite number"}
	}
	*n = Float(f)
	return nil
}

// parseFloat parses a decimal number. Numbers out of range are infinite.
func parseFloat(text string) (float64, bool) {
	if strings.ContainsAny(text, "xX_") {
		return 0, false // accepted by Go only
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || math.IsInf(f, 0)
}

// UnmarshalJSON implements json.Unmarshaler. null leaves it as it is.
func (b *Bool) UnmarshalJSON(data []byte) error {
	text := string(data)
	switch jsontext.Value(data).Kind() {
	case 'n':
		return nil
	case 't', 'f', '0':
	case '"':
		var err error
		if text, err = unquote(data); err != nil {
			return err
		}
	default:
		return &wrong{"bool_type", "Input should be a valid boolean"}
	}
	return b.parse(text)
}

func (b *Bool) parse(text string) error {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "t", "yes", "y", "on", "1", "1.0":
		*b = true
	case "false", "f", "no", "n", "off", "0", "0.0":
		*b = false
	default:
		return &wrong{"bool_parsing", "Input should be a valid boolean, unable to interpret input"}
	}
	return nil
}

// UnmarshalJSON implements json.Unmarshaler. null leaves it as it is.
func (f *Flag) UnmarshalJSON(data []byte) error { return (*Bool)(f).UnmarshalJSON(data) }

// MarshalJSON implements json.Marshaler.
func (f Flag) MarshalJSON() ([]byte, error) {
	if f {
		return []byte(`"t"`), nil
	}
	return []byte(`"f"`), nil
}

// unquote returns the text of a JSON string.
func unquote(data []byte) (string, error) {
	text, err := jsontext.AppendUnquote(nil, data)
	if err != nil {
		return "", notUnicode()
	}
	return string(text), nil
}

func notUnicode() *wrong {
	return &wrong{"string_unicode", "Input should be a valid string, unable to parse raw data as a unicode string"}
}
