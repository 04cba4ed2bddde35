package shell

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	maxLine     = 16 << 10 // bytes of a line that are read
	maxInput    = 2 << 10  // bytes of a here-document
	maxCommands = 64
	maxDepth    = 4   // command lines within each other
	maxVariable = 128 // bytes of the value of a variable
	maxOpen     = 512 // brackets that a line opens
)

// Parse returns the simple commands of a command line in order. The commands of a substitution come
// before the command that uses their output.
func Parse(line string) []Command {
	r := reader{variables: map[string]string{"HOME": "~"}}
	r.line(line, Place{})
	return r.commands
}

// ParseWords returns the simple commands of a command given as a list of words: bash, -lc, "cd a; ls".
func ParseWords(words []string) []Command {
	r := reader{variables: map[string]string{}}
	r.run(words, Command{})
	return r.commands
}

// reader collects the commands of a line.
type reader struct {
	source    string // of the positions in the tree
	commands  []Command
	dir, host string
	variables map[string]string
	depth     int
}

// line reads a command line, which may be within another one. The directory is restored afterwards.
func (r *reader) line(line string, at Place) {
	if r.depth == maxDepth {
		return
	}
	outer := *r
	r.depth++
	line = line[:min(len(line), maxLine)]
	file, source, err := parse(line)
	if r.source = source; err == nil {
		r.statements(file.Stmts, at)
	} else {
		r.split(line, at)
	}
	r.source, r.dir, r.depth = outer.source, outer.dir, outer.depth
}

// parse returns the syntax tree of a line and the text that its positions refer to. It closes a truncated
// here-document.
func parse(line string) (*syntax.File, string, error) {
	if strings.Count(line, "(")+strings.Count(line, "{ ") > maxOpen {
		return nil, line, errors.New("too deep")
	}
	parser := syntax.NewParser()
	file, err := parser.Parse(strings.NewReader(line), "")
	var failed syntax.ParseError
	errors.As(err, &failed)
	if stop, unquoteErr := strconv.Unquote(strings.TrimPrefix(failed.Text, "unclosed here-document ")); unquoteErr == nil {
		line += "\n" + stop + "\n"
		file, err = parser.Parse(strings.NewReader(line), "")
	}
	return file, line, err
}

func (r *reader) statements(list []*syntax.Stmt, at Place) {
	for _, s := range list {
		r.statement(s, at)
	}
}

// statement reads a statement with its redirections. Redirections of a compound command go to its last command.
func (r *reader) statement(s *syntax.Stmt, at Place) {
	if s == nil || len(r.commands) >= maxCommands {
		return
	}
	at.Background = at.Background || s.Background
	c := Command{Place: at}
	for _, redirect := range s.Redirs {
		r.redirect(redirect, &c)
	}
	if call, ok := s.Cmd.(*syntax.CallExpr); ok || s.Cmd == nil {
		r.call(call, c)
		return
	}
	first := len(r.commands)
	r.compound(s.Cmd, c.Place)
	if n := len(r.commands); n > first {
		last := &r.commands[n-1]
		last.Writes, last.Reads = append(last.Writes, c.Writes...), append(last.Reads, c.Reads...)
		last.Input = cmp.Or(last.Input, c.Input)
	}
}

// redirect records the files that a redirection reads and writes.
func (r *reader) redirect(redirect *syntax.Redirect, c *Command) {
	file := r.word(redirect.Word)
	isOutput := redirect.N == nil || redirect.N.Value == "1"
	switch redirect.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if redirect.Hdoc != nil {
			text := r.text(redirect.Hdoc)
			c.Input = cut(text[:strings.LastIndexByte(text, '\n')+1]) // without the word that ends it
		}
	case syntax.WordHdoc:
		c.Input = cut(file)
	case syntax.RdrIn:
		c.Reads = append(c.Reads, file)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		c.Piped, c.Captured = c.Piped || isOutput, c.Captured || isOutput
		c.write(file)
	}
}

// write records that a command writes a file.
func (c *Command) write(file string) {
	if !strings.HasPrefix(file, "/dev/") {
		c.Writes = append(c.Writes, file)
	}
}

// compound reads the commands within a compound command.
func (r *reader) compound(command syntax.Command, at Place) {
	dir := r.dir
	maybe := at
	maybe.Conditional = true
	switch c := command.(type) {
	case *syntax.BinaryCmd:
		left, right := at, at
		switch c.Op {
		case syntax.Pipe, syntax.PipeAll:
			left.Piped = true
		case syntax.OrStmt:
			right.Conditional = true
		}
		r.statement(c.X, left)
		r.statement(c.Y, right)
	case *syntax.Subshell:
		r.statements(c.Stmts, at)
		r.dir = dir
	case *syntax.Block:
		r.statements(c.Stmts, at)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.statements(c.Cond, at)
			r.statements(c.Then, maybe)
		}
	case *syntax.WhileClause:
		r.statements(c.Cond, at)
		r.statements(c.Do, at)
	case *syntax.ForClause:
		if loop, ok := c.Loop.(*syntax.WordIter); ok {
			for _, item := range loop.Items {
				r.word(item)
			}
			delete(r.variables, loop.Name.Value)
		}
		r.statements(c.Do, at)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			r.statements(item.Stmts, maybe)
		}
	case *syntax.FuncDecl:
		r.statement(c.Body, maybe)
		r.dir = dir
	case *syntax.TimeClause:
		r.statement(c.Stmt, at)
	case *syntax.CoprocClause:
		r.statement(c.Stmt, at)
	case *syntax.DeclClause:
		r.assign(c.Args)
	}
}

