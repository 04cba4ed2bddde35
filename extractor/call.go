package extractor

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/interrupt"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/record"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
)

// maxArguments is the number of scalars read from a call's arguments.
const maxArguments = 64

// argument is a scalar in a call's arguments.
type argument struct {
	key  *naming.Key // for a bare string, the key of an id
	id   string
	kind document.Kind
	deep bool
}

// arguments are the scalars in a call's arguments that may identify a thing.
type arguments []argument

// under iterates over the values of the outermost arguments whose key is in a set.
func (args arguments) under(keys *vocabulary.Set) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, a := range args {
			if !a.deep && keys.Has(a.key.Snake) && !yield(a.id) {
				return
			}
		}
	}
}

// argumentReader is a document.Visitor that collects the scalars of a call's
// arguments.
type argumentReader struct {
	keys   *naming.Cache
	signal *interrupt.Signal
	stack  []*naming.Key
	key    *naming.Key
	args   arguments
	// command is the first argument that holds a command or a query, without secrets, and line is the command
	// with them; words are the items of a list that may be the words of a command.
	command argument
	line    string
	words   []string
	// commands are the commands that the call runs, and deeds the effects of a patch in its
	// arguments.
	commands []naming.Command
	deeds    []deed
	// namesSecret is set if an argument is the name of a secret.
	namesSecret bool
	// state is the State that the call writes to its subject, and trial is set if the call
	// is a dry run.
	state naming.State
	trial bool
}

// maxCommandBytes is the number of bytes of a command that are read.
const maxCommandBytes = 8 << 10

func (r *argumentReader) Key(name []byte) document.Decision {
	r.key = r.keys.Key(name)
	if around := r.stack[len(r.stack)-1]; around != nil && vocabulary.OperatorKeys.Has(r.key.Snake) {
		r.key = around
	}
	if r.key.Class == naming.ClassSecret {
		return document.Skip
	}
	return r.Item()
}

func (r *argumentReader) Item() document.Decision {
	if len(r.args) >= maxArguments || r.signal.After(interrupt.Event) {
		return document.Stop
	}
	return document.Take
}

func (r *argumentReader) Object() { r.stack = append(r.stack, r.key) }
func (r *argumentReader) Array()  { r.stack = append(r.stack, r.key) }
func (r *argumentReader) End() {
	r.key = r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
}

func (r *argumentReader) Scalar(kind document.Kind, text []byte) {
	if kind != document.String || r.key == nil || !r.key.Plural || !r.key.IsID() {
		r.scalar(kind, text)
		return
	}
	for id := range bytes.SplitSeq(text, []byte(",")) { // {"ids": "b1,b2"}
		r.scalar(kind, id)
	}
}

func (r *argumentReader) scalar(kind document.Kind, text []byte) {
	text = bytes.TrimSpace(text)
	if r.key == nil { // a tool called with a bare string, or with a list
		if r.key = r.keys.Key([]byte("id")); bytes.IndexByte(text, ' ') >= 0 || !shape.HasDigit(text) && !bytes.ContainsAny(text, "-_/.:#") {
			return // not as p-12, about_us
		}
	}
	r.namesSecret = r.namesSecret || r.key.Traits.Has(naming.TraitSetting) && secret.IsKey(english.Words(string(text[:min(len(text), maxCommandBytes)])))
	if r.command.key == nil && len(r.stack) <= 1 && (vocabulary.CommandKeys.Has(r.key.Snake) || vocabulary.QueryKeys.Has(r.key.Snake)) {
		line := commandHead(text)
		r.command = argument{key: r.key, id: secret.Redact(line), kind: kind}
		if line != r.command.id && vocabulary.CommandKeys.Has(r.key.Snake) {
			r.line = line
		}
	}
	if len(r.stack) > 1 && vocabulary.WordKeys.Has(r.key.Snake) && len(r.words) < maxArguments && len(text) < maxCommandBytes {
		r.words = append(r.words, secret.Redact(string(text)))
	}
	if vocabulary.PatchKeys.Has(r.key.Snake) && bytes.HasPrefix(text, []byte("*** Begin Patch")) {
		r.deeds = appendPatched(r.deeds, "", text)
	}
	if len(r.stack) <= 2 {
		state := naming.StateOf(r.key, kind == document.Bool, text)
		if naming.IsTrash(text) {
			if state = "trashed"; strings.HasPrefix(r.key.Snake, "remove") { // removeLabelIds
				state = naming.Active
			}
		}
		if state != "" && (r.state == "" || r.state == naming.Active) {
			r.state = state
		}
		r.trial = r.trial || vocabulary.TrialKeys.Has(r.key.Snake) && bytes.EqualFold(text, []byte("true"))
	}
	if len(r.args) >= maxArguments || !r.mayIdentify(kind, text) {
		return
	}
	inVariables := len(r.stack) == 2 && r.stack[1] != nil && r.stack[1].Snake == "variables" // of a query of GraphQL
	r.args = append(r.args, argument{key: r.key, id: string(text), kind: kind, deep: len(r.stack) > 1 && !inVariables})
}

