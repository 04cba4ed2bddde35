package attack

import (
	"slices"
	"strconv"
	"strings"
)

// Generator makes documents of one format with one filling.
type Generator struct {
	// Format and Filling are names, as in "json" and "open brackets".
	Format, Filling string
	// Layout is how the filling is laid out.
	Layout Layout

	format  *format
	filling *filling
}

// Layout is how pieces are laid out in a document.
type Layout string

// The layouts.
const (
	// Items has a record for each piece.
	Items Layout = "items"
	// Fields has a record for 4 KB of pieces, as much of a field as readers look at.
	Fields Layout = "fields"
	// Value has one record with all pieces in one value.
	Value Layout = "value"
	// Broken is like Value, but the pieces are not escaped and nothing is closed.
	Broken Layout = "broken"
)

var layouts = [...]Layout{Items, Fields, Value, Broken}

// fieldBytes is the size of the pieces of a record in the layout Fields.
const fieldBytes = 4 << 10

// Generators returns all generators.
func Generators() []Generator {
	all := make([]Generator, 0, len(formats)*len(fillings)*len(layouts))
	for i := range formats {
		for j := range fillings {
			for _, layout := range layouts {
				all = append(all, Generator{formats[i].name, fillings[j].name, layout, &formats[i], &fillings[j]})
			}
		}
	}
	return all
}

// Repeated returns the generators of texts that are pieces and nothing else, one for each
// filling.
func Repeated() []Generator {
	return slices.DeleteFunc(Generators(), func(g Generator) bool { return g.Format != bare || g.Layout != Broken })
}

// Name returns the names of the format, the layout and the filling: "json/items/dashes".
func (g *Generator) Name() string { return g.Format + "/" + string(g.Layout) + "/" + g.Filling }

// Make returns a document of about a number of bytes, before it is wrapped in another one.
func (g *Generator) Make(bytes int) string {
	f := g.format
	var b strings.Builder
	b.Grow(bytes + len(f.before) + len(f.between) + len(f.after))
	b.WriteString(f.before)
	start := b.Len()
	for i := 0; b.Len() < bytes; i++ {
		piece := g.filling.piece(i)
		if g.Layout != Broken && f.quote != nil {
			piece = f.quote(piece)
		}
		if g.Layout == Items && i > 0 || g.Layout == Fields && b.Len()-start >= fieldBytes {
			b.WriteString(numbered(f.between, i))
			start = b.Len()
		}
		b.WriteString(piece)
	}
	if g.Layout != Broken {
		b.WriteString(f.after)
	}
	if f.wrap != nil {
		return f.wrap(b.String())
	}
	return b.String()
}

// numbered replaces each "$" by a number.
func numbered(text string, i int) string {
	if strings.IndexByte(text, '$') < 0 {
		return text
	}
	return strings.ReplaceAll(text, "$", strconv.Itoa(i))
}
