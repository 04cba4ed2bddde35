package extractor

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/go-workingmemory/workingmemory/memory"
)

// Rule describes how to read the results of some tools, or the output of some shell commands:
// data by paths, a table by the titles of its columns, or lines by regular expressions.
// Results that no rule matches are read by their form.
//
// A path is a list of field names joined by dots, "attributes.title". A "*" matches
// every item of a list or every value of an object.
type Rule struct {
	// Tool is a glob that matches the tool's name, in the syntax of path.Match: "crm_*". Either
	// Tool or Command is required. With Tool, the fields for paths and Skip apply.
	Tool string `yaml:"tool" json:"tool,omitempty"`
	// Command holds the first words of a command, "git log", or of several, separated by
	// " | ". A word may be a glob, or several separated by commas: "docker rm,rmi". A word that
	// begins with a hyphen is a flag that the command must have: "git branch -d,-D". If several
	// rules match a command, those with the most words apply. A tool called git_log matches as well.
	Command string `yaml:"command" json:"command,omitempty"`
	// Type is the type of the records. "$1" stands for the word that matched the first word of
	// Command with a "*" in it, in the singular.
	Type string `yaml:"type" json:"type,omitempty"`
	// Form is the form of the output: "table", with a line of column titles above the rows, or
	// "records", blocks of lines with a key and a value. If empty, ID is a path in data of any format.
	Form Form `yaml:"form" json:"form,omitempty"`
	// List is the path to the records: "result.rows.*". If empty, the result is the
	// record or a list of records.
	List string `yaml:"list" json:"list,omitempty"`
	// ID selects the identifier: its path within the record, the title of its column, or its key.
	// "ID|KEY" selects the first of several that is there. The following fields select other values in
	// the same way.
	ID string `yaml:"id" json:"id,omitempty"`
	// Alias selects another identifier of the same thing.
	Alias string `yaml:"alias" json:"alias,omitempty"`
	// Name selects the name.
	Name string `yaml:"name" json:"name,omitempty"`
	// Description selects the texts that tell the record apart, one or several: "status, labels.app".
	Description string `yaml:"description" json:"description,omitempty"`
	// Refs select identifiers of other things, by their types: {namespace: metadata.namespace}.
	Refs map[string]string `yaml:"refs" json:"refs,omitempty"`
	// Lines are regular expressions (RE2) for lines with a record. The groups "id", "alias",
	// "name", "description" and "type" hold these values of the record; a group with any other
	// name holds the identifier of another thing, whose type is the name of the group. An expression that
	// begins with ^ matches at most once in a line, others any number of times. An expression with \n reads
	// several lines and must begin with ^: "^commit (?P<id>\S+)\n    (?P<name>.+)".
	Lines []string `yaml:"lines" json:"lines,omitempty"`
	// Drop are regular expressions for lines to leave out.
	Drop []string `yaml:"drop" json:"drop,omitempty"`
	// Only leaves out the lines that no rule reads, if the rules for the call read any.
	Only bool `yaml:"only" json:"only,omitempty"`
	// Candidate is set if the things found are only mentioned. They rank behind all records.
	Candidate bool `yaml:"candidate" json:"candidate,omitempty"`
	// Skip ignores the results of these tools or commands. The ids in their arguments still count
	// as used.
	Skip bool `yaml:"skip" json:"skip,omitempty"`
	// Effect is what a successful command does to things of Type. Of tells to which.
	Effect Effect `yaml:"effect" json:"effect,omitempty"`
	// Of tells where the things are named: in "all" operands after the words of Command, which is the
	// default, in the "first" or the "last" operand, in the value of a flag such as "--name", or, with
	// "found", in the result.
	Of string `yaml:"of" json:"of,omitempty"`
	// Below is set for commands that list a directory: the one that their only operand names (ls src), or
	// the one in a line above that ends in a colon (ls -R).
	Below bool `yaml:"below" json:"below,omitempty"`
	// Values are the flags of the command that take a value: "-n". In a file, a list beside the rules
	// applies to all of them.
	Values []string `yaml:"values" json:"values,omitempty"`
	// Source is the name of the file with the rule, for explanations.
	Source string `yaml:"-" json:"-"`
}