// commandHead returns the part of a command that is read, without what is cut off at its end: of
// "rm -r /srv/tmp", "rm -r /srv" would delete something else.
func commandHead(text []byte) string {
	if len(text) <= maxCommandBytes {
		return string(text)
	}
	head := text[:maxCommandBytes]
	end := bytes.LastIndexAny(head, "\n;&|")
	if end < 0 {
		end = bytes.LastIndexAny(head, " \t")
	}
	return string(head[:max(end, 0)])
}

// mayIdentify reports whether the value of the current key may name a thing.
func (r *argumentReader) mayIdentify(kind document.Kind, text []byte) bool {
	return (kind == document.String || kind == document.Number) && record.IsPlausibleID(kind, text, true) &&
		!record.IsSecret(r.key, text) && !(r.key.IsID() && isSentence(text))
}

// isSentence reports whether a text describes things, rather than naming one as LH 454 and
// team holidays do: all images, status = open, Which boats are left?, the boats of last year.
func isSentence(text []byte) bool {
	words := bytes.Fields(text)
	return len(words) > 1 && !shape.IsPath(text) &&
		(vocabulary.QuantityWords.HasBytes(bytes.ToLower(words[0])) || bytes.ContainsAny(text, "?=<>") || len(words) >= 4)
}

// read returns the scalars of a call's arguments that can be identifiers. Other words
// among them do no harm: a context ignores uses of unknown entities.
func (r *argumentReader) read(args any, signal *interrupt.Signal, keys *naming.Cache, limits document.Limits) arguments {
	r.keys, r.signal = keys, signal
	document.Read(args, r, limits)
	if r.namesSecret { // {"name": "DB_PASSWORD", "value": …}
		r.args = slices.DeleteFunc(r.args, func(a argument) bool { return a.key.Traits.Has(naming.TraitSettingValue) })
	}
	return r.args
}

// typeOf returns the type that an argument with the given id names, or "".
func (r *argumentReader) typeOf(id []byte) string {
	typ := ""
	for _, a := range r.args {
		if a.id == string(id) && a.key.Class == naming.ClassTypedID {
			typ = cmp.Or(a.key.Noun, typ)
		}
	}
	return typ
}

// ids returns the values of the arguments, in their order.
func (r *argumentReader) ids() []string {
	ids := make([]string, len(r.args))
	for i := range ids {
		ids[i] = r.args[i].id
	}
	return ids
}

// has reports whether an argument is an id.
func (r *argumentReader) has(id string) bool {
	return slices.ContainsFunc(r.args, func(a argument) bool { return a.id == id })
}

// reset empties the reader and keeps its memory, except buffers larger than most bytes.
func (r *argumentReader) reset(most int) {
	clear(r.args)
	clear(r.words[:cap(r.words)])
	clear(r.stack[:cap(r.stack)])
	*r = argumentReader{stack: finding.Emptied(r.stack, most), args: finding.Emptied(r.args, most), words: finding.Emptied(r.words, most)}
}

// uses returns the entities that a call's arguments name.
func uses(args arguments, tool naming.Tool) []memory.Ref {
	var refs []memory.Ref
	for _, a := range args {
		if ref, ok := a.ref(tool); ok {
			refs = append(refs, ref)
		}
	}
	return refs
}

