package extractor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/interrupt"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/reading"
	"github.com/go-workingmemory/workingmemory/extractor/internal/record"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
)

const (
	// maxByRule is the length in bytes of the longest text that rules read.
	maxByRule = 256 << 10
	// maxBlock is the number of bytes in which an expression for several lines can match.
	maxBlock = 2 << 10
	// maxRecord is how much of a record of lines is searched for the key of its identifier, and maxRecordKeys
	// the number of its lines.
	maxRecord     = 8 << 10
	maxRecordKeys = 512
)

// readByRules applies the rules for the commands of a call to a result, and returns what they leave unread.
func (e *extraction) readByRules(result any, rules []match, commands []naming.Command) any {
	if len(rules) == 0 {
		return result
	}
	rules = slices.DeleteFunc(slices.Clone(rules), func(m match) bool { return !m.readsOutput(commands) })
	text := partsOf(reading.HeadOf(result, maxByRule+1))
	if len(rules) == 0 || len(text) == 0 || len(text) > maxByRule {
		return result
	}
	covered := coversAll(rules, commands)
	e.mixed = !covered
	before := e.set.Len()
	for i := range rules {
		m := &rules[i]
		if m.Below && covered {
			if listed := underHeadings(text, m.command.Path); listed != nil {
				e.call.Directory, e.call.Listed = "", false
				return listed
			}
		}
		if m.selects() {
			e.addRecords(m, func(tree document.Visitor) { document.ReadText(text, tree, e.x.limits.document()) })
			if e.set.Len() > before {
				return ""
			}
		}
	}
	rest, found := e.restOf(secret.Redact(text), rules)
	only := covered && !slices.ContainsFunc(rules, func(m match) bool { return !m.Only && !m.Skip && m.Effect == "" })
	skip := only && !slices.ContainsFunc(rules, func(m match) bool { return !m.Skip })
	switch {
	case skip || found && only:
		return ""
	case !found:
		return result
	}
	return rest
}

// partsOf returns the text in an MCP result with one part, {"content": [{"text": …}]}, or else the text itself.
func partsOf(text []byte) []byte {
	var result struct {
		Content []struct{ Text string }
	}
	if !bytes.HasPrefix(text, []byte(`{"content"`)) || json.Unmarshal(text, &result) != nil || len(result.Content) != 1 || result.Content[0].Text == "" {
		return text
	}
	return []byte(result.Content[0].Text)
}

// coversAll reports whether there is a rule for each command whose output may be in the result. That of
// others, cat notes.txt, may look as if it were from one of these.
func coversAll(rules []match, commands []naming.Command) bool {
	for i := range commands {
		c := &commands[i]
		isFilter := vocabulary.FilterCommands.Has(c.Program) && i > 0 && commands[i-1].Piped
		if !vocabulary.SilentCommands.Has(c.Program) && !c.Piped && !isFilter &&
			!slices.ContainsFunc(rules, func(m match) bool { return m.command == c }) {
			return false
		}
	}
	return true
}

// restOf reads the lines that rules match, and returns the other lines.
func (e *extraction) restOf(text []byte, rules []match) (rest []byte, found bool) {
	tabled := map[*naming.Command]bool{} // commands whose table was read
	for len(text) > 0 && !e.signal.After(interrupt.Event) {
		n := 0
		for _, last := range []bool{false, true} { // a second table is more likely that of another command
			for i := 0; i < len(rules) && n == 0; i++ {
				m := &rules[i]
				if tabled[m.command] == last {
					n = e.readBlock(text, m)
					tabled[m.command] = last || n > 0 && m.Form == FormTable
				}
			}
		}
		found = found || n > 0
		if n == 0 {
			if n = lineEnd(text); !isDrawn(text[:n]) {
				rest = append(rest, text[:n]...)
			}
		}
		text = text[n:]
	}
	return rest, found
}

// isDrawn reports whether a line holds nothing but what is drawn around tables.
func isDrawn(line []byte) bool {
	return len(bytes.TrimSpace(line)) > 0 && len(bytes.Trim(line, " \t\r\n-=+|*")) == 0
}

// lineEnd returns the length of the first line of a text with its line break.
func lineEnd(text []byte) int {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return min(len(line)+1, len(text))
}

// readBlock reads the beginning of a text if the rule matches there, and returns the number of bytes read.
func (e *extraction) readBlock(text []byte, m *match) int {
	end := lineEnd(text)
	line := bytes.TrimRight(text[:end], " \t\r\n")
	for _, re := range m.drop {
		if re.Match(line) {
			return end
		}
	}
	for _, re := range m.lines {
		block := line
		if re.several {
			block = text[:min(len(text), maxBlock)]
		}
		last := 0
		for _, at := range re.FindAllSubmatchIndex(block, re.most) {
			e.addParts(m, re.Regexp, block, at)
			last = at[1]
		}
		if last > 0 {
			return max(end, last+lineEnd(text[last:]))
		}
	}
	switch {
	case m.Form == FormTable && m.isHeader(line):
		end = tableEnd(text)
		e.addRecords(m, func(tree document.Visitor) { document.Table(text[:end], tree, e.x.limits.document()) })
		return end
	case m.Form == FormRecords:
		return e.readRecord(text, m)
	}
	return 0
}

