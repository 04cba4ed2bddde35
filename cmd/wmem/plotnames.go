package main

import "math"

// namePlaces finds places in a panel for the names of its points: none covers
// another name, a marker or a line.
type namePlaces struct {
	taken []box
	lines [][2]point
}

// box is a rectangle of a panel.
type box struct{ left, top, right, bottom float64 }

func (b box) overlaps(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// position is where a text is written: its baseline, and the class of the style
// sheet that says which end of it has the x.
type position struct {
	anchor string
	x, y   float64
}

// Sizes of names and markers in pixels.
const (
	nameCharWidth = 7.2
	nameHeight    = 10.0
	markerSize    = 10.0
)

// box is the rectangle that a text at the position fills.
func (p position) box(text string) box {
	width := float64(len(text)) * nameCharWidth
	left := p.x
	switch p.anchor {
	case "end":
		left -= width
	case "middle":
		left -= width / 2
	}
	return box{left, p.y - nameHeight, left + width, p.y + 1}
}

// reserve keeps names away from the points of a curve and from the line through them.
func (n *namePlaces) reserve(points []point) {
	last := -1
	for i, p := range points {
		n.taken = append(n.taken, box{p.x - markerSize/2, p.y - markerSize/2, p.x + markerSize/2, p.y + markerSize/2})
		if p.hollow {
			continue
		}
		if last >= 0 {
			n.lines = append(n.lines, [2]point{points[last], p})
		}
		last = i
	}
}

// claim reserves the nearest free place for a point's name. It reports false if
// no place is free; the name is then left out.
func (n *namePlaces) claim(p point) (position, bool) {
	for _, gap := range [...]float64{0, 4, 8} {
		side, up, down := 8+gap, 8+gap, 17+gap
		for _, at := range [...]position{
			{"end", p.x - side, p.y + 4},
			{"start", p.x + side, p.y + 4},
			{"end", p.x - side/2, p.y - up},
			{"start", p.x + side/2, p.y + down},
			{"start", p.x + side/2, p.y - up},
			{"end", p.x - side/2, p.y + down},
			{"middle", p.x, p.y - up},
			{"middle", p.x, p.y + down},
		} {
			if place := at.box(p.name); n.isFree(place) {
				n.taken = append(n.taken, place)
				return at, true
			}
		}
	}
	return position{}, false
}

// isFree reports whether a place is within the panel's plotting area and covers nothing.
func (n *namePlaces) isFree(place box) bool {
	if place.left < plotLeft+2 || place.right > plotLeft+plotWidth+10 || place.top < plotTop-12 || place.bottom > plotTop+plotHeight-1 {
		return false
	}
	for _, t := range n.taken {
		if place.overlaps(t) {
			return false
		}
	}
	for _, l := range n.lines {
		if place.crosses(l[0], l[1]) {
			return false
		}
	}
	return true
}

// crosses reports whether the line from one point to another goes through the box.
func (b box) crosses(from, to point) bool {
	steps := math.Ceil(max(math.Abs(to.x-from.x), math.Abs(to.y-from.y)))
	for i := range int(steps) + 1 {
		share := float64(i) / max(steps, 1)
		x, y := from.x+share*(to.x-from.x), from.y+share*(to.y-from.y)
		if b.left < x && x < b.right && b.top < y && y < b.bottom {
			return true
		}
	}
	return false
}