// ref returns the entity that an argument names and reports whether it can name one.
func (a *argument) ref(tool naming.Tool) (memory.Ref, bool) {
	switch a.key.Class {
	case naming.ClassID, naming.ClassWeakID:
		return memory.Ref{Type: tool.Noun, ID: a.id}, true
	case naming.ClassTypedID:
		return memory.Ref{Type: a.key.Noun, ID: a.id}, true
	case naming.ClassName, naming.ClassTypedName, naming.ClassPlain, naming.ClassNoise:
		if tool.Noun != "" && a.key.Noun == tool.Noun { // delete_branch {"branch": "fix-1"}
			return memory.Ref{Type: tool.Noun, ID: a.id}, true
		}
		s := shape.Of([]byte(a.id))
		return memory.Ref{Type: a.key.Noun, ID: a.id}, s >= shape.LikelyID || s == shape.MaybeID && a.kind == document.String && len(a.id) >= 3
	}
	return memory.Ref{}, false
}

// kindArgument returns the type named by an argument of a tool that works on any kind
// of resource, as in kubectl_get {"resource": "pods"}. It is empty if there is no
// such argument.
func kindArgument(args arguments, tool naming.Tool) string {
	cluster := slices.ContainsFunc(tool.Words, func(w string) bool { return w == "kubectl" || w == "kubernetes" || w == "k8s" })
	for kind := range args.under(&vocabulary.KindKeys) {
		if cluster {
			return naming.KindNoun(strings.ToLower(kind))
		}
		if typ := naming.PlausibleType([]byte(kind)); typ != "" {
			return typ
		}
	}
	return ""
}

// rowsNoun returns the type of the rows of a data file whose path is among the arguments: user for
// users.csv. It is empty if no such file has a name that ends in a plural.
func rowsNoun(args arguments) string {
	for file := range args.under(&vocabulary.PathKeys) {
		stem, extension, _ := strings.Cut(file[strings.LastIndexAny(file, "/\\")+1:], ".")
		if noun := naming.PluralNoun(stem); noun != "" && vocabulary.DataFiles.Has(strings.ToLower(extension)) {
			return noun
		}
	}
	return ""
}

// ownArgument returns the argument that identifies the tool's subject: user_id or id
// for get_user. It is the zero Ref unless there is exactly one.
func ownArgument(args arguments, tool naming.Tool) memory.Ref {
	var own, generic []string
	for _, a := range args {
		switch {
		case a.deep || a.key.Plural:
		case a.key.Class == naming.ClassID:
			generic = append(generic, a.id)
		case a.key.Class == naming.ClassTypedID && a.isOf(tool.Noun):
			own = append(own, a.id)
		}
	}
	if len(own) == 0 {
		own = generic
	}
	if len(own) != 1 {
		return memory.Ref{}
	}
	return memory.Ref{Type: tool.Noun, ID: own[0]}
}

// subjectOf returns the description of a call whose arguments describe it: the tool
// that a proxy calls, the command of a shell, the table of a query. A tool with a subject
// of its own keeps it.
func subjectOf(tool naming.Tool, args *argumentReader, listed string) naming.Tool {
	if len(args.commands) == 0 && listed != "" { // git_log
		tool.Noun, tool.Plural, tool.Lists = listed, true, true
		return tool
	}
	called := args.called()
	if tool.Verb == "" && called.Verb != "" { // page {"action": "delete"}
		tool.Verb, tool.Effect, tool.Detaches = called.Verb, called.Effect, called.Detaches
	}
	switch {
	case tool.Noun != "" && !vocabulary.GenericNouns.Has(tool.Noun) && !vocabulary.RunnerNouns.Has(naming.LastWord(tool.Noun)):
		return tool
	case called.Noun != "":
		return called
	}
	if called = naming.ParseQuery(args.command.id); called.Verb != "" {
		for name, value := range naming.Literals(args.command.id) {
			args.key = args.keys.Key([]byte(name))
			if called.Effect == naming.EffectDeleted && (args.key.Class == naming.ClassID || args.key.Noun != "" && english.SameNoun(args.key.Noun, called.Noun)) {
				args.scalar(document.String, []byte(value))
			}
		}
		args.command, args.commands = argument{}, nil // its name tells what it does
		called.Source = cmp.Or(tool.Source, called.Source)
		return called
	}
	noun := cmp.Or(listed, naming.CommandNoun(args.commands))
	if args.command.key != nil {
		if vocabulary.CommandKeys.Has(args.command.key.Snake) {
			tool.Noun, tool.Lists = "", true
			if verb, _, _ := strings.Cut(args.command.id, " "); !vocabulary.QueryVerbs.Has(strings.ToLower(verb)) {
				args.command.id = "" // no query
			}
		}
		noun = cmp.Or(noun, naming.TableNoun(args.command.id))
	}
	if noun != "" {
		tool.Noun, tool.Plural, tool.Lists = noun, true, true
		tool.Words = append(strings.Split(noun, "_"), tool.Words...)
	}
	return tool
}