// Form is the form of the output that a Rule reads.
type Form string

// The forms.
const (
	FormTable   Form = "table"
	FormRecords Form = "records"
)

// Effect is what a command does to the things that it names.
type Effect string

// The effects.
const (
	EffectMade   Effect = "made"
	EffectEdited Effect = "edited"
	EffectGone   Effect = "gone"
	// EffectMoved is for commands whose last operand is the new name of the first, or the
	// place to which the others go.
	EffectMoved Effect = "moved"
)

// RuleError is returned for a rule that is invalid.
type RuleError struct {
	// Index is the position of the rule in its list, from 0.
	Index int
	// Tool is the rule's glob, or its command.
	Tool string
	Err  error
}

// Error implements error.
func (e *RuleError) Error() string {
	return fmt.Sprintf("extractor: rule %d (%q): %v", e.Index, e.Tool, e.Err)
}

// Unwrap returns the reason.
func (e *RuleError) Unwrap() error { return e.Err }

// maxRulesBytes is the size limit of a rules file.
const maxRulesBytes = 1 << 20

// ReadRules reads rules from a YAML or JSON document {"rules": [{"tool": …}]}.
// Unknown fields are errors, so that a typing mistake does not disable a rule
// silently. The error is a *RuleError if a rule is invalid.
func ReadRules(r io.Reader) ([]Rule, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxRulesBytes+1))
	if err != nil {
		return nil, fmt.Errorf("extractor: rules: %w", err)
	}
	if len(data) > maxRulesBytes {
		return nil, fmt.Errorf("extractor: rules: longer than %d bytes", maxRulesBytes)
	}
	rules, _, err := parseRules("", string(data))
	return rules, err
}

// ReadRecipes reads the rules in the files of a folder whose names end in .yaml, in the order of their names.
// The error is that of ReadRules with the name of the file, or of the file system. A folder without such a
// file is an error.
func ReadRecipes(folder fs.FS) (rules []Rule, err error) {
	names, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("extractor: recipes: %w", err)
	}
	if len(names) == 0 {
		return nil, errors.New("extractor: recipes: no file whose name ends in .yaml")
	}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, fmt.Errorf("extractor: recipes: %w", err)
		}
		found, _, err := parseRules(name, string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rules = append(rules, found...)
	}
	return rules, nil
}

// rulesFile is the content of a file of rules. Errors of YAML show its name.
type rulesFile struct {
	Programs []string `yaml:"programs"` // for the index of the built-in files
	Values   []string `yaml:"values"`
	Rules    []Rule   `yaml:"rules"`
}

// parseRules parses a file of rules and returns them as written and compiled.
func parseRules(name, text string) ([]Rule, []compiledRule, error) {
	var file rulesFile
	dec := yaml.NewDecoder(strings.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("extractor: rules: %w", err)
	}
	for i := range file.Rules {
		r := &file.Rules[i]
		r.Source = name
		if r.Values == nil {
			r.Values = file.Values
		}
	}
	compiled, err := compileAll(file.Rules)
	return file.Rules, compiled, err
}

// compiledRule is a rule with its expressions compiled.
type compiledRule struct {
	Rule
	commands [][]string
	lines    []expression
	drop     []*regexp.Regexp
}

// expression is one of Rule.Lines.
type expression struct {
	*regexp.Regexp
	several bool // it reads several lines
	most    int  // the number of matches in a line; less than 0 means no limit
}

// compileAll compiles rules. The error is a *RuleError for the first invalid one.
func compileAll(rules []Rule) ([]compiledRule, error) {
	all := make([]compiledRule, len(rules))
	for i := range rules {
		all[i].Rule = rules[i]
		if err := all[i].compile(); err != nil {
			return nil, &RuleError{Index: i, Tool: cmp.Or(rules[i].Tool, rules[i].Command), Err: err}
		}
	}
	return all, nil
}

