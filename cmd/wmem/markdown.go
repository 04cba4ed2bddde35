package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// errNoMarks is returned for a Markdown file without marks for any of the tables.
var errNoMarks = errors.New("no marks for any of the tables")

// fillMarkdown writes tables into a Markdown file. Each replaces the text between the
// lines <!-- begin NAME --> and <!-- end NAME -->. A file need not have marks for all
// tables.
func fillMarkdown(path string, tables map[string]string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	filled, err := fill(string(text), tables)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(filled), 0o644)
}

// fill replaces the text between the marks of each table.
func fill(text string, tables map[string]string) (string, error) {
	var marked bool
	names := slices.Sorted(maps.Keys(tables))
	for _, name := range names {
		begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
		head, rest, ok := strings.Cut(text, begin)
		if !ok {
			continue
		}
		_, tail, ok := strings.Cut(rest, end)
		if !ok {
			return "", fmt.Errorf("%q is not followed by %q", strings.TrimSpace(begin), end)
		}
		text = head + begin + tables[name] + end + tail
		marked = true
	}
	if !marked {
		return "", fmt.Errorf("%w: %s", errNoMarks, strings.Join(names, ", "))
	}
	return text, nil
}

// tables returns the tables by name. Names end in the encoding, so that a file can
// show several.
func tables(reports []fileReport) map[string]string {
	if len(reports) == 0 {
		return nil
	}
	var survival, placement strings.Builder
	for i := range reports {
		writeSurvivalTable(&survival, &reports[i])
		writePlacementTable(&placement, &reports[i])
	}
	encoding := " " + reports[0].Encoding
	all := map[string]string{"survival" + encoding: survival.String() + "\n"}
	if placement.Len() > 0 {
		all["placement"+encoding] = placement.String() + "\n"
	}
	return all
}

func writeSurvivalTable(b *strings.Builder, r *fileReport) {
	if len(r.Methods) == 0 {
		return
	}
	fmt.Fprintf(b, "\n`%s`: %d episodes, %d tool calls, %d references\n\n",
		printable(r.Traces), r.Episodes, r.Methods[0].ToolCalls, r.Methods[0].References)
	names, rows := figureTable(r.Methods)
	writeHeader(b, "method", names)
	for i := range r.Methods {
		writeRow(b, r.Methods[i].Method, rows[i])
	}
}

func writePlacementTable(b *strings.Builder, r *fileReport) {
	rows := placementRows(r.Methods)
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n`%s`: %d model calls\n\n", printable(r.Traces), rows[0].reuse.Calls)
	writeHeader(b, "placement", placementNames[:])
	for i := range rows {
		writeRow(b, rows[i].title(), rows[i].columns())
	}
}

func writeHeader(b *strings.Builder, first string, columns []string) {
	writeRow(b, first, columns)
	b.WriteString("|---|" + strings.Repeat("---:|", len(columns)) + "\n")
}

func writeRow(b *strings.Builder, first string, columns []string) {
	fmt.Fprintf(b, "| %s | %s |\n", first, strings.Join(columns, " | "))
}
