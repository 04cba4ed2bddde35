package extractor

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Options configures an EntityExtractor. The zero value is useful.
type Options struct {
	// Limits bound the extraction from one result.
	Limits Limits
	// Rules describe how to read the results of particular tools. The first rule
	// whose glob matches the tool's name applies.
	Rules []Rule
}

// Limits bound the extraction from one result and the work spent on it. A field of 0
// or less means the default.
type Limits struct {
	// TopItems is the number of items taken as records from a top-level array and from
	// "data". The default is 5 (seed 004). Later items are candidates.
	TopItems int
	// Matches is the number of items taken from "matches". The default is 3 (seed
	// 004).
	Matches int
	// Items is the number of items taken from any other list, and of entries from a
	// map keyed by id. The default is 50.
	Items int
	// Entities is the number of entities taken in all. The default is 100.
	Entities int
	// Candidates is the number of candidates taken in all. The default is 20, as many as
	// a context of the default capacity keeps.
	Candidates int
	// Depth is the nesting depth of objects and arrays that is followed. The default
	// is 64.
	Depth int
	// Bytes is the number of bytes of a result that are read. The default is 64 MiB.
	Bytes int
}

// WideLimits returns limits for contexts whose block has a token budget: there the
// budget, not the constants of seed 004, decides what is shown.
func WideLimits() Limits {
	return Limits{TopItems: 50, Matches: 50, Items: 50, Entities: 200, Candidates: 512}
}

func (l Limits) withDefaults() Limits {
	set := func(v *int, value int) {
		if *v <= 0 {
			*v = value
		}
	}
	set(&l.TopItems, 5)
	set(&l.Matches, 3)
	set(&l.Items, 50)
	set(&l.Entities, 100)
	set(&l.Candidates, 20)
	set(&l.Depth, 64)
	set(&l.Bytes, 64<<20)
	return l
}

func (l *Limits) document() document.Limits {
	return document.Limits{Depth: l.Depth, Bytes: l.Bytes, Scalar: l.Bytes}
}

// EntityExtractor finds the entities in results of any tool, without a model and
// without a description of the tool. It is safe for concurrent use.
type EntityExtractor struct {
	limits Limits
	rules  []Rule
	seed   maphash.Seed

	keys    naming.Keys
	tools   naming.Tools
	finders sync.Pool // of *finder
}

var _ Extractor = (*EntityExtractor)(nil)

// New returns an extractor. If opts is nil, the defaults are used. The error is a
// *RuleError if a rule is invalid.
func New(opts *Options) (*EntityExtractor, error) {
	if opts == nil {
		opts = &Options{}
	}
	for i := range opts.Rules {
		if err := opts.Rules[i].validate(); err != nil {
			return nil, &RuleError{Index: i, Tool: opts.Rules[i].Tool, Err: err}
		}
	}
	return &EntityExtractor{limits: opts.Limits.withDefaults(), rules: slices.Clone(opts.Rules), seed: maphash.MakeSeed()}, nil
}

// Default returns an extractor without rules. The zero Limits are the defaults.
func Default(limits Limits) *EntityExtractor {
	return &EntityExtractor{limits: limits.withDefaults(), seed: maphash.MakeSeed()}
}

// Extract implements Extractor. It does bounded work and does not panic, whatever the
// result is; oddities are reported in Reason. It returns an error only if ctx is
// done.
func (x *EntityExtractor) Extract(ctx context.Context, in Input) (Extraction, error) {
	if err := ctx.Err(); err != nil {
		return Extraction{}, fmt.Errorf("extractor: %w", err)
	}
	f := x.newFinder()
	defer x.release(f)
	tool := x.tools.Tool(in.Tool)
	args := f.readArguments(in.Arguments)
	tool = subjectOf(tool, &f.args)
	out := Extraction{Action: actions[tool.Effect], Used: uses(args, tool)}
	if tool.Noun == "" || vocabulary.GenericNouns.Has(tool.Noun) {
		tool.Noun = cmp.Or(kindArgument(args), tool.Noun)
	}
	rule := x.rule(in.Tool)
	if rule != nil && rule.Skip {
		out.Reason = "a rule says to skip this tool"
		return out, nil
	}
	if rule != nil && rule.Type != "" {
		tool.Noun = rule.Type
	}
	f.tool, f.name, f.own, f.failed = tool, in.Tool, ownArgument(args, tool), in.Failed
	if rule != nil && !rule.selects() {
		f.forced = rule.Type
	}
	read := f.read(rule, in.Result)
	f.retype(args)
	f.distinguish()
	out.Format, out.Failed = string(read.Format), f.failed
	out.Entities = f.entities()
	f.renamed(&out, in.Arguments)
	if tool.Effect == naming.EffectDeleted && !out.Failed {
		out.remove(ownArguments(args, tool), tool)
	}
	out.Reason = f.reason(&out, read)
	return out, nil
}