// titles returns the column titles that a field of a rule allows: a, b and c for "a|b, c".
func titles(path string) []string { return strings.Split(strings.ReplaceAll(path, ", ", "|"), "|") }

// isHeader reports whether a line holds the titles of the columns that a rule needs.
func (r *Rule) isHeader(line []byte) bool {
	for _, column := range [...]string{r.ID, r.Name, r.Description} {
		has := func(title string) bool { return containsWord(line, title) }
		if column != "" && !slices.ContainsFunc(titles(column), has) {
			return false
		}
	}
	return true
}

// tableEnd returns the length of the table that a text begins with. The table ends before a blank line, before its
// titles repeated, and before a line that does not fit its columns, which is the output of another command.
func tableEnd(text []byte) int {
	end := lineEnd(text)
	header := bytes.TrimRight(text[:end], " \r\n")
	columns := columnsOf([]rune(string(header)))
	for next := range bytes.Lines(text[end:]) {
		line := bytes.TrimRight(next, " \r\n")
		if len(line) == 0 || bytes.Equal(line, header) || !isDrawn(line) && !isBelow([]rune(string(line)), columns) {
			break
		}
		end += len(next)
	}
	return end
}

// columnsOf returns the beginnings and ends of the titles that follow a gap of spaces. It returns none if tabs or
// bars separate the columns.
func columnsOf(header []rune) (columns [][2]int) {
	for i := 2; i < len(header); i++ {
		switch {
		case strings.ContainsRune("\t|│┃", header[i]):
			return nil
		case header[i] == ' ' || header[i-1] != ' ' || header[i-2] != ' ':
			continue
		}
		end := slices.Index(header[i:], ' ') + i
		if end < i {
			end = len(header)
		}
		columns = append(columns, [2]int{i, end})
	}
	return columns
}

// isBelow reports whether at least half of the columns that a line reaches begin or end where its cells do.
func isBelow(line []rune, columns [][2]int) bool {
	isSpace := func(i int) bool { return i >= len(line) || line[i] == ' ' }
	has, crossed := 0, 0
	for _, c := range columns {
		if c[0] <= len(line) {
			has++
			if !isSpace(c[0]-1) && !isSpace(c[1]) {
				crossed++
			}
		}
	}
	return len(columns) == 0 || has == 0 && !slices.Contains(line, ' ') || has > 0 && 2*crossed <= has
}

// readRecord reads lines with keys and values from the beginning of a text, up to a line without a key or
// with a repeated one. It returns their length, or 0 if no line has the identifier's key.
func (e *extraction) readRecord(text []byte, m *match) int {
	ids := titles(m.ID)
	if !hasKey(text[:min(len(text), maxRecord)], ids) {
		return 0
	}
	n := &node{}
	end := 0
	for end < len(text) && len(n.names) < maxRecordKeys {
		line := text[end : end+lineEnd(text[end:])]
		key, value := keyAndValue(line)
		if len(key) == 0 || slices.Contains(n.names, string(key)) {
			break
		}
		n.names, n.children = append(n.names, string(key)), append(n.children, &node{scalar: string(bytes.Trim(value, `"'`))})
		end += len(line)
	}
	if !slices.ContainsFunc(ids, func(title string) bool { return slices.Contains(n.names, title) }) {
		return 0
	}
	e.addRecord(m, n, "$")
	return end
}

// hasKey reports whether one of the lines with keys that a text begins with has one of some keys.
func hasKey(text []byte, keys []string) bool {
	for line := range bytes.Lines(text) {
		key, _ := keyAndValue(line)
		if len(key) == 0 || slices.Contains(keys, string(key)) {
			return len(key) > 0
		}
	}
	return false
}

// keyAndValue splits a line at the first colon, equals sign or bar. The key is empty if there is none.
func keyAndValue(line []byte) (key, value []byte) {
	split := bytes.IndexAny(line, ":=|")
	return bytes.TrimSpace(line[:max(split, 0)]), bytes.TrimSpace(line[split+1:])
}

// addRecords adds the records that the paths of a rule select in a document.
func (e *extraction) addRecords(m *match, read func(document.Visitor)) {
	tree := treeBuilder{limits: &e.x.limits, signal: &e.signal}
	read(&tree)
	steps := splitPath(m.List)
	if len(steps) == 0 && tree.root != nil && tree.root.array {
		steps = []string{"*"}
	}
	tree.root.find(steps, "$", func(rec *node, at string) { e.addRecord(m, rec, at) })
	e.reader.Objects += tree.nodes
	e.reader.Cut = e.reader.Cut || tree.cut
}

