package extractor

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/interrupt"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/reading"
	"github.com/go-workingmemory/workingmemory/extractor/internal/record"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Options configures an EntityExtractor. The zero value is useful.
type Options struct {
	// Limits bound the extraction from one result.
	Limits Limits
	// Rules describe how to read the results of particular tools and commands. For a tool, the
	// first matching rule applies. For a command, a matching rule replaces the built-in ones.
	Rules []Rule
	// WithoutRecipes turns off the built-in rules for the output of common programs.
	WithoutRecipes bool
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
	for _, field := range []struct {
		value  *int
		preset int
	}{{&l.TopItems, 5}, {&l.Matches, 3}, {&l.Items, 50}, {&l.Entities, 100}, {&l.Candidates, 20}, {&l.Depth, 64}, {&l.Bytes, 64 << 20}} {
		if *field.value <= 0 {
			*field.value = field.preset
		}
	}
	return l
}

func (l *Limits) document() document.Limits {
	return document.Limits{Depth: l.Depth, Bytes: l.Bytes, Scalar: l.Bytes}
}

func (l *Limits) reading() reading.Limits {
	return reading.Limits{TopItems: l.TopItems, Matches: l.Matches, Items: l.Items, Entities: l.Entities, Candidates: l.Candidates, Document: l.document()}
}

// EntityExtractor finds the entities in results of any tool, without a model and
// without a description of the tool. It is safe for concurrent use.
type EntityExtractor struct {
	limits Limits
	rules  []compiledRule
	plain  bool // see Options.WithoutRecipes
	seed   maphash.Seed

	keys  naming.Keys
	tools naming.Tools
	idle  sync.Pool // of *extraction
}

var _ Extractor = (*EntityExtractor)(nil)

// New returns an extractor. If opts is nil, the defaults are used. The error is a
// *RuleError if a rule is invalid.
func New(opts *Options) (*EntityExtractor, error) {
	if opts == nil {
		opts = &Options{}
	}
	rules, err := compileAll(opts.Rules)
	if err != nil {
		return nil, err
	}
	return &EntityExtractor{limits: opts.Limits.withDefaults(), rules: rules, plain: opts.WithoutRecipes, seed: maphash.MakeSeed()}, nil
}

// Default returns an extractor without rules. The zero Limits are the defaults.
func Default(limits Limits) *EntityExtractor {
	return &EntityExtractor{limits: limits.withDefaults(), seed: maphash.MakeSeed()}
}

// Extract implements Extractor. Whatever the result is, it does not panic, and takes time
// and memory that are linear in the size of the result; oddities are reported in Reason. If
// ctx ends, Extract reads some 64 KB more at most, and returns an error that wraps that of
// ctx. It returns no other error.
func (x *EntityExtractor) Extract(ctx context.Context, in Input) (Extraction, error) {
	return x.extract(ctx, in, nil)
}

func (x *EntityExtractor) extract(ctx context.Context, in Input, explain func(reading.Judged)) (Extraction, error) {
	if err := ctx.Err(); err != nil {
		return Extraction{}, fmt.Errorf("extractor: %w", err)
	}
	e := x.begin()
	defer x.end(e)
	e.signal = interrupt.New(ctx)
	out := e.extract(in, explain)
	if err := e.signal.Err(); err != nil {
		return Extraction{}, fmt.Errorf("extractor: %w", err)
	}
	return out, nil
}

// extraction is the work on one call.
type extraction struct {
	x      *EntityExtractor
	signal interrupt.Signal
	args   argumentReader
	keys   *naming.Cache
	call   record.Call
	reader reading.Reader
	set    finding.Set
	// found are what commands did, by rules, to things in their output. It is mixed if other commands
	// print, too.
	found []deed
	mixed bool
}

// maxBufferBytes is the largest buffer kept for the next result.
const maxBufferBytes = 64 << 10

// begin returns an extraction, with the memory of an earlier one if there is any.
func (x *EntityExtractor) begin() *extraction {
	if e, ok := x.idle.Get().(*extraction); ok {
		return e
	}
	return &extraction{x: x, keys: naming.NewCache(&x.keys)}
}

