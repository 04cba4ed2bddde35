package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// Sizes of a plot in pixels. Each file of traces has a panel.
const (
	panelColumns  = 2
	panelWidth    = 460.0
	panelHeight   = 350.0
	plotLeft      = 52.0 // of the panel's plotting area
	plotTop       = 40.0
	plotWidth     = 390.0
	plotHeight    = 250.0
	legendHeight  = 40.0
	legendSpacing = 185.0
)

// The range of block sizes on the axis, in tokens, on a logarithmic scale. Sizes out
// of range are drawn at its ends.
const (
	smallestTokens = 32.0
	largestTokens  = 2048.0
)

// curve is the style of a family of methods.
type curve struct {
	family evaluation.Family
	class  string // of the style sheet
	title  string // in the legend
	marker func(x, y float64) string
}

func curves() []curve {
	return []curve{
		{evaluation.FamilyWorking, "ours", "working memory", circle},
		{evaluation.FamilyFloor, "floor", "bare list, newest first", square},
		{evaluation.FamilyRaw, "raw", "last raw calls, as text", triangle},
		{evaluation.FamilySeed, "seed", "four patterns", cross},
	}
}

func circle(x, y float64) string { return fmt.Sprintf(`<circle cx="%.1f" cy="%.1f" r="4"`, x, y) }

func square(x, y float64) string {
	return fmt.Sprintf(`<rect x="%.1f" y="%.1f" width="7" height="7"`, x-3.5, y-3.5)
}

func triangle(x, y float64) string {
	return fmt.Sprintf(`<path d="M%.1f %.1fl4.5 8h-9z"`, x, y-5)
}

func cross(x, y float64) string {
	return fmt.Sprintf(`<path d="M%.1f %.1fl8 8m0 -8l-8 8"`, x-4, y-4)
}

// plotStyle is readable on light and dark backgrounds and does not rely on colours
// alone.
const plotStyle = `<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.panel { font-weight: 600; font-size: 14px }
.start { text-anchor: start } .middle { text-anchor: middle } .end { text-anchor: end }
.paper { fill: #ffffff } .grid { stroke: #d1d9e0 } .note { fill: #59636e }
.ours { stroke: #0550ae; fill: #0550ae } .floor { stroke: #bc4c00; fill: #bc4c00 }
.raw { stroke: #59636e; fill: #59636e } .seed { stroke: #8250df; fill: #8250df }
polyline.line { fill: none; stroke-width: 2 } .line.floor { stroke-dasharray: 6 3 } .line.raw { stroke-dasharray: 2 3 }
.marker { stroke-width: 1.5 } .marker.hollow { fill: #ffffff }
.name { paint-order: stroke; stroke: #ffffff; stroke-width: 3px }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .paper { fill: #0d1117 } .grid { stroke: #3d444d } .note { fill: #9198a1 }
.ours { stroke: #79c0ff; fill: #79c0ff } .floor { stroke: #f0883e; fill: #f0883e }
.raw { stroke: #9198a1; fill: #9198a1 } .seed { stroke: #d2a8ff; fill: #d2a8ff }
.marker.hollow { fill: #0d1117 } .name { stroke: #0d1117 }
}
</style>
`

