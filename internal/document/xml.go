package document

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// xmlBytes is how much of an XML document is read: encoding/xml takes about a
// second for it.
const xmlBytes = 16 << 20

// XML reads an XML document as an object of one key, the root element's name.
// An element with only text is a string; any other is an object of its
// attributes, its text under "#text" and its children by name, repeated ones
// under the same key. Name spaces are left out. Entities that a document
// declares are not expanded.
func XML(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	src := bytes.NewReader(e.input(text, xmlBytes))
	x := &xmlReader{emitter: e, dec: xml.NewDecoder(src)}
	x.dec.Strict = false
	x.dec.CharsetReader = charset
	if err := x.document(); err != nil {
		e.note(x.explain(err))
	}
	return e.result(FormatXML)
}

// xmlReader turns the tokens of an xml.Decoder into events.
type xmlReader struct {
	*emitter
	dec *xml.Decoder
}

// charset reads Latin-1; other encodings are read as UTF-8, which they most
// often are, whatever they declare.
func charset(label string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "iso-8859-1", "latin1", "windows-1252":
		return &latin1{r: r}, nil
	}
	return r, nil
}

type latin1 struct {
	r    io.Reader
	high byte // second byte of a rune that did not fit
}

func (l *latin1) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if l.high != 0 {
		p[0], l.high = l.high, 0
		return 1, nil
	}
	n, err := l.r.Read(p[:1])
	if n == 1 && p[0] >= 0x80 {
		c := p[0]
		p[0], l.high = 0xC0|c>>6, 0x80|c&0x3F
	}
	return n, err
}

// document reads the root element. What follows it is not looked at.
func (x *xmlReader) document() error {
	for {
		token, err := x.dec.Token()
		if err != nil {
			return err
		}
		root, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !x.object() {
			return nil
		}
		if x.key(view(root.Name.Local)) == Take {
			return x.element(root)
		}
		return nil
	}
}

// element reads what a start tag began. Nesting of calls is bound by
// Limits.Depth.
func (x *xmlReader) element(start xml.StartElement) error {
	text, child, err := x.text()
	if err != nil {
		return err
	}
	attrs := attributes(start)
	if child == nil && len(attrs) == 0 {
		x.scalar(String, text)
		return nil
	}
	if !x.object() {
		return x.leave(child)
	}
	stopped := !x.attributes(attrs)
	for !stopped {
		if len(text) > 0 {
			stopped = x.deliver("#text", text) == Stop
		}
		if stopped || child == nil {
			break
		}
		switch x.key(view(child.Name.Local)) {
		case Take:
			err = x.element(*child)
		case Skip:
			err = x.dec.Skip()
		case Stop:
			stopped = true
			continue
		}
		if err == nil {
			text, child, err = x.text()
		}
		if err != nil {
			return err
		}
	}
	if !x.stopped {
		err = x.leave(child)
	}
	x.end()
	return err
}

// leave passes over the rest of an element whose child, if any, was just begun.
func (x *xmlReader) leave(child *xml.StartElement) error {
	if child == nil {
		return nil
	}
	if err := x.dec.Skip(); err != nil {
		return err
	}
	return x.dec.Skip()
}

// attributes delivers attributes and reports whether the visitor wants more.
func (x *xmlReader) attributes(attrs []xml.Attr) bool {
	for _, a := range attrs {
		if x.deliver(a.Name.Local, view(a.Value)) == Stop {
			return false
		}
	}
	return true
}

// deliver asks about a string and delivers it.
func (x *xmlReader) deliver(name string, text []byte) Decision {
	decision := x.key(view(name))
	if decision == Take {
		x.scalar(String, text)
	}
	return decision
}

// attributes are those of an element without name space declarations.
func attributes(start xml.StartElement) []xml.Attr {
	attrs := start.Attr[:0]
	for _, a := range start.Attr {
		if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
			attrs = append(attrs, a)
		}
	}
	return attrs
}

// text reads up to the next child, nil at the end of the element. Of the text
// no more is kept than shows that it is too long.
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

// explain turns an error of encoding/xml, which quotes the document, into one
// that does not.
func (x *xmlReader) explain(err error) error {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) && !strings.Contains(syntax.Msg, "unexpected EOF") {
		return &SyntaxError{Format: FormatXML, Offset: x.dec.InputOffset()}
	}
	return ErrTruncated
}