// end keeps the memory of an extraction, and nothing of the result.
func (x *EntityExtractor) end(e *extraction) {
	e.args.reset(maxBufferBytes)
	e.reader.Reset(maxBufferBytes)
	e.set.Reset(maxBufferBytes)
	e.found, e.mixed = nil, false
	e.call, e.signal = record.Call{}, interrupt.Signal{}
	x.idle.Put(e)
}

func (e *extraction) extract(in Input, explain func(reading.Judged)) Extraction {
	x := e.x
	tool := x.tools.Tool(in.Tool)
	tool.Source = cmp.Or(in.Source, tool.Source)
	e.args.read(in.Arguments, &e.signal, e.keys, x.limits.document())
	tool = e.args.address(tool)
	e.args.commands = e.args.commandsOf(tool)
	rules := x.matches(e.args.commands, tool.All)
	tool = subjectOf(tool, &e.args, typeOf(rules))
	args := e.args.args
	out := Extraction{Action: actions[tool.Effect], Used: uses(args, tool)}
	if tool.Noun == "" || vocabulary.GenericNouns.Has(tool.Noun) {
		tool.Noun = cmp.Or(kindArgument(args, tool), tool.Noun)
	}
	secrets, printed := e.args.readsSecrets(tool)
	rule := x.rule(in.Tool)
	if rule.Skip {
		out.Reason = "a rule says to skip this tool"
		return out
	}
	tool.Noun = cmp.Or(rule.Type, tool.Noun)
	listed := listedDirectory(rules, e.args.commands)
	e.call = record.Call{
		Name: in.Tool, Tool: tool, Own: ownArgument(args, tool), TypeOf: e.args.typeOf, Failed: in.Failed,
		Secrets: printed, Directory: cmp.Or(listed, directoryOf(args, tool)), Listed: listed != "", Paths: spacedPaths(args), Spaced: slices.ContainsFunc(tool.Words, vocabulary.SpacedNouns.Has),
	}
	e.call.Source = e.args.readsSource(tool)
	e.reader.Start(&e.call, &e.signal, x.limits.reading(), e.keys, &e.set)
	e.reader.Explain = explain
	var read document.Result
	if rule.selects() {
		by := match{compiledRule: &rule, typ: rule.Type}
		e.addRecords(&by, func(tree document.Visitor) { read = document.Read(in.Result, tree, x.limits.document()) })
	} else {
		e.call.Forced = rule.Type
		in.Result = e.reader.Envelope.Open(in.Result)
		if read = e.reader.Read(e.readByRules(in.Result, rules, e.args.commands)); read.Format == document.FormatEmpty && e.set.Len() > 0 {
			read.Format = document.FormatText // rules have read all of it
		}
	}
	if printed && naming.SelectsSecrets(e.args.commands) {
		e.set.Drop(0, finding.All)
	}
	e.retype(args)
	e.set.Distinguish()
	out.Format, out.Failed = string(read.Format), e.call.Failed
	isType := naming.IsType
	if rule.Tool != "" { // the program chose its type
		isType = nil
	}
	out.Entities = e.set.Result(x.seed, isType)
	e.attribute(out.Entities, &rule)
	if out.Failed && !e.reader.TellsOfThing() {
		e.dropReport(&out)
	}
	out.Failed = out.Failed || e.reader.Envelope.Failed
	e.nameSecrets(&out, secrets)
	e.follow(&out, rules, in)
	for i := range e.found {
		if !out.Failed {
			e.carryOut(&out, &e.found[i])
		}
	}
	out.Reason = e.reason(&out, read)
	return out
}

// dropReport drops entities that an error report only mentions: the id that the call guessed,
// and the report itself, {"status": 404, "path": "/boats/12", "requestId": "8f1"}. Entities with a
// name stay. If the report is long, so does the subject of the call: the report then describes how the
// call failed on an existing thing.
func (e *extraction) dropReport(out *Extraction) {
	guessed := out.Action == ActionRead && e.reader.Said <= maxOutcomeText
	out.Entities = slices.DeleteFunc(out.Entities, func(found memory.Entity) bool {
		told := found.Name != "" && found.Name != found.ID
		return !told && (guessed && e.args.has(found.ID) || found.Place == memory.PlaceRecord && !strings.Contains(found.Path, "["))
	})
}

