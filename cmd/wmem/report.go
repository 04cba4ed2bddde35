package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// writeReport writes the measurements on a file as tables, followed by advice.
func writeReport(w io.Writer, r *fileReport) error {
	var b bytes.Buffer
	part := ""
	if r.Part != "" {
		part = ", part " + r.Part
	}
	commands := ""
	if n := r.own().ShellReferences + r.own().Tables; n >= evaluation.FewReferences {
		commands = fmt.Sprintf(", %d in commands", n)
	}
	fmt.Fprintf(&b, "%s%s: %d episodes, %d tool calls, %d references%s; tokens of %s\n\n",
		printable(r.Traces), part, r.Episodes, r.own().ToolCalls, r.own().References, commands, r.Encoding)
	writeFigures(&b, r)
	writePrefix(&b, r.Methods)
	writeShown(&b, r.Methods)
	for i := range r.Methods {
		writeMisses(&b, &r.Methods[i])
	}
	if text := advice(r.own(), r.Methods, r.hasTools); text != "" {
		fmt.Fprintf(&b, "\n%s\n", text)
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

func writeFigures(b *bytes.Buffer, r *fileReport) {
	tab := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	names, rows := figureTable(r.Methods)
	fmt.Fprintf(tab, "%s\t  method\n", strings.Join(names, "\t"))
	mark := r.mark
	for i, row := range rows {
		fmt.Fprintf(tab, "%s\t  %s%s\n", strings.Join(row, "\t"), r.Methods[i].Method, mark)
		mark = ""
	}
	tab.Flush() // into memory: cannot fail
}

// figureNames are the column names of figures.
var figureNames = [...]string{"typed", "typed first", "coverage", "floor", "described", "distinct", "named", "shell", "shell floor", "tables", "precision", "in blocks", "mean tokens", "largest", "mean chars"}

// commandNames are those that few agents have.
var commandNames = [...]string{"shell", "shell floor", "tables"}

// figureTable returns the columns of methods and their names.
func figureTable(methods []evaluation.Report) (names []string, rows [][]string) {
	for i := range methods {
		rows = append(rows, figuresOf(&methods[i]))
	}
	return withoutEmpty(figureNames[:], rows)
}

// withoutEmpty returns a table without those columns of commandNames in which there are only dashes.
func withoutEmpty(names []string, rows [][]string) ([]string, [][]string) {
	isEmpty := func(column int) bool {
		return slices.Contains(commandNames[:], names[column]) && !slices.ContainsFunc(rows, func(row []string) bool { return strings.Trim(row[column], "-(), ") != "" })
	}
	kept := func(row []string) (cells []string) {
		for i, cell := range row {
			if !isEmpty(i) {
				cells = append(cells, cell)
			}
		}
		return cells
	}
	shown := make([][]string, len(rows))
	for i, row := range rows {
		shown[i] = kept(row)
	}
	return kept(names), shown
}

// figuresOf returns the columns of a method. Meaningless figures are dashes.
func figuresOf(m *evaluation.Report) []string {
	share := func(x float64, meaningful bool) string {
		if !meaningful {
			return "-"
		}
		return fmt.Sprintf("%.3f", x)
	}
	floor, shellFloor := "-", "-"
	if m.Floor != nil {
		floor = share(*m.Floor, m.References > 0)
	}
	if m.ShellFloor != nil {
		shellFloor = share(*m.ShellFloor, true)
	}
	return []string{
		share(m.Typed, !m.Text && m.References > 0), share(m.TypedFirst, !m.Text && m.FirstUses >= evaluation.FewReferences), share(m.Coverage, m.References > 0), floor,
		share(m.Described, !m.Text && m.Describable >= evaluation.FewReferences), share(m.Distinct, !m.Text && m.AmongSeveral >= evaluation.FewReferences),
		share(m.Named, m.Nameable >= evaluation.FewReferences),
		share(m.Shell, m.ShellReferences >= evaluation.FewReferences), shellFloor, share(m.TablesShown, !m.Text && m.Tables >= evaluation.FewReferences),
		share(m.Precision, m.ShownIDs > 0), share(m.BlockPrecision, m.ShownIDs > 0),
		fmt.Sprintf("%.1f", m.MeanTokens), strconv.Itoa(m.LargestTokens), fmt.Sprintf("%.1f", m.MeanChars),
	}
}

func writePrefix(b *bytes.Buffer, methods []evaluation.Report) {
	rows := placementRows(methods)
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\nprefix reuse by placement of the block, %d model calls\n", rows[0].reuse.Calls)
	tab := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "%s\t  placement\n", strings.Join(placementNames[:], "\t"))
	for _, row := range rows {
		fmt.Fprintf(tab, "%s\t  %s\n", strings.Join(row.columns(), "\t"), row.title())
	}
	tab.Flush()
}

// placementRow is the effect of a placement on prompt caches.
type placementRow struct {
	method      string // "" without a block
	reuse, none evaluation.PrefixReuse
}

// placementRows returns the placements of all methods. The one without a block is
// included once.
func placementRows(methods []evaluation.Report) []placementRow {
	var rows []placementRow
	for i := range methods {
		for j, p := range methods[i].Prefix {
			none := methods[i].Prefix[0]
			switch {
			case j > 0:
				rows = append(rows, placementRow{methods[i].Method, p, none})
			case len(rows) == 0:
				rows = append(rows, placementRow{"", none, none})
			}
		}
	}
	return rows
}

func (r *placementRow) title() string {
	if r.method == "" {
		return "without a block"
	}
	return r.reuse.Placement + ": " + r.method
}

// cachedPrices are the prices of cached input tokens for which costs are shown, as
// shares of the full price.
var cachedPrices = [...]float64{0.5, 0.25, 0.1}

// placementNames are the column names of placements.
var placementNames = [...]string{"reused", "of that without", "prompt tokens", "uncached", "cost at 0.5", "at 0.25", "at 0.1"}

// columns returns the row's figures. Costs are multiples of the cost without a block.
func (r *placementRow) columns() []string {
	columns := []string{
		fmt.Sprintf("%.3f", r.reuse.Share), fmt.Sprintf("%.3f", r.reuse.Kept),
		fmt.Sprintf("%.1f", r.reuse.PromptTokens), fmt.Sprintf("%.1f", r.reuse.UncachedTokens),
	}
	for _, price := range cachedPrices {
		columns = append(columns, fmt.Sprintf("%.2f", r.reuse.Cost(price)/max(r.none.Cost(price), 1)))
	}
	return columns
}

// maxCauses is the number of causes listed of each kind of misses.
const maxCauses = 20

// writeMisses writes the misses by cause: each kind with its count, below it the
// details that divide it, and examples of each.
func writeMisses(b *bytes.Buffer, m *evaluation.Report) {
	if len(m.Misses) == 0 {
		return
	}
	fmt.Fprintf(b, "\nmisses of %s\n", m.Method)
	listed := map[evaluation.MissKind]int{}
	for i := range m.Misses {
		cause := &m.Misses[i]
		if listed[cause.Kind]++; listed[cause.Kind] == 1 {
			fmt.Fprintf(b, "%6d  %s\n", m.MissKinds[cause.Kind], cause.Kind)
		}
		if listed[cause.Kind] <= maxCauses {
			writeCause(b, cause)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(listed)) {
		if more := listed[kind] - maxCauses; more > 0 {
			fmt.Fprintf(b, "  %s: %d more causes, see --json\n", kind, more)
		}
	}
}

func writeCause(b *bytes.Buffer, cause *evaluation.Cause) {
	indent := strings.Repeat(" ", 8)
	if cause.Detail != "" {
		fmt.Fprintf(b, "%s%4d  %s\n", indent, cause.Count, printable(cause.Detail))
		indent += strings.Repeat(" ", 6)
	}
	for _, miss := range cause.Examples {
		fmt.Fprintf(b, "%s%s step %d: %s(%s: %s): %s\n", indent, printable(miss.Episode), miss.Step,
			printable(miss.Tool), printable(miss.Key), printable(miss.Value), printable(miss.Reason))
	}
}
