package document

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// xmlBytes is the number of bytes of an XML document that are read, which takes encoding/xml about a
// second.
const xmlBytes = 16 << 20

// XML reads an XML document as an object with one key, the name of the root element.
// An element with only text is a string; its attributes become fields of the
// enclosing object, as "Price@currency". Any other element, and one with text whose
// attributes name or identify it, is an object of its attributes, its text under
// "#text" and its children by name, repeated ones under the same key. Name spaces are
// left out. Entities that a document declares are not expanded. The declared encoding is ignored,
// because texts in results have been converted to UTF-8.
func XML(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	e.lim.Plain = true
	x := &xmlReader{dec: xml.NewDecoder(bytes.NewReader(valid(e.input(text, xmlBytes)))), lim: e.lim}
	x.dec.Strict = false
	x.dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	_, root, err := x.text() // before the element
	if root != nil {
		x.out = append(x.out, '{')
		if err = x.element(*root, 1); err == nil {
			x.out = append(x.out, '}')
		}
	}
	var syntax *xml.SyntaxError // which quotes the document
	switch {
	case err == nil, errors.Is(err, ErrDepth):
	case errors.As(err, &syntax) && !strings.Contains(syntax.Msg, "unexpected EOF"):
		err = &SyntaxError{Format: FormatXML, Offset: x.dec.InputOffset()}
	default:
		err = ErrTruncated
	}
	return e.rewritten(FormatXML, x.out, err)
}

// xmlReader rewrites XML as JSON, up to an error.
type xmlReader struct {
	jsonWriter
	dec *xml.Decoder
	lim Limits
}

// element rewrites an element after its start tag, in so many open ones.
func (x *xmlReader) element(start xml.StartElement, depth int) error {
	text, child, err := x.text()
	if err != nil {
		return err
	}
	name := start.Name.Local
	attrs := slices.DeleteFunc(start.Attr, func(a xml.Attr) bool { // about name spaces and schemas
		return a.Name.Space == "xmlns" || a.Name.Local == "xmlns" || a.Name.Space == "http://www.w3.org/2001/XMLSchema-instance"
	})
	if child == nil && (len(attrs) == 0 || len(text) > 0 && !identified(name, attrs)) {
		x.member(name, text)
		for _, a := range attrs {
			attr := strings.ToLower(a.Name.Local)
			if !slices.ContainsFunc(notations, func(prefix string) bool { return strings.HasPrefix(attr, prefix) }) {
				x.member(name+"@"+a.Name.Local, view(a.Value))
			}
		}
		return nil
	}
	x.key(name)
	if depth == rewriteDepth {
		return ErrDepth
	}
	x.out = append(x.out, '{')
	for _, a := range attrs {
		x.member(a.Name.Local, view(a.Value))
	}
	for {
		if len(text) > 0 {
			x.member("#text", text)
		}
		if child == nil {
			x.out = append(x.out, '}')
			return nil
		}
		if err = x.element(*child, depth+1); err == nil {
			text, child, err = x.text()
		}
		if err != nil {
			return err
		}
	}
}

func (x *xmlReader) member(name string, text []byte) {
	x.key(name)
	x.quote(text)
}

// notations begin the names of attributes that only qualify the text: its language, the currency of an
// amount, the scheme of a code.
var notations = []string{"lang", "currency", "unit", "scheme", "list", "format", "encoding", "mime"}

// identified reports whether attributes name or identify the subject of an element's
// text: <item id="5">Lamp</item>, <field name="id">5</field>.
func identified(element string, attrs []xml.Attr) bool {
	return slices.ContainsFunc(attrs, func(a xml.Attr) bool {
		name := a.Name.Local
		if n := len(element); len(name) > n && strings.EqualFold(name[:n], element) { // customerId of a Customer
			name = strings.Trim(name[n:], "_-")
		}
		return isAny(view(name), "id", "uuid", "guid", "key", "name", "code", "number", "no", "ref", "sku")
	})
}

// text reads up to the next child, or to the end of the element, where child is nil.
// It keeps only as much of the text as is needed to see that it is too long.
func (x *xmlReader) text() (text []byte, child *xml.StartElement, err error) {
	for {
		token, err := x.dec.Token()
		if err != nil {
			return nil, nil, err
		}
		switch t := token.(type) {
		case xml.CharData:
			text = append(text, t[:min(len(t), x.lim.Scalar+1)]...)
			text = text[:min(len(text), x.lim.Scalar+1)]
		case xml.StartElement:
			return bytes.TrimSpace(text), &t, nil
		case xml.EndElement:
			return bytes.TrimSpace(text), nil, nil
		}
	}
}