// follow adds the effects of the call to an extraction: what it made, changed, ended and deleted.
func (e *extraction) follow(out *Extraction, rules []match, in Input) {
	command := e.args.command.key
	e.args.deeds = append(e.args.deeds, deedsOfQuery(e.args.command.id)...)
	deedsOnly := e.args.commands != nil || len(e.args.deeds) > 0 || command != nil && vocabulary.CommandKeys.Has(command.Snake)
	switch {
	case e.args.trial:
	case deedsOnly:
		e.settleCommand(out, rules, in.Result)
	case out.Action == ActionRead:
		e.readFiles(out, in.Result)
	default:
		o := e.outcomeOf(in.Result, out.Failed)
		if command == nil { // the effect of a query is not in the tool's name
			e.made(out, in, o)
		}
		e.settle(out, o)
	}
}

// attribute sets the origin and the authority of entities, and marks the one that
// the call was made for.
func (e *extraction) attribute(entities []memory.Entity, rule *compiledRule) {
	tool, own := &e.call.Tool, (*memory.Entity)(nil)
	several := false
	// The contents of a file tell nothing about files.
	isContent := tool.Verb == "read" && vocabulary.ContentNouns.Has(tool.Noun)
	for i := range entities {
		found := &entities[i]
		if found.Role == memory.RoleRecord && e.args.has(found.ID) {
			found.Held = true
		}
		found.Tool, found.Source = e.call.Name, tool.Source
		switch {
		case rule.selects():
			found.Authority = memory.AuthorityFull
		case !isContent && tool.Noun != "" && found.Place != memory.PlaceFieldText && english.SameNoun(tool.Noun, found.Type):
			found.Authority = memory.AuthorityOwn
			if found.Role == memory.RoleRecord {
				several, own = several || own != nil, found
			}
		default:
			found.Authority = memory.AuthorityNone
		}
	}
	if own != nil && !several {
		own.Held = true
	}
}

// retype corrects types taken from the tool's name where an argument with the same id
// names another type, the issue_number of remove_label_from_issue, those of its kind, the
// basic_topic of update_topic, and those of the rows of a file.
func (e *extraction) retype(args arguments) {
	noun := e.call.Tool.Noun
	for _, a := range args {
		if a.key.Class != naming.ClassTypedID || a.key.Noun == "" {
			continue
		}
		e.set.Retype(a.key.Noun, func(s *finding.Sighting) bool {
			switch {
			case string(s.ID) != a.id:
				return false
			case s.Type == noun:
				return !english.SameNoun(a.key.Noun, noun) && !strings.HasPrefix(noun, a.key.Noun+"_")
			}
			return strings.HasSuffix(s.Type, "_"+a.key.Noun) && !vocabulary.EntityNouns.Has(s.Type)
		})
	}
	if rows := rowsNoun(args); rows != "" && vocabulary.ContentNouns.Has(naming.LastWord(noun)) {
		e.set.Retype(rows, func(s *finding.Sighting) bool { return s.Type == noun })
	}
}

// reason returns why no entity was found, or what was left out.
func (e *extraction) reason(out *Extraction, read document.Result) string {
	switch {
	case read.Err != nil:
		return read.Err.Error()
	case out.Reason != "":
		return out.Reason
	case (e.reader.Cut || e.set.Full()) && len(out.Entities) > 0:
		return "limits reached: further items were not read"
	case len(out.Entities) > 0 || len(out.Removed) > 0:
		return ""
	case out.Failed:
		return "the result reports an error"
	case read.Format == document.FormatEmpty:
		return "the result is empty"
	case e.reader.Objects > 0:
		return fmt.Sprintf("none of the %d objects in the result has an identifier", e.reader.Objects)
	case e.reader.Texts > 0:
		return "no identifier in the text is justified by the words around it"
	default:
		return "the result contains no records"
	}
}
