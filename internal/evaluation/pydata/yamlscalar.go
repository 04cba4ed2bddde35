package pydata

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The implicit types of YAML 1.1, as PyYAML's resolver knows them.
var (
	yamlBool  = regexp.MustCompile(`^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$`)
	yamlNull  = regexp.MustCompile(`^(?:~|null|Null|NULL|)$`)
	yamlFloat = regexp.MustCompile(`^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?` +
		`|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?` +
		`|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*` +
		`|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
	yamlInt = regexp.MustCompile(`^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)` +
		`|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$`)
	yamlDate = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
	yamlTime = regexp.MustCompile(`^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]|[ \t]+)([0-9]{1,2}):([0-9]{2}):([0-9]{2})` +
		`(?:\.([0-9]*))?(?:[ \t]*(Z|([-+])([0-9]{1,2})(?::([0-9]{2}))?))?$`)
)

// resolve is the tag of a plain scalar.
func resolve(text string) string {
	if text == "" {
		return "!!null"
	}
	switch c := text[0]; {
	case strings.IndexByte("yYnNtTfFoO~", c) >= 0:
		switch {
		case yamlBool.MatchString(text):
			return "!!bool"
		case yamlNull.MatchString(text):
			return "!!null"
		}
	case strings.IndexByte("-+.0123456789", c) >= 0:
		switch {
		case yamlFloat.MatchString(text):
			return "!!float"
		case yamlInt.MatchString(text):
			return "!!int"
		case yamlDate.MatchString(text), yamlTime.MatchString(text):
			return "!!timestamp"
		}
	case text == "=":
		return "!!value"
	case text == "<<":
		return "!!merge"
	}
	return "!!str"
}

// constructScalar makes the value of a scalar. What PyYAML cannot construct,
// such as the 13th month, is an error.
func constructScalar(tag, text string) (*Value, error) {
	switch tag {
	case "!!str":
		return Text(text), nil
	case "!!null":
		return &Value{Kind: None, Text: "None"}, nil
	case "!!bool":
		switch strings.ToLower(text) {
		case "yes", "true", "on":
			return &Value{Kind: Bool, Text: "True"}, nil
		case "no", "false", "off":
			return &Value{Kind: Bool, Text: "False"}, nil
		}
	case "!!int":
		return constructInt(text)
	case "!!float":
		return constructFloat(text)
	case "!!timestamp":
		return constructTime(text)
	case "!!binary":
		return &Value{Kind: Other, Text: "b''"}, nil
	}
	return nil, fmt.Errorf("%w: cannot construct %s", errYAML, tag)
}

func constructInt(text string) (*Value, error) {
	digits, negative := unsigned(strings.ReplaceAll(text, "_", ""))
	if len(digits) > maxIntDigits {
		return nil, errDigits
	}
	n := new(big.Int)
	ok := true
	switch {
	case digits == "0":
	case strings.HasPrefix(digits, "0b"):
		n, ok = n.SetString(digits[2:], 2)
	case strings.HasPrefix(digits, "0x"):
		n, ok = n.SetString(digits[2:], 16)
	case strings.HasPrefix(digits, "0"):
		n, ok = n.SetString(digits, 8)
	default:
		for part := range strings.SplitSeq(digits, ":") {
			var d *big.Int
			if d, ok = new(big.Int).SetString(part, 10); !ok {
				break
			}
			n.Add(n.Mul(n, big.NewInt(60)), d)
		}
	}
	if !ok {
		return nil, fmt.Errorf("%w: integer", errYAML)
	}
	if negative {
		n.Neg(n)
	}
	return &Value{Kind: Int, Text: n.String()}, nil
}

func constructFloat(text string) (*Value, error) {
	digits, negative := unsigned(strings.ToLower(strings.ReplaceAll(text, "_", "")))
	var x float64
	switch digits {
	case ".inf":
		digits = "inf"
	case ".nan":
		digits = "nan"
	}
	parts := strings.Split(digits, ":")
	base := 1.0
	for i := len(parts) - 1; i >= 0; i-- {
		v, err := float(parts[i])
		if err != nil {
			return nil, fmt.Errorf("%w: float", errYAML)
		}
		d, _ := strconv.ParseFloat(v.Text, 64)
		if len(parts) == 1 {
			x = d
			break
		}
		x += d * base
		base *= 60
	}
	if negative {
		x = -x
	}
	return &Value{Kind: Float, Text: floatText(x)}, nil
}

// unsigned takes the sign off a number.
func unsigned(text string) (digits string, negative bool) {
	if strings.HasPrefix(text, "-") {
		return text[1:], true
	}
	return strings.TrimPrefix(text, "+"), false
}

// constructTime makes a date or a datetime, as text.
func constructTime(text string) (*Value, error) {
	if yamlDate.MatchString(text) {
		if _, err := time.Parse(time.DateOnly, text); err != nil || text[:4] == "0000" {
			return nil, fmt.Errorf("%w: date", errYAML)
		}
		return &Value{Kind: Other, Text: text}, nil
	}
	m := yamlTime.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%w: timestamp", errYAML)
	}
	clock := fmt.Sprintf("%s-%02s-%02s %02s:%s:%s", m[1], m[2], m[3], m[4], m[5], m[6])
	if _, err := time.Parse(time.DateTime, clock); err != nil || m[1] == "0000" {
		return nil, fmt.Errorf("%w: timestamp", errYAML)
	}
	if fraction := (m[7] + "000000")[:6]; fraction != "000000" {
		clock += "." + fraction
	}
	zone, err := zoneText(m[8], m[9], m[10], m[11])
	if err != nil {
		return nil, err
	}
	return &Value{Kind: Other, Text: clock + zone}, nil
}

// zoneText is how a datetime writes its offset.
func zoneText(zone, sign, hours, minutes string) (string, error) {
	switch {
	case zone == "":
		return "", nil
	case sign == "":
		return "+00:00", nil
	}
	h, _ := strconv.Atoi(hours)
	m, _ := strconv.Atoi(minutes)
	total := h*60 + m
	if total >= 24*60 {
		return "", fmt.Errorf("%w: time zone", errYAML)
	}
	if total == 0 {
		sign = "+"
	}
	return fmt.Sprintf("%s%02d:%02d", sign, total/60, total%60), nil
}
