package memory

// replaceViews removes the elements of the view that the arriving one replaces: those of
// the same source.
func (c *changing) replaceViews() {
	if !c.draft.viewed {
		return
	}
	for _, kept := range [...]*entries{c.kept, c.loose} {
		if kept == nil || kept.len() == 0 {
			continue
		}
		for _, p := range kept.newest(nil, kept.len()) { // newest first: removal moves newer records
			if r := kept.at(p); r.isElement(c.draft.view) {
				kept.remove(p)
				c.changed = true
			}
		}
	}
}

// isElement reports whether a record is an element of the view of a source.
func (r record) isElement(source string) bool {
	if places[r[marksAt]&maskPlace] != PlaceView {
		return false
	}
	f := r.facts()
	return string(f.text[textSource]) == source
}
