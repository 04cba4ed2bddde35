package extractor

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/record"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Rule tells the extractor how to read the results of some tools. A rule with an ID
// selects records by paths; without one it only sets the type, or skips the tool.
//
// A path is a list of field names joined by dots, "attributes.title". A "*" matches
// every item of a list or every value of an object.
type Rule struct {
	// Tool is a glob on the tool's name in the syntax of path.Match: "crm_*".
	// Required.
	Tool string `yaml:"tool" json:"tool"`
	// Type is the type of the records. Required with paths.
	Type string `yaml:"type" json:"type,omitempty"`
	// List is the path to the records: "result.rows.*". If empty, the result is the
	// record or a list of records.
	List string `yaml:"list" json:"list,omitempty"`
	// ID is the path of the identifier within a record.
	ID string `yaml:"id" json:"id,omitempty"`
	// Name is the path of the name within a record.
	Name string `yaml:"name" json:"name,omitempty"`
	// Description is the path within a record of the text that tells it apart.
	Description string `yaml:"description" json:"description,omitempty"`
	// Skip ignores the results of these tools. The ids in their arguments still count
	// as used.
	Skip bool `yaml:"skip" json:"skip,omitempty"`
}

// RuleError is returned for a rule that is invalid.
type RuleError struct {
	// Index is the position of the rule in its list, from 0.
	Index int
	// Tool is the rule's glob.
	Tool string
	Err  error
}

// Error implements error.
func (e *RuleError) Error() string {
	return fmt.Sprintf("extractor: rule %d (tool %q): %v", e.Index, e.Tool, e.Err)
}

// Unwrap returns the reason.
func (e *RuleError) Unwrap() error { return e.Err }

// maxRulesBytes is the size limit of a rules file.
const maxRulesBytes = 1 << 20

// ReadRules reads rules from a YAML or JSON document {"rules": [{"tool": …}]}.
// Unknown fields are errors, so that a typing mistake does not disable a rule
// silently. The error is a *RuleError if a rule is invalid.
func ReadRules(r io.Reader) ([]Rule, error) {
	var file struct {
		Rules []Rule `yaml:"rules"`
	}
	data, err := io.ReadAll(io.LimitReader(r, maxRulesBytes+1))
	if err != nil {
		return nil, fmt.Errorf("extractor: rules: %w", err)
	}
	if len(data) > maxRulesBytes {
		return nil, fmt.Errorf("extractor: rules: longer than %d bytes", maxRulesBytes)
	}
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("extractor: rules: %w", err)
	}
	return file.Rules, validateAll(file.Rules)
}

// validateAll returns a *RuleError for the first rule that is invalid.
func validateAll(rules []Rule) error {
	for i := range rules {
		if err := rules[i].validate(); err != nil {
			return &RuleError{Index: i, Tool: rules[i].Tool, Err: err}
		}
	}
	return nil
}

func (r *Rule) validate() error {
	if r.Tool == "" {
		return errors.New("tool is required")
	}
	if _, err := path.Match(r.Tool, ""); err != nil {
		return fmt.Errorf("glob: %w", err)
	}
	if len(r.Type) > memory.MaxTypeBytes {
		return fmt.Errorf("type is longer than %d bytes", memory.MaxTypeBytes)
	}
	switch {
	case r.Skip:
		return nil
	case !r.selects() && (r.List != "" || r.Name != "" || r.Description != ""):
		return errors.New("has paths but no id")
	case r.selects() && r.Type == "":
		return errors.New("has an id but no type")
	case !r.selects() && r.Type == "":
		return errors.New("has no effect: set type, id or skip")
	}
	for _, p := range [...]string{r.List, r.ID, r.Name, r.Description} {
		for step := range strings.SplitSeq(p, ".") {
			if p != "" && step == "" {
				return fmt.Errorf("path %q has an empty step", p)
			}
		}
	}
	return nil
}

// selects reports whether the rule selects records by paths.
func (r *Rule) selects() bool { return r.ID != "" }

// rule returns the first rule for a tool, or an empty one.
func (x *EntityExtractor) rule(tool string) Rule {
	for _, rule := range x.rules {
		if ok, _ := path.Match(rule.Tool, tool); ok {
			return rule
		}
	}
	return Rule{}
}

// applyRule extracts the records that a rule's paths select.
func (e *extraction) applyRule(r *Rule, result any) document.Result {
	tree := treeBuilder{limits: &e.x.limits, signal: &e.signal}
	read := document.Read(result, &tree, e.x.limits.document())
	steps := splitPath(r.List)
	if len(steps) == 0 && tree.root != nil && tree.root.array {
		steps = []string{"*"}
	}
	order := 0
	tree.root.find(steps, "$", func(rec *node, at string) {
		order++
		id := []byte(rec.text(splitPath(r.ID)))
		if !record.IsPlausibleID(document.String, id, true) || finding.IsSecretID(r.Type, id) || secret.IsCardNumber(id) {
			return
		}
		e.set.Add(&finding.Sighting{
			Type: r.Type, Order: order, ID: id, Path: secret.Redact([]byte(at)),
			Name:        record.NameText([]byte(rec.text(splitPath(r.Name)))),
			Description: record.NameText([]byte(rec.text(splitPath(r.Description)))),
		})
	})
	e.reader.Objects, e.reader.Cut = tree.nodes, tree.cut
	return read
}

func splitPath(p string) []string {
	if p == "" {
		return nil
	}
	return strings.Split(p, ".")
}
