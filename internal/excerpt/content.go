package excerpt

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	numberedLine = regexp.MustCompile(`^[0-9]+(:|\+) (.*)$`)
	labeledValue = regexp.MustCompile(`^(\$?(?:\.[^\s:\[\]"]+|\[[0-9]+\]|\["(?:[^"\\]|\\.)*"\])*): (.*)$`)
	memberLabel  = regexp.MustCompile(`^(?:\.([^\s:\[\]".]+)|\[("(?:[^"\\]|\\.)*")\])$`)
)

// Content returns what an excerpt shows of a text without the numbers, paths and notes: the lines,
// an object of the members, or an array of the values. Values that are cut are left out.
func Content(excerpt string) string {
	lines := strings.Split(excerpt, "\n")
	lines = lines[:len(lines)-1] // the note
	if len(lines) > 0 && numberedLine.MatchString(lines[0]) {
		return textOf(lines)
	}
	members, values := []string{}, []string{}
	for _, line := range lines {
		parts := labeledValue.FindStringSubmatch(line)
		if parts == nil || !jsontext.Value(parts[2]).IsValid() {
			continue
		}
		values = append(values, parts[2])
		if label := memberLabel.FindStringSubmatch(parts[1]); label != nil {
			key := label[2]
			if key == "" {
				key = `"` + label[1] + `"`
			}
			members = append(members, key+":"+parts[2])
		}
	}
	if len(members) == len(values) && len(members) > 0 {
		return "{" + strings.Join(members, ",") + "}"
	}
	return "[" + strings.Join(values, ",") + "]"
}

// textOf returns the text of numbered lines.
func textOf(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		parts := numberedLine.FindStringSubmatch(line)
		if parts == nil {
			continue
		}
		if i > 0 && parts[1] == ":" {
			b.WriteByte('\n')
		}
		b.WriteString(parts[2])
	}
	return b.String()
}