// read extracts the entities of a result, by the paths of a rule that has them.
func (f *finder) read(rule *Rule, result any) document.Result {
	if text, ok := errorMessage(result); ok {
		f.text(document.String, text)
		return document.Result{Format: document.FormatText}
	}
	if rule != nil && rule.selects() {
		return f.applyRule(rule, result)
	}
	read := document.Read(result, f, f.x.limits.document())
	if f.isUnread(read.Format, 0) {
		f.lines(result)
	}
	return read
}

// isUnread reports whether a text was read as lines of a format and yielded no record
// beyond the given number.
func (f *finder) isUnread(format document.Format, before int) bool {
	switch format {
	case document.FormatKeyValue, document.FormatYAML, document.FormatCSV, document.FormatTSV, document.FormatTable:
		return !f.failed && !hasRecord(f.found[before:])
	}
	return false
}

// lines reads as prose a result that was read as lines of a format and yielded no
// record: "Suite: EUR 260 [RM-92195-X1]".
func (f *finder) lines(result any) {
	switch result := result.(type) {
	case string:
		f.text(document.String, []byte(result[:min(len(result), maxProseBytes)]))
	case []byte:
		f.text(document.String, result[:min(len(result), maxProseBytes)])
	}
}

// remove drops deleted entities from the extraction. A delete tool may answer with
// the page it deleted, which seed 004 would add again.
func (out *Extraction) remove(own []memory.Ref, tool naming.Tool) {
	if len(own) == 0 {
		for _, e := range out.Entities {
			if e.Role == memory.RoleRecord && (e.Type == tool.Noun || tool.Noun == "" && len(out.Entities) == 1) {
				own = append(own, memory.Ref{Type: e.Type, ID: e.ID})
			}
		}
	}
	out.Removed = own
	out.Entities = slices.DeleteFunc(out.Entities, func(e memory.Entity) bool {
		return slices.ContainsFunc(own, func(r memory.Ref) bool { return r.ID == e.ID })
	})
}

// renamed adds an entity from the arguments of an update whose result holds no
// record, as in {"success": true}: the entity now has the name it was given.
func (f *finder) renamed(out *Extraction, args any) {
	if out.Failed || f.own.ID == "" || f.tool.Noun == "" || out.Action != ActionUpdated ||
		slices.ContainsFunc(out.Entities, func(e memory.Entity) bool { return e.ID == f.own.ID }) {
		return
	}
	given := f.x.newFinder()
	defer f.x.release(given)
	given.tool, given.name = f.tool, f.name
	document.Read(args, given, f.x.limits.document())
	for i := range given.found {
		var e memory.Entity
		if given.fill(&e, &given.found[i]); e.ID == f.own.ID && e.Name != "" {
			e.Path, e.Description = argumentsPath, ""
			out.Entities = append(out.Entities, e)
			return
		}
	}
}

// argumentsPath is the path of entities taken from a call's arguments.
const argumentsPath = "(arguments)"

// retype corrects types taken from the tool's name where an argument with the same id
// names another type: the issue_number of remove_label_from_issue.
func (f *finder) retype(args []argument) {
	for i := range args {
		a := &args[i]
		if a.key == nil || a.key.Class != naming.ClassTypedID || a.key.Noun == "" || naming.SameNoun(a.key.Noun, f.tool.Noun) || strings.HasPrefix(f.tool.Noun, a.key.Noun+"_") {
			continue
		}
		for j := range f.found {
			if c := &f.found[j]; c.typ == f.tool.Noun && string(f.id(c)) == a.id {
				c.typ = a.key.Noun
			}
		}
	}
}

// reason returns why no entity was found, or what was left out.
func (f *finder) reason(out *Extraction, read document.Result) string {
	switch {
	case read.Err != nil:
		return read.Err.Error()
	case f.cut && len(out.Entities) > 0:
		return "limits reached: further items were not read"
	case len(out.Entities) > 0 || len(out.Removed) > 0:
		return ""
	case out.Failed:
		return "the result reports an error"
	case read.Format == document.FormatEmpty:
		return "the result is empty"
	case f.objects > 0:
		return fmt.Sprintf("none of the %d objects in the result has an identifier", f.objects)
	case f.prose > 0:
		return "no identifier in the text is justified by the words around it"
	default:
		return "the result contains no records"
	}
}
