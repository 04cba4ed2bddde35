package pydata

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	// maxYAMLDepth is how deep YAML may be nested: about where PyYAML gives up
	// with Python's default recursion limit.
	maxYAMLDepth = 491
	// maxExpanded bounds how many values a document has once its aliases are
	// written out.
	maxExpanded = 1 << 20
	// maxMerged bounds how many mappings and entries are merged into others:
	// merges of merges could be without end.
	maxMerged = 100_000
	// tabMark takes the place of tabs while a document is read.
	tabMark = "\ue009"
)

var errYAML = errors.New("pydata: not YAML")

// halfPair is an escaped half of a surrogate pair: two characters to PyYAML,
// an error to the parser at hand.
var halfPair = regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)

// ParseYAML reads a document as PyYAML's safe_load does: YAML 1.1, of a single
// document, with tabs refused outside of quoted text and blocks of text.
func ParseYAML(text string) (*Value, error) {
	if strings.IndexFunc(text, isUnprintable) >= 0 || !utf8.ValidString(text) {
		return nil, errYAML
	}
	hasTabs := strings.Contains(text, "\t")
	if hasTabs {
		// The parser at hand takes tabs for white space. With a letter in their
		// place those that PyYAML refuses end up in a plain scalar, if anywhere.
		text = strings.ReplaceAll(strings.ReplaceAll(text, tabMark, "?"), "\t", tabMark)
	}
	text = halfPair.ReplaceAllString(text, `\ufffd`)
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc, next yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return &Value{Kind: None, Text: "None"}, nil
	} else if err != nil {
		return nil, fmt.Errorf("%w: %w", errYAML, err)
	}
	if err := dec.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: more than one document", errYAML)
	}
	c := constructor{hasTabs: hasTabs, built: map[*yaml.Node]*Value{}, sizes: map[*Value]int{}}
	if err := c.check(&doc, map[string]bool{}, 0); err != nil {
		return nil, err
	}
	v, err := c.value(doc.Content[0])
	if err != nil {
		return nil, err
	}
	if c.sizes[v] > maxExpanded {
		return nil, fmt.Errorf("%w: aliases expand too far", errYAML)
	}
	return v, nil
}

// isUnprintable is what PyYAML's reader refuses.
func isUnprintable(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return false
	case 0x20 <= r && r <= 0x7e, 0xa0 <= r && r <= 0xfffd, r >= 0x10000:
		return false
	}
	return true
}

// constructor makes values of nodes.
type constructor struct {
	hasTabs bool
	built   map[*yaml.Node]*Value // nil while under construction
	sizes   map[*Value]int        // with aliases written out, up to maxExpanded+1
	merged  int                   // mappings and entries, so far
}