// compile compiles the rule and reports what is wrong with it.
func (r *compiledRule) compile() (err error) {
	for words := range strings.SplitSeq(r.Command, " | ") {
		if fields := strings.Fields(words); len(fields) > 0 {
			r.commands = append(r.commands, fields)
		}
	}
	switch _, isGlob := path.Match(r.Tool, ""); {
	case r.Tool == "" && len(r.commands) == 0:
		return errors.New("tool or command is required")
	case isGlob != nil:
		return fmt.Errorf("glob: %w", isGlob)
	case len(r.Type) > memory.MaxTypeBytes:
		return fmt.Errorf("type is longer than %d bytes", memory.MaxTypeBytes)
	}
	lines, err := compiled(r.Lines)
	if err != nil {
		return err
	}
	if r.drop, err = compiled(r.Drop); err != nil {
		return err
	}
	for _, line := range lines {
		x := expression{Regexp: line, several: strings.Contains(line.String(), `\n`), most: -1}
		if strings.HasPrefix(line.String(), "^") {
			x.most = 1
		}
		switch {
		case x.several && x.most < 0:
			return fmt.Errorf("expression %q for several lines does not begin with ^", line)
		case strings.Join(line.SubexpNames(), "") == "":
			return fmt.Errorf("expression %q has no named group", line)
		}
		r.lines = append(r.lines, x)
	}
	if err := r.checkCommands(); err != nil {
		return err
	}
	switch {
	case r.Form != "" && r.Form != FormTable && r.Form != FormRecords:
		return fmt.Errorf("form is %q, not table or records", r.Form)
	case !slices.Contains([]Effect{"", EffectMade, EffectEdited, EffectGone, EffectMoved}, r.Effect):
		return fmt.Errorf("effect is %q, not made, edited, gone or moved", r.Effect)
	case r.Skip:
		return nil
	case r.ID == "" && (r.List != "" || r.Name != "" || r.Description != "" || r.Alias != "" || r.Form != ""):
		return errors.New("has paths but no id")
	case r.ID != "" && r.Type == "":
		return errors.New("has an id but no type")
	case r.Type == "" && len(r.lines)+len(r.drop) == 0 && r.Effect == "" && !r.Only:
		return errors.New("has no effect: set type, id, lines, effect or skip")
	}
	for _, p := range [...]string{r.List, r.ID, r.Alias, r.Name, r.Description} {
		for step := range strings.SplitSeq(p, ".") {
			if p != "" && step == "" && r.Form == "" {
				return fmt.Errorf("path %q has an empty step", p)
			}
		}
	}
	return nil
}

// checkCommands reports fields that are ignored or match nothing.
func (r *compiledRule) checkCommands() error {
	placeholder := false
	for _, words := range r.commands {
		for _, word := range words {
			for glob := range strings.SplitSeq(word, ",") {
				if _, err := path.Match(glob, ""); err != nil {
					return fmt.Errorf("command: %q: %w", word, err)
				}
			}
		}
		placeholder = placeholder || strings.Contains(strings.Join(words[1:], " "), "*")
	}
	switch {
	case len(r.commands) == 0 && (r.Form != "" || len(r.lines)+len(r.drop) > 0 || r.Only || r.Effect != "" || r.Below):
		return errors.New("form, lines, drop, only, effect and below need a command, not a tool")
	case r.Type == "$1" && !placeholder:
		return errors.New(`type is "$1", but no word of command has a "*"`)
	case r.Of != "" && r.Effect == "":
		return errors.New("has of but no effect")
	case !slices.Contains([]string{"", "all", "first", "last", "found"}, r.Of) && r.Of[0] != '-':
		return fmt.Errorf("of is %q, not all, first, last, found or a flag", r.Of)
	case r.Effect != "" && r.Type == "" && r.Of != "found":
		return errors.New("has an effect but no type")
	}
	return nil
}

// compiled compiles regular expressions.
func compiled(expressions []string) (all []*regexp.Regexp, err error) {
	for _, text := range expressions {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, err
		}
		all = append(all, re)
	}
	return all, nil
}

// selects reports whether the rule selects records of data by paths.
func (r *Rule) selects() bool { return r.ID != "" && r.Form == "" }
