package pydata

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// maxDepth is how deep JSON may be nested: about where json.loads gives up
	// with Python's default recursion limit.
	maxDepth = 992
	// maxIntDigits is how many digits Python converts to an int by default.
	maxIntDigits = 4300
)

var (
	errSyntax = errors.New("pydata: not JSON")
	errDepth  = errors.New("pydata: nested too deep")
	errDigits = errors.New("pydata: integer has too many digits")
)

// ParseJSON reads one JSON value as json.loads does: NaN and Infinity are
// numbers, and half a surrogate pair is a character (here U+FFFD).
func ParseJSON(text string) (*Value, error) {
	p := jsonParser{text: text}
	p.space()
	v, err := p.value(1)
	if err != nil {
		return nil, err
	}
	if p.space(); p.pos != len(text) {
		return nil, p.fail()
	}
	return v, nil
}

type jsonParser struct {
	text string
	pos  int
}

func (p *jsonParser) fail() error { return fmt.Errorf("%w: at byte %d", errSyntax, p.pos) }

func (p *jsonParser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\n\r", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// take consumes a literal, if it stands here.
func (p *jsonParser) take(literal string) bool {
	if !strings.HasPrefix(p.text[p.pos:], literal) {
		return false
	}
	p.pos += len(literal)
	return true
}

// token consumes a punctuation mark and the white space around it.
func (p *jsonParser) token(mark string) bool {
	p.space()
	if !p.take(mark) {
		return false
	}
	p.space()
	return true
}

func (p *jsonParser) value(depth int) (*Value, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	start := p.pos
	v, err := p.bareValue(depth)
	if err != nil {
		return nil, err
	}
	v.Source = p.text[start:p.pos]
	return v, nil
}

func (p *jsonParser) bareValue(depth int) (*Value, error) {
	switch {
	case p.take(`"`):
		s, err := p.str()
		return Text(s), err
	case p.take("{"):
		return p.object(depth)
	case p.take("["):
		return p.array(depth)
	case p.take("null"):
		return &Value{Kind: None, Text: "None"}, nil
	case p.take("true"):
		return &Value{Kind: Bool, Text: "True"}, nil
	case p.take("false"):
		return &Value{Kind: Bool, Text: "False"}, nil
	case p.take("NaN"):
		return &Value{Kind: Float, Text: floatText(math.NaN())}, nil
	case p.take("Infinity"):
		return &Value{Kind: Float, Text: floatText(math.Inf(1))}, nil
	case p.take("-Infinity"):
		return &Value{Kind: Float, Text: floatText(math.Inf(-1))}, nil
	default:
		return p.number()
	}
}

func (p *jsonParser) object(depth int) (*Value, error) {
	var d dict
	p.space()
	if p.take("}") {
		return &Value{Kind: Dict}, nil
	}
	for {
		if !p.take(`"`) {
			return nil, p.fail()
		}
		key, err := p.str()
		if err != nil {
			return nil, err
		}
		if !p.token(":") {
			return nil, p.fail()
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		d.set(String, key, v)
		if p.token("}") {
			return &Value{Kind: Dict, Fields: d.fields}, nil
		}
		if !p.token(",") {
			return nil, p.fail()
		}
	}
}

func (p *jsonParser) array(depth int) (*Value, error) {
	list := &Value{Kind: List}
	p.space()
	if p.take("]") {
		return list, nil
	}
	for {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, v)
		if p.token("]") {
			return list, nil
		}
		if !p.token(",") {
			return nil, p.fail()
		}
	}
}

func (p *jsonParser) digits() int {
	start := p.pos
	for p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9' {
		p.pos++
	}
	return p.pos - start
}

func (p *jsonParser) number() (*Value, error) {
	start := p.pos
	p.take("-")
	if !p.take("0") && p.digits() == 0 {
		return nil, p.fail()
	}
	end := p.pos
	if p.take(".") && p.digits() > 0 {
		end = p.pos
	}
	p.pos = end
	if p.take("e") || p.take("E") {
		if !p.take("+") {
			p.take("-")
		}
		if p.digits() > 0 {
			end = p.pos
		}
	}
	p.pos = end
	text := p.text[start:end]
	if strings.ContainsAny(text, ".eE") {
		return float(text)
	}
	return integer(text)
}

// float is a Float of decimal notation; too large ones are infinite.
func float(text string) (*Value, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return nil, err
	}
	return &Value{Kind: Float, Text: floatText(x)}, nil
}

// integer is an Int of decimal notation without leading zeros.
func integer(text string) (*Value, error) {
	if len(strings.TrimPrefix(text, "-")) > maxIntDigits {
		return nil, errDigits
	}
	if text == "-0" {
		text = "0"
	}
	return &Value{Kind: Int, Text: text}, nil
}

// str reads a string behind its opening quote.
func (p *jsonParser) str() (string, error) {
	var b strings.Builder
	for start := p.pos; p.pos < len(p.text); {
		switch c := p.text[p.pos]; {
		case c == '"':
			chunk := p.text[start:p.pos]
			p.pos++
			if b.Len() == 0 {
				return chunk, nil
			}
			b.WriteString(chunk)
			return b.String(), nil
		case c < 0x20:
			return "", p.fail()
		case c == '\\':
			b.WriteString(p.text[start:p.pos])
			p.pos++
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
			start = p.pos
		default:
			p.pos++
		}
	}
	return "", p.fail()
}

// escape reads an escape sequence behind its backslash.
func (p *jsonParser) escape() (rune, error) {
	if p.pos >= len(p.text) {
		return 0, p.fail()
	}
	c := p.text[p.pos]
	p.pos++
	if c == 'u' {
		return p.unicode()
	}
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	return 0, p.fail()
}

// unicode reads the four digits behind \u, and the other half of a surrogate pair.
func (p *jsonParser) unicode() (rune, error) {
	r, err := p.hex4()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if after := p.pos; p.take(`\u`) {
		low, err := p.hex4()
		if err != nil {
			return 0, err
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, nil
		}
		p.pos = after
	}
	return utf8.RuneError, nil
}

func (p *jsonParser) hex4() (rune, error) {
	if p.pos+4 > len(p.text) {
		return 0, p.fail()
	}
	n, err := strconv.ParseUint(p.text[p.pos:p.pos+4], 16, 16)
	if err != nil {
		return 0, p.fail()
	}
	p.pos += 4
	return rune(n), nil
}
