package rest_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
)

var update = flag.Bool("update", false, "write the golden files")

// TestScripts compares whole answers with those in testdata, since clients depend on every field.
// A script has one request a line: method, target, body, and headers behind " | ". The answer
// follows. "# " begins a comment, and "sleep 1h" advances the clock. In a request, {version} is
// the last version answered, {view} the id of the summary view in the last answer, {long} an id that is too long, {text} a text that is too long, and
// {many} a query with too many ids.
func TestScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.golden")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".golden"), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			got := runScript(t, string(want))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				return
			}
			require.Equal(t, string(want), got)
		})
	}
}

var (
	answerLine = regexp.MustCompile(`^[1-5][0-9][0-9]\b`)
	version    = regexp.MustCompile(`"version":(\d+)`)
	// Digits that depend on the machine, ids that the server generated, and times of the machine's
	// clock.
	digits    = regexp.MustCompile(`(\.\d{6})\d+`)
	generated = regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b`)
	view      = regexp.MustCompile(`^{"id":"([0-9A-Z]{26})","name"`)
	machine   = regexp.MustCompile(`"(timestamp|time)":"[^"]*"`)
)

// runScript returns a script with the answers that its requests have now.
func runScript(t *testing.T, script string) string {
	clock := newClock()
	memory, err := longterm.New(memindex.New(nil), &longterm.Options{Now: clock.Now, TouchEvery: time.Hour}) // searches change no memory
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memory.Close(context.Background())) })
	views, err := summaryview.New(memory, new(summaryview.MemoryDocuments), &summaryview.Options{Now: clock.Now})
	require.NoError(t, err)
	s := start(t, with(func(o *rest.Options) { o.Memory, o.Views = memory, views }))
	fill, last := map[string]string{
		"{long}": strings.Repeat("x", 1025), "{text}": strings.Repeat("x", 1<<20+1), "{many}": "?" + strings.Repeat("memory_ids=x&", 1001),
	}, ""
	var out strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		if answerLine.MatchString(line) || strings.HasPrefix(line, "\t") {
			continue
		}
		out.WriteString(line + "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if wait, ok := strings.CutPrefix(line, "sleep "); ok {
			d, err := time.ParseDuration(wait)
			require.NoError(t, err)
			s.clock.Sleep(d)
			clock.Sleep(d)
			continue
		}
		line, headers, _ := strings.Cut(strings.ReplaceAll(line, "{version}", last), " | ")
		for name, value := range fill {
			line = strings.ReplaceAll(line, name, value)
		}
		method, line, _ := strings.Cut(line, " ")
		target, body, _ := strings.Cut(line, " ")
		r := s.do(method, target, body, strings.Split(headers, " | ")...)
		answer := r.Body.String()
		if found := version.FindStringSubmatch(answer); found != nil {
			last = found[1]
		}
		if found := view.FindStringSubmatch(answer); found != nil {
			fill["{view}"] = found[1]
		}
		answer = normalized(strings.ReplaceAll(answer, strings.Repeat("x", 20), "20x,"))
		out.WriteString(strings.TrimSpace(fmt.Sprint(r.Code, " ", strings.ReplaceAll(strings.TrimSuffix(answer, "\n"), "\n", "\n\t"))) + "\n")
	}
	return out.String()
}

// normalized returns an answer without what differs from run to run.
func normalized(answer string) string {
	answer = version.ReplaceAllString(digits.ReplaceAllString(answer, "$1"), `"version":0`)
	return machine.ReplaceAllString(generated.ReplaceAllString(answer, "generated"), `"$1":"now"`)
}