// plot draws survival by size as a self-contained SVG. Equal reports give equal
// bytes.
func plot(reports []fileReport) []byte {
	rows := (len(reports) + panelColumns - 1) / panelColumns
	width, height := panelWidth*panelColumns, panelHeight*float64(rows)+legendHeight
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-labelledby="title description">`+"\n",
		width, height, width, height)
	fmt.Fprintf(&b, "<title id=\"title\">Reference survival by size of what is shown</title>\n<desc id=\"description\">%s</desc>\n", escaped(describe(reports)))
	b.WriteString(plotStyle)
	fmt.Fprintf(&b, `<rect class="paper" width="%.0f" height="%.0f"/>`+"\n", width, height)
	for i := range reports {
		fmt.Fprintf(&b, `<g transform="translate(%.0f %.0f)">`+"\n", panelWidth*float64(i%panelColumns), panelHeight*float64(i/panelColumns))
		drawAxes(&b, &reports[i])
		drawMethods(&b, reports[i].Methods)
		b.WriteString("</g>\n")
	}
	drawLegend(&b, height-legendHeight/2)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// describe returns a textual alternative to the plot.
func describe(reports []fileReport) string {
	var b strings.Builder
	b.WriteString("Share of the references that are shown when they are needed, by the mean size of what is shown.")
	for i := range reports {
		fmt.Fprintf(&b, " %s:", printable(reports[i].Traces))
		for j, m := range reports[i].Methods {
			separator := ","
			if j == 0 {
				separator = ""
			}
			fmt.Fprintf(&b, "%s %s: %.2f at %.0f tokens", separator, m.Method, shareShown(&m), m.MeanTokens)
		}
		b.WriteByte('.')
	}
	return b.String()
}

// shareShown returns the share plotted for a method: typed if blocks have types, else
// coverage.
func shareShown(m *evaluation.Report) float64 {
	if m.Text {
		return m.Coverage
	}
	return m.Typed
}

func drawAxes(b *bytes.Buffer, r *fileReport) {
	label(b, "panel", plotLeft, 22, printable(r.Traces))
	label(b, "end note", plotLeft+plotWidth, 22, "share of references shown")
	for i := range 5 {
		share := float64(i) / 4
		y := yOf(share)
		fmt.Fprintf(b, `<path class="grid" d="M%.1f %.1fh%.1f"/>`+"\n", plotLeft, y, plotWidth)
		label(b, "end", plotLeft-6, y+4, fmt.Sprintf("%.2f", share))
	}
	for tokens := smallestTokens; tokens <= largestTokens; tokens *= 2 {
		x := xOf(tokens)
		fmt.Fprintf(b, `<path class="grid" d="M%.1f %.1fv5"/>`+"\n", x, plotTop+plotHeight)
		name := fmt.Sprintf("%.0f", tokens)
		if tokens == smallestTokens {
			name = "≤ " + name
		}
		label(b, "middle", x, plotTop+plotHeight+19, name)
	}
	label(b, "middle note", plotLeft+plotWidth/2, plotTop+plotHeight+38, "mean size in tokens ("+r.Encoding+")")
}

// drawMethods draws a panel's curves, and the name of each point's setting if there
// is room for it.
func drawMethods(b *bytes.Buffer, methods []evaluation.Report) {
	var names namePlaces
	for _, c := range curves() {
		points := c.points(methods)
		names.reserve(points)
		c.draw(b, points)
	}
	for _, c := range curves() {
		for _, p := range c.points(methods) {
			if at, ok := names.claim(p); ok {
				label(b, at.anchor+" name "+c.class, at.x, at.y, p.name)
			}
		}
	}
}

// point is a method in a panel.
type point struct {
	x, y   float64
	name   string // of its setting
	hollow bool   // not on the line: a setting without a budget
}

// points returns the points of the curve's family.
func (c *curve) points(methods []evaluation.Report) []point {
	var points []point
	for i := range methods {
		if m := &methods[i]; m.Family == c.family {
			points = append(points, point{xOf(m.MeanTokens), yOf(shareShown(m)), m.Setting, m.Budget <= 0 && !m.Text})
		}
	}
	return points
}

// draw draws points and the line through those that are not hollow.
func (c *curve) draw(b *bytes.Buffer, points []point) {
	var line []string
	for _, p := range points {
		if !p.hollow {
			line = append(line, fmt.Sprintf("%.1f,%.1f", p.x, p.y))
		}
	}
	if len(line) > 1 {
		fmt.Fprintf(b, `<polyline class="line %s" points="%s"/>`+"\n", c.class, strings.Join(line, " "))
	}
	for _, p := range points {
		class := c.class + " marker"
		if p.hollow {
			class += " hollow"
		}
		fmt.Fprintf(b, "%s class=\"%s\"/>\n", c.marker(p.x, p.y), class)
	}
}

func drawLegend(b *bytes.Buffer, y float64) {
	x := plotLeft
	for _, c := range curves() {
		fmt.Fprintf(b, `<polyline class="line %s" points="%.1f,%.1f %.1f,%.1f"/>`+"\n", c.class, x, y, x+24, y)
		fmt.Fprintf(b, "%s class=\"%s marker\"/>\n", c.marker(x+12, y), c.class)
		label(b, "", x+30, y+4, c.title)
		x += legendSpacing
	}
	label(b, "note", x-50, y+4, "hollow: no token budget")
}

func xOf(tokens float64) float64 {
	tokens = min(max(tokens, smallestTokens), largestTokens)
	return plotLeft + plotWidth*math.Log2(tokens/smallestTokens)/math.Log2(largestTokens/smallestTokens)
}

func yOf(share float64) float64 { return plotTop + plotHeight*(1-share) }

func label(b *bytes.Buffer, class string, x, y float64, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(b, `<text%s x="%.1f" y="%.1f">%s</text>`+"\n", class, x, y, escaped(text))
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // into memory: cannot fail
	return b.String()
}
