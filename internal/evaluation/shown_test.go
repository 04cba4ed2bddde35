package evaluation

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/prompt"
)

const longID = "550e8400-e29b-41d4-a716-446655440000"

// faulty is a Memory with faults, which no other Memory has.
type faulty struct {
	block string
	table *handle.Table
	call  shownCall
}

func (f *faulty) Block() string                            { return f.block }
func (f *faulty) Record(context.Context, int, *Step) error { return nil }
func (f *faulty) handles() *handle.Table                   { return f.table }
func (f *faulty) written(text string) string               { return f.table.Encode(text) }
func (f *faulty) last() shownCall                          { return f.call }
func (f *faulty) issued() map[string]string                { return map[string]string{longID: f.table.Handle(longID)} }

func TestFaultsAreFound(t *testing.T) {
	t.Parallel()
	table := handle.NewTable(nil)
	table.Apply(handle.Change{IDs: []memory.Ref{{Type: "page", ID: longID}}})
	for _, tc := range []struct {
		name         string
		args, result string // as recorded
		block        string
		call         shownCall
		want         Shown
	}{
		{"none", `{}`, "see " + longID, `  - "x" (page#1)`, shownCall{result: "see page#1"}, Shown{}},
		{"altered result", `{}`, "see " + longID, "", shownCall{result: "see page#2"}, Shown{Faults: Faults{AlteredResults: 1}}},
		{"literal", `{}`, "page#1", "", shownCall{result: "page#1"}, Shown{Literals: 1}},
		{"stored", `{}`, "see " + longID, "", shownCall{result: "long", stored: true}, Shown{Stored: 1}},
		{"altered arguments", `{}`, "", "", shownCall{altered: true}, Shown{Faults: Faults{AlteredArguments: 1}}},
		{"literal argument", `{"id":"page#1"}`, "", "", shownCall{altered: true}, Shown{Literals: 1}},
		{"refused", `{}`, "", "", shownCall{refused: true}, Shown{Faults: Faults{Refused: 1}}},
		{"left whole", `{}`, longID + " /" + longID + `\n` + longID, "", shownCall{result: longID + " /" + longID + `\n` + longID},
			Shown{Faults: Faults{LeftInResults: 3}}},
		{"part of a longer word", `{}`, longID + "-1 x" + longID, "", shownCall{result: longID + "-1 x" + longID}, Shown{}},
		{"left in the block", `{}`, "", `  - "x" (` + longID + `)`, shownCall{}, Shown{Faults: Faults{LeftInBlocks: 1}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ep, err := parseEpisode(`{"id":1,"steps":[{"kind":"tool","name":"f","args":` + tc.args + `,"result":` + quoted(tc.result) + `}]}`)
			require.NoError(t, err)
			m := Method{Handles: true, New: func() Memory { return &faulty{tc.block, table, tc.call} }}
			e := Comparison{Methods: []Method{m}, Counter: prompt.Estimator{}}
			reports, err := e.Run(t.Context(), func(yield func(*Episode, error) bool) { yield(ep, nil) })
			require.NoError(t, err)
			got := *reports[0].Shown
			assert.Equal(t, tc.want.Faults, got.Faults)
			assert.Equal(t, tc.want.Literals, got.Literals)
			assert.Equal(t, tc.want.Stored, got.Stored)
			assert.Equal(t, 1, got.Handles)
		})
	}
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