// check refuses what PyYAML's scanner and composer refuse and this parser does not.
func (c *constructor) check(n *yaml.Node, anchors map[string]bool, depth int) error {
	if depth > maxYAMLDepth {
		return errDepth
	}
	if n.Kind == yaml.AliasNode {
		return nil
	}
	if n.Anchor != "" {
		if anchors[n.Anchor] {
			return fmt.Errorf("%w: duplicate anchor", errYAML)
		}
		anchors[n.Anchor] = true
	}
	if c.hasTabs && n.Kind == yaml.ScalarNode && isPlain(n) && strings.Contains(n.Value, tabMark) {
		return fmt.Errorf("%w: tab", errYAML)
	}
	for _, child := range n.Content {
		if err := c.check(child, anchors, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func isPlain(n *yaml.Node) bool {
	return n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// value makes the value of a node, once.
func (c *constructor) value(n *yaml.Node) (*Value, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if v, ok := c.built[n]; ok {
		if v == nil {
			return nil, fmt.Errorf("%w: value contains itself", errYAML)
		}
		return v, nil
	}
	c.built[n] = nil
	v, err := c.construct(n)
	if err != nil {
		return nil, err
	}
	c.built[n] = v
	size := 1
	for _, item := range v.Items {
		size += c.sizes[item]
	}
	for _, f := range v.Fields {
		size += c.sizes[f.Value]
	}
	c.sizes[v] = min(size, maxExpanded+1)
	return v, nil
}

func (c *constructor) construct(n *yaml.Node) (*Value, error) {
	switch tag := explicitTag(n); {
	case n.Kind == yaml.ScalarNode:
		return c.scalar(n, tag)
	case n.Kind == yaml.SequenceNode && (tag == "" || tag == "!!seq"):
		return c.list(n)
	case n.Kind == yaml.MappingNode && (tag == "" || tag == "!!map"):
		return c.dict(n)
	case n.Kind == yaml.MappingNode && tag == "!!set":
		return &Value{Kind: Other, Text: "{}"}, nil
	default:
		return nil, fmt.Errorf("%w: tag %q", errYAML, tag)
	}
}

func explicitTag(n *yaml.Node) string {
	if n.Style&yaml.TaggedStyle == 0 {
		return ""
	}
	return n.ShortTag()
}

func (c *constructor) scalar(n *yaml.Node, tag string) (*Value, error) {
	if tag == "" {
		if !isPlain(n) {
			tag = "!!str"
		} else {
			tag = resolve(n.Value)
		}
	}
	text := n.Value
	if c.hasTabs {
		text = strings.ReplaceAll(text, tabMark, "\t")
	}
	return constructScalar(tag, text)
}

func (c *constructor) list(n *yaml.Node) (*Value, error) {
	list := &Value{Kind: List}
	for _, child := range n.Content {
		v, err := c.value(child)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, v)
	}
	return list, nil
}

func (c *constructor) dict(n *yaml.Node) (*Value, error) {
	pairs, err := c.flatten(n)
	if err != nil {
		return nil, err
	}
	var d dict
	for i := 0; i < len(pairs); i += 2 {
		key, err := c.key(pairs[i])
		if err != nil {
			return nil, err
		}
		v, err := c.value(pairs[i+1])
		if err != nil {
			return nil, err
		}
		d.set(key.Kind, key.Text, v)
	}
	return &Value{Kind: Dict, Fields: d.fields}, nil
}

// key makes the value of a mapping's key; lists and dicts cannot be keys.
func (c *constructor) key(n *yaml.Node) (*Value, error) {
	if n.Kind == yaml.ScalarNode && n.Value == "=" && isPlain(n) && explicitTag(n) == "" {
		return Text("="), nil
	}
	key, err := c.value(n)
	if err == nil && key.IsData() {
		err = fmt.Errorf("%w: a list or mapping is a key", errYAML)
	}
	return key, err
}

// flatten is the keys and values of a mapping, those that it merges ("<<") first.
func (c *constructor) flatten(n *yaml.Node) ([]*yaml.Node, error) {
	var merged, own []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		if !isMerge(key) {
			own = append(own, key, v)
			continue
		}
		sources := []*yaml.Node{v}
		if v = target(v); v.Kind == yaml.SequenceNode {
			sources = v.Content
		}
		for j := range sources { // of several the first wins, so it is set last
			if v.Kind == yaml.SequenceNode {
				j = len(sources) - 1 - j
			}
			source := target(sources[j])
			if source.Kind != yaml.MappingNode {
				return nil, fmt.Errorf("%w: only mappings can be merged", errYAML)
			}
			if c.merged += 1 + len(source.Content); c.merged > maxMerged {
				return nil, fmt.Errorf("%w: merges expand too far", errYAML)
			}
			pairs, err := c.flatten(source)
			if err != nil {
				return nil, err
			}
			merged = append(merged, pairs...)
		}
	}
	return append(merged, own...), nil
}

func isMerge(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && isPlain(n) && n.Value == "<<" && explicitTag(n) == ""
}

// target is the node that an alias stands for.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
