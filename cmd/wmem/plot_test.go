package main

import (
	"encoding/xml"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// TestPlotNamesOverlapNothing checks the published plot: no text covers another
// one, or a marker.
func TestPlotNamesOverlapNothing(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/evaluation.svg")
	require.NoError(t, err)
	var drawn struct {
		Panels []struct {
			Texts []struct {
				Class string  `xml:"class,attr"`
				X     float64 `xml:"x,attr"`
				Y     float64 `xml:"y,attr"`
				Text  string  `xml:",chardata"`
			} `xml:"text"`
			Circles []struct {
				X float64 `xml:"cx,attr"`
				Y float64 `xml:"cy,attr"`
			} `xml:"circle"`
			Squares []struct {
				X float64 `xml:"x,attr"`
				Y float64 `xml:"y,attr"`
			} `xml:"rect"`
		} `xml:"g"`
	}
	require.NoError(t, xml.Unmarshal(data, &drawn))
	require.Len(t, drawn.Panels, 2)
	for _, panel := range drawn.Panels {
		places := map[string]box{}
		for _, m := range panel.Circles {
			places[strings.Repeat("o", len(places)+1)] = box{m.X - 4, m.Y - 4, m.X + 4, m.Y + 4}
		}
		for _, m := range panel.Squares {
			places[strings.Repeat("o", len(places)+1)] = box{m.X, m.Y, m.X + 7, m.Y + 7}
		}
		names := 0
		for _, text := range panel.Texts {
			anchor, isName := strings.CutSuffix(strings.SplitAfter(text.Class, "name")[0], " name")
			if !isName {
				continue
			}
			names++
			place := position{anchor, text.X, text.Y}.box(text.Text)
			for other, at := range places {
				assert.False(t, place.overlaps(at), "%s and %s", text.Text, other)
			}
			places[text.Class+text.Text] = place
		}
		assert.GreaterOrEqual(t, names, 10, "most points have a name")
	}
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	report := func(budget int, typed float64, kinds map[evaluation.MissKind]int) evaluation.Report {
		r := evaluation.Report{Family: evaluation.FamilyWorking, Budget: budget, MissKinds: kinds}
		r.References, r.Typed = 200, typed
		return r
	}
	kinds := func(kind evaluation.MissKind, n int) map[evaluation.MissKind]int {
		return map[evaluation.MissKind]int{kind: n, evaluation.MissSilent: 20}
	}
	cut := kinds(evaluation.MissNoRoom, 90)
	floor := evaluation.Report{Family: evaluation.FamilyFloor, Budget: 100, Figures: evaluation.Figures{References: 200, Typed: 1}}
	for _, tc := range []struct {
		name     string
		own      evaluation.Report
		others   []evaluation.Report
		hasTools bool
		want     string
	}{
		{"no method of ours", floor, nil, false, ""},
		{"no references", evaluation.Report{Family: evaluation.FamilyWorking}, nil, false, "No call took an identifier from an earlier result: these traces cannot measure memory."},
		{"nothing missed", report(64, 1, nil), nil, false, "Nothing was missed."},
		{"no larger budget measured", report(64, 0.55, cut), []evaluation.Report{floor, report(32, 0.9, nil)}, false,
			"Missed most: no room in the block (90 of 200 references). Raise the budget; --budget 64,128 measures a larger one beside this, or pass the schemas of the agent's tools with --tools."},
		{"smallest budget that is enough", report(64, 0.55, cut), []evaluation.Report{report(512, 0.99, nil), report(128, 0.7, nil), report(256, 0.96, nil)}, true,
			"Missed most: no room in the block (90 of 200 references). Raise the budget to 256 tokens, at which 0.960 of the references are typed."},
		{"none enough", report(64, 0.55, cut), []evaluation.Report{report(128, 0.7, nil), report(256, 0.6, nil)}, true,
			"Missed most: no room in the block (90 of 200 references). Raise the budget to 128 tokens, at which 0.700 of the references are typed."},
		{"no budget", report(0, 0.55, kinds(evaluation.MissNoRoom, 90)), []evaluation.Report{report(64, 0.97, nil)}, false,
			"Missed most: no room in the block (90 of 200 references). Set a budget of 64 tokens, at which 0.970 of the references are typed."},
		{"no budget measured", report(0, 0.55, kinds(evaluation.MissEvicted, 90)), nil, false,
			"Missed most: evicted (90 of 200 references). Set a budget; --budget 256 measures one."},
		{"evicted beside a budget", report(64, 0.55, kinds(evaluation.MissEvicted, 90)), nil, false,
			"Missed most: evicted (90 of 200 references). Give the recorder a context that holds more entities."},
		{"hardly any id missed", report(64, 0.99, kinds(evaluation.MissNoRoom, 1)), nil, false,
			"Missed most: label says nothing (20 of 200 references). List them with --misses and write an extraction rule that names the field to show."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, advice(&tc.own, tc.others, tc.hasTools))
		})
	}
}