// isOf reports whether the key of an argument names a type.
func (a *argument) isOf(noun string) bool {
	return noun != "" && a.key.Noun != "" && english.SameNoun(a.key.Noun, noun)
}

// address describes an HTTP request that deletes or changes a thing. The tool gets the verb and the
// noun of the request, and the address among the arguments is replaced by the thing's id:
// http_request {"method": "DELETE", "url": "https://api.example.com/webhooks/wh_31aa"}.
func (r *argumentReader) address(tool naming.Tool) naming.Tool {
	method, address := "", ""
	switch {
	case tool.SendsRequests(): // http_delete
		method = tool.Verb
	case tool.Noun != "" && !vocabulary.GenericNouns.Has(tool.Noun) && !vocabulary.RunnerNouns.Has(tool.Noun):
		return tool
	}
	for given := range r.args.under(&vocabulary.MethodKeys) {
		method = strings.ToLower(given)
	}
	for given := range r.args.under(&vocabulary.LocationKeys) {
		if address == "" && strings.Contains(given, "/") {
			address = given
		}
	}
	if address == "" {
		return tool
	}
	switch method {
	case "delete":
		tool.Verb, tool.Effect = method, naming.EffectDeleted
	case "put", "patch":
		tool.Verb, tool.Effect = "update", naming.EffectUpdated
	case "post":
	default:
		return tool
	}
	// The address and the method are not things that the call names: /v1/boats/12 is not a file.
	r.args = slices.DeleteFunc(r.args, func(a argument) bool { return a.id == address || vocabulary.MethodKeys.Has(a.key.Snake) })
	if noun, id := naming.Addressed(address); id != "" && method != "post" {
		r.args, tool.Noun = append(r.args, argument{key: r.keys.Key([]byte("id")), id: id}), noun
	}
	return tool
}

// called returns the description of the operation or of the other tool that a tool calls.
func (r *argumentReader) called() naming.Tool {
	for name := range r.args.under(&vocabulary.CalledKeys) {
		if called := naming.ParseTool(name); !strings.Contains(name, " ") && (called.Noun != "" || called.Verb != "") {
			return called
		}
	}
	return naming.Tool{}
}

// commandsOf returns the commands that a tool runs. The arguments may be a list of words, in which case the
// program may be the tool: aws_cli {"args": ["ec2", "describe-subnets"]}.
func (r *argumentReader) commandsOf(tool naming.Tool) []naming.Command {
	isCommand := r.command.key != nil && vocabulary.CommandKeys.Has(r.command.key.Snake)
	switch {
	case isCommand && len(r.words) > 0 && !strings.Contains(r.command.id, " "): // {"command": "git", "args": ["log"]}
		return naming.CommandsOf(append([]string{r.command.id}, r.words...))
	case isCommand:
		return naming.Commands(r.command.id)
	case len(r.words) == 0:
		return nil
	}
	commands := naming.CommandsOf(r.words)
	if naming.CommandNoun(commands) == "" && len(tool.Words) > 0 && !vocabulary.RunnerNouns.Has(tool.Words[0]) {
		if own := naming.CommandsOf(append([]string{tool.Words[0]}, r.words...)); naming.CommandNoun(own) != "" {
			return own
		}
	}
	return commands
}