// assign records the values of variables that the line sets.
func (r *reader) assign(assigns []*syntax.Assign) {
	for _, a := range assigns {
		if a.Name == nil {
			continue
		}
		value := r.word(a.Value)
		if delete(r.variables, a.Name.Value); len(value) <= maxVariable && !strings.ContainsAny(value, "$`") && a.Array == nil && !a.Append {
			r.variables[a.Name.Value] = value
		}
	}
}

// call reads a simple command, which c describes except for its words. It may only assign.
func (r *reader) call(call *syntax.CallExpr, c Command) {
	var words []string
	if call != nil {
		for _, arg := range call.Args {
			words = append(words, r.word(arg))
		}
		r.assign(call.Assigns)
	}
	if len(words) == 0 && len(c.Writes) > 0 { // > file
		words = []string{":"}
	}
	r.run(words, c)
}

// run adds the command in words, or the commands that it runs.
func (r *reader) run(words []string, c Command) {
	for len(words) > 0 && len(r.commands) < maxCommands {
		c.Program = strings.TrimPrefix(path.Base(words[0]), `\`)
		c.Words, c.Dir, c.Host = words[1:], r.dir, r.host
		rest, host := runBy(&c)
		if host != "" && len(rest) == 0 && c.Input != "" { // ssh host <<EOF
			rest = []string{"sh"}
		}
		switch {
		case len(rest) > 0 && host != "":
			r.runOn(host, rest, c)
			return
		case len(rest) == 0:
			if script, ok := scriptOf(&c); ok {
				r.line(script, c.Place)
			} else {
				r.add(c)
			}
			return
		}
		words = rest
	}
}

// runOn runs words on a host or in a container, where the directory is not known.
func (r *reader) runOn(host string, words []string, c Command) {
	if c.Program != "ssh" {
		r.commands = append(r.commands, c)
	}
	outer, dir := r.host, r.dir
	r.host, r.dir = host[strings.LastIndexByte(host, '@')+1:], ""
	if c.Program == "ssh" && len(words) > 0 && words[0] != "sh" {
		r.line(strings.Join(words, " "), c.Place)
	} else {
		r.run(words, c)
	}
	r.host, r.dir = outer, dir
}

// runBy returns the words of the command that a command runs, and the host that it runs them on.
func runBy(c *Command) (words []string, host string) {
	words = c.Words
	by, ok := runners()[c.Program]
	if !ok {
		at := slices.IndexFunc(words[:min(len(words), 5)], func(word string) bool { return word == "exec" || word == "run" || word == "-m" })
		if at < 0 {
			return nil, ""
		}
		if by, ok = runners()[c.Program+" "+words[at]]; !ok {
			return nil, ""
		}
		words = words[at+1:]
	}
	words = by.behindFlags(words)
	if by.operands > 0 && len(words) > 0 {
		if by.remote {
			host = words[0]
		}
		words = by.behindFlags(words[1:])
	}
	return words, host
}

// behindFlags returns the words after the leading flags and assignments.
func (by *runner) behindFlags(words []string) []string {
	for i := 0; i < len(words); i++ {
		word := words[i]
		name, _, assigned := strings.Cut(word, "=")
		switch {
		case word == "--":
			return words[i+1:]
		case isFlag(word):
			if strings.Contains(by.flags, " "+word+" ") {
				i++
			}
		case !assigned || !syntax.ValidName(name):
			return words[i:]
		}
	}
	return nil
}

// scriptOf returns the command line that an interpreter runs: ls of bash -lc ls.
func scriptOf(c *Command) (script string, ok bool) {
	if c.Program == "eval" {
		return strings.Join(c.Words, " "), true
	}
	if !strings.Contains(interpreters, " "+c.Program+" ") {
		return "", false
	}
	if i := slices.IndexFunc(c.Words, isScriptFlag); i >= 0 && i+1 < len(c.Words) {
		return c.Words[i+1], true
	}
	return c.Input, c.Input != "" && len(c.Operands(nil)) == 0
}

// add adds a command, follows a change of the directory, and takes the files of tee.
func (r *reader) add(c Command) {
	if (c.Program == "git" || c.Program == "make") && len(c.Words) > 2 && c.Words[0] == "-C" {
		c.Dir, c.Words = join(c.Dir, c.Words[1]), c.Words[2:]
	}
	operands := c.Operands(nil)
	switch c.Program {
	case "tee":
		for _, file := range operands {
			c.write(file)
		}
	case "cd", "pushd", "chdir":
		to := append(operands, "~")[0]
		if r.dir = path.Clean(join(r.dir, to)); r.dir == "." || strings.ContainsAny(to, "$`") || slices.Contains(c.Words, "-") {
			r.dir = ""
		}
	case "popd":
		r.dir = ""
	}
	r.commands = append(r.commands, c)
}

// text returns the text of a node.
func (r *reader) text(node syntax.Node) string {
	from, to := node.Pos().Offset(), node.End().Offset()
	if from > to || to > uint(len(r.source)) {
		return ""
	}
	return r.source[from:to]
}

// cut returns the beginning of the text of a here-document.
func cut(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxInput)], "") }
