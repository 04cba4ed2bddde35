package memory

// replaceViews removes the elements of the view that the arriving one replaces: those of
// the same source.
func (c *changing) replaceViews() {
	if c.draft.view == "" {
		return
	}
	for _, kept := range [...]*entries{c.kept, c.loose} {
		if kept == nil || kept.len() == 0 {
			continue
		}
		for _, p := range kept.newest(nil, kept.len()) { // newest first: removal moves newer records
			if f := kept.at(p).facts(); string(f.text[textOrigin]) == c.draft.view {
				kept.remove(p)
				c.changed = true
			}
		}
	}
}