// addRecord adds one record.
func (e *extraction) addRecord(m *match, rec *node, at string) {
	field := func(path string) []byte {
		for _, title := range titles(path) {
			steps := []string{title}
			if m.Form == "" {
				steps = splitPath(title)
			}
			if text := rec.text(steps); text != "" && text != "-" && text != "<none>" {
				return []byte(text)
			}
		}
		return nil
	}
	for _, typ := range slices.Sorted(maps.Keys(m.Refs)) {
		e.addOne(m, &finding.Sighting{Type: typ, ID: field(m.Refs[typ]), Role: memory.RoleReference, Path: []byte(at)}, nil)
	}
	var facts [][]byte
	for path := range strings.SplitSeq(m.Description, ", ") {
		if fact := field(path); fact != nil {
			facts = append(facts, fact)
		}
	}
	e.addOne(m, &finding.Sighting{Type: m.typ, ID: field(m.ID), Path: []byte(at), Name: field(m.Name), Description: bytes.Join(facts, []byte(", "))}, field(m.Alias))
}

// addParts adds the matches of an expression's groups in a text. at holds their positions.
func (e *extraction) addParts(m *match, re *regexp.Regexp, text []byte, at []int) {
	s, alias := finding.Sighting{Type: m.typ, Path: []byte("$[]")}, []byte(nil)
	for i, group := range re.SubexpNames() {
		if group == "" || at[2*i] < 0 {
			continue
		}
		text := bytes.TrimSpace(text[at[2*i]:at[2*i+1]])
		if len(text) == 0 {
			continue
		}
		switch group {
		case "id":
			s.ID = text
		case "alias":
			alias = text
		case "name":
			s.Name = text
		case "description":
			s.Description = text
		case "type":
			s.Type = kindOf(string(text))
		default:
			e.addOne(m, &finding.Sighting{Type: group, ID: text, Role: memory.RoleReference, Path: []byte("$[]")}, nil)
		}
	}
	e.addOne(m, &s, alias)
}

// addOne adds one sighting of a rule.
func (e *extraction) addOne(m *match, s *finding.Sighting, alias []byte) {
	if kind, id, ok := bytes.Cut(s.ID, []byte("/")); ok && (m.Type == "$1" || m.Type == "") && s.Role != memory.RoleReference { // service/web
		s.Type, s.ID = kindOf(string(kind)), id
	}
	if !record.IsPlausibleID(document.String, s.ID, true) || finding.IsSecretID(s.Type, s.ID) || secret.IsCardNumber(s.ID) {
		return
	}
	if s.Type == "" { // kubectl_describe {"kind": "pod"}
		s.Type = cmp.Or(e.call.Tool.Noun, memory.FallbackType)
	}
	doubtful := m.Effect == EffectGone && m.Of == "found" && e.mixed && !m.names(s.ID)
	if m.Candidate || doubtful && s.Role == memory.RoleRecord {
		s.Role = memory.RoleCandidate
	}
	s.Order = e.reader.Next()
	s.Path = secret.Redact(s.Path)
	s.Name, s.Description = record.NameText(s.Name), record.NameText(s.Description)
	if len(s.Name)+len(s.Description) == 0 && (shape.IsPath(s.ID) || shape.IsProgramName(s.ID) || !shape.HasDigit(s.ID)) {
		s.Name = s.ID
	}
	if len(alias) > 0 && !bytes.Equal(alias, s.ID) && record.IsPlausibleID(document.String, alias, false) {
		s.Aliases, s.AliasCount = append([]byte{'\n'}, alias...), 1
	}
	why := record.ByRule
	switch {
	case !e.set.Add(s):
		why = record.NoRoom
	case m.Of == "found" && s.Role != memory.RoleReference && m.command != nil && !m.command.Trial && !doubtful:
		e.found = append(e.found, deed{Ref: memory.Ref{Type: s.Type, ID: string(s.ID)}, did: m.act()})
	}
	if e.reader.Explain != nil {
		e.reader.Explain(reading.Judged{Path: s.Path, Value: s.ID, Why: why, Type: s.Type, Rule: m.String()})
	}
}

// names reports whether an operand of the rule's command is an identifier, also behind its kind: pod/web.
func (m *match) names(id []byte) bool {
	return slices.ContainsFunc(m.operands, func(word string) bool {
		return word[strings.LastIndexByte(word, '/')+1:] == string(id) || word == string(id)
	})
}

// splitPath returns the steps of a path.
func splitPath(p string) []string {
	return strings.FieldsFunc(p, func(r rune) bool { return r == '.' })
}
