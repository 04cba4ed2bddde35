package evaluation

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// shellKind is the kind of a reference in a command line or in the name of a file; "" for an argument
// as a whole.
type shellKind string

// Kinds that are not known by the form of a token: processes behind kill, and tables that SQL names,
// which count apart.
const (
	shellPid   shellKind = "pid"
	shellTable shellKind = "table"
)

const (
	codeExtension = `\.(?:py|pyi|go|rs|js|jsx|ts|tsx|ex|exs|heex|java|rb|c|h|cc|cpp|hpp|cs|php|kt|swift|sh|sql|md|rst|txt|json|jsonl|yaml|yml|toml|cfg|ini|html|css|scss|lock|xml|csv|log|po|mod|sum|conf|tf|proto|ipynb)`
	// maxCommandRunes is how much of an argument is read, and maxPids how many numbers of a result.
	maxCommandRunes, maxPids = 4000, 2000
)

var (
	shellToken = regexp.MustCompile(`[A-Za-z0-9_./~@+-][\p{L}\p{N}_./~@+:-]*`)
	uuidForm   = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	testForm   = regexp.MustCompile(`^[\p{L}\p{N}_./-]+` + codeExtension + `::`)
	hashForm   = regexp.MustCompile(`^[0-9a-f]{7,40}$`)
	pathForm   = regexp.MustCompile(`^(?:~|\.{1,2})?/?(?:[\p{L}\p{N}_.@+-]+/)+[\p{L}\p{N}_.@+-]*$`)
	fileForm   = regexp.MustCompile(`^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*` + codeExtension + `$`)
	issueForm  = regexp.MustCompile(`^[a-z]{3,15}-[a-z0-9]{2,4}(?:\.\d+)?$`)
	issueDigit = regexp.MustCompile(`-[a-z0-9]*\d`)
	withCode   = regexp.MustCompile(codeExtension + `$`)
	lineNumber = regexp.MustCompile(`:\d+(?::\d+)?:?$`)
	hereDoc    = regexp.MustCompile(`<<-?\s*['"]?\w+`)
	killed     = regexp.MustCompile(`\b(?:kill(?: -\w+)?|ps -p|lsof -p) (\d{2,7})\b`)
	sqlQuery   = regexp.MustCompile(`(?is)\bselect\b.+\bfrom\b|\binsert\s+into\b|\bcreate\s+table\b|\bdelete\s+from\b|\bupdate\b.+\bset\b`)
	sqlTable   = regexp.MustCompile("(?i)\\b(?:from|join|into|update|table)\\s+(?:if\\s+(?:not\\s+)?exists\\s+)?[\"`\\[]?([A-Za-z_][\\p{L}\\p{N}_.]{2,})")
	sqlWord    = regexp.MustCompile(`[A-Za-z_][\p{L}\p{N}_.]{2,}`)
	// proseKeys are arguments that hold texts rather than commands.
	proseKeys = setOf("old_string", "new_string", "content", "prompt", "description", "file_text", "plan", "query", "_raw")
)

// shellKindOf returns the kind of reference that a cleaned token is, or "".
func shellKindOf(t string) shellKind {
	switch {
	case uuidForm.MatchString(t):
		return "uuid"
	case strings.Contains(t, "::") && testForm.MatchString(t):
		return "test"
	case hashForm.MatchString(t) && strings.ContainsAny(t, "0123456789") && strings.ContainsAny(t, "abcdef"):
		return "hash"
	case strings.Contains(t, "/") && isShellPath(t):
		return "path"
	case len(t) > 4 && strings.Contains(t, ".") && fileForm.MatchString(t):
		return "file"
	case strings.Contains(t, "-") && issueForm.MatchString(t) && issueDigit.MatchString(t):
		return "issue"
	}
	return ""
}

// isShellPath reports whether a token is a path of a file with an extension of code, or has several
// directories.
func isShellPath(t string) bool {
	if len(t) <= 3 || strings.Trim(t, "0123456789./") == "" || !pathForm.MatchString(t) {
		return false
	}
	rooted := strings.HasPrefix(t, "/") || strings.HasPrefix(t, "./") || strings.HasPrefix(t, "~/")
	return withCode.MatchString(t) || rooted && strings.Count(strings.TrimRight(t, "/"), "/") > 1 || strings.Count(t, "/") > 1
}

// cleanShell returns a token without punctuation, a line number, the prefix of a diff and "./".
func cleanShell(t string) string {
	if t = strings.TrimRight(t, ".,;:"); !strings.Contains(t, "::") {
		t = lineNumber.ReplaceAllString(t, "")
	}
	if len(t) > 2 && (t[0] == 'a' || t[0] == 'b') && t[1] == '/' && withCode.MatchString(t) {
		t = t[2:]
	}
	for strings.HasPrefix(t, "./") {
		t = t[2:]
	}
	return strings.TrimRight(t, "/")
}

// shellTokens calls visit for each token of a text that may be a reference, in order.
func shellTokens(text string, visit func(token string, kind shellKind)) {
	for _, t := range shellToken.FindAllString(text, -1) {
		if t = cleanShell(t); t == "" {
			continue
		}
		if kind := shellKindOf(t); kind != "" {
			visit(t, kind)
		}
	}
}

// shellSeen are the tokens and the words of results so far. Results are read once a call may refer to them.
type shellSeen struct {
	unread        []*Step
	tokens, words wordSet
}

// read reads the results that were not read yet.
func (s *shellSeen) read() {
	if s.tokens == nil {
		s.tokens, s.words = wordSet{}, wordSet{}
	}
	for _, step := range s.unread {
		text := step.ResultText()
		shellTokens(text, func(t string, _ shellKind) { s.tokens[t] = struct{}{} })
		pids := 0
		for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return !inWord(r) && r != '.' }) {
			if n := len(run); 2 <= n && n <= 7 && pids < maxPids && strings.Trim(run, "0123456789") == "" {
				s.tokens[run] = struct{}{}
				pids++
			}
		}
		for _, word := range sqlWord.FindAllString(text, -1) {
			s.words[word] = struct{}{}
		}
	}
	s.unread = nil
}

// needed returns the shell references of a call that the user did not type, each once.
func (s *shellSeen) needed(call *Step, user string) (refs []Reference) {
	add := func(in wordSet, value string, kind shellKind) {
		again := slices.ContainsFunc(refs, func(r Reference) bool { return r.Value == value && (r.shell == shellTable) == (kind == shellTable) })
		if _, ok := in[value]; ok && !again && (kind == shellPid || !strings.Contains(user, value)) {
			refs = append(refs, Reference{Key: string(kind), Value: value, shell: kind})
		}
	}
	for arg := range call.arguments().scalars() {
		if arg.kind != document.String {
			continue
		}
		s.read()
		if _, isProse := proseKeys[arg.at.key()]; !isProse {
			command := firstRunes(hereDoc.Split(arg.text, 2)[0], maxCommandRunes)
			shellTokens(command, func(t string, kind shellKind) { add(s.tokens, t, kind) })
			for _, m := range killed.FindAllStringSubmatch(command, -1) {
				add(s.tokens, m[1], shellPid)
			}
		}
		if sqlQuery.MatchString(arg.text) {
			for _, m := range sqlTable.FindAllStringSubmatch(arg.text, -1) {
				add(s.words, m[1], shellTable)
			}
		}
	}
	return refs
}

// showsShell reports whether the block has a shell reference as an id.
func (v *blockView) showsShell(ref *Reference) bool {
	if _, ok := v.byID[ref.Value]; ok || ref.shell == shellTable {
		return ok
	}
	for id := range v.byID {
		if strings.Contains(id, ref.Value) && cleanShell(id) == ref.Value {
			return true
		}
	}
	return false
}
