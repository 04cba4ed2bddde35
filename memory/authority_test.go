package memory_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

// said returns the entity "type id name" as a tool returns it: with the tool, its source and
// its authority, "cms search_pages own".
func said(origin, entity string) memory.Entity {
	fields := strings.Fields(origin)
	e := ent(entity)
	e.Source, e.Tool, e.Authority = strings.TrimPrefix(fields[0], "-"), fields[1], memory.Authority(fields[2])
	return e
}

func with(e memory.Entity, change func(*memory.Entity)) memory.Entity {
	change(&e)
	return e
}

func inPlace(p memory.Place, e memory.Entity) memory.Entity {
	return with(e, func(e *memory.Entity) { e.Place = p })
}

func inRole(r memory.Role, e memory.Entity) memory.Entity {
	return with(e, func(e *memory.Entity) { e.Role = r })
}

// TestAuthority is the table of what may rename or retype a known entity.
func TestAuthority(t *testing.T) {
	t.Parallel()
	home := said("cms get_page own", "page page-1001 Home")
	used := memory.Change{Use: []memory.Ref{{ID: "page-1001"}}}
	for _, test := range []struct {
		name       string
		known, now memory.Entity
		change     memory.Change
		want       string
	}{
		{"the same tool", home, said("cms get_page own", "page page-1001 Start"), memory.Change{}, "page page-1001 Start"},
		{"another tool of the namespace about such entities", home, said("cms search_pages own", "page page-1001 Start"), memory.Change{}, "page page-1001 Start"},
		{"a tool without a namespace about such entities", home, said("- search_pages own", "page page-1001 Start"), memory.Change{}, "page page-1001 Start"},
		{"a tool of another namespace about such entities", home, said("wiki get_page own", "page page-1001 Start"), memory.Change{}, "page page-1001 Home"},
		{"a tool about something else", home, said("- read_email none", "page page-1001 Trash"), memory.Change{}, "page page-1001 Home"},
		{"a type of the tool's own", home, said("- read_email own", "page_email page-1001 Trash"), memory.Change{}, "page page-1001 Home"},
		{"a kind of such entities", home, said("cms search_pages own", "landing_page page-1001 Start"), memory.Change{}, "landing_page page-1001 Start"},
		{"another type", home, said("- read_email none", "spam_page page-1001 Home"), memory.Change{}, "page page-1001 Home"},
		{"the id was an argument", home, said("wiki describe none", "wiki_page page-1001 Start"), used, "wiki_page page-1001 Start"},
		{"an argument that only the result calls an id of it", home, with(said("- get_ticket none", "page page-1001 Trash"), func(e *memory.Entity) { e.Aliases = []string{"T-1001"} }), memory.Change{Use: []memory.Ref{{ID: "T-1001"}}}, "page page-1001 Home"},
		{"a short id, an argument of another type", said("cms get_page own", "page 42 Home"), said("mail read_email none", "page 42 Trash"), memory.Change{Use: []memory.Ref{{Type: "email", ID: "42"}}}, "page 42 Home"},
		{"the id was an argument, and stands in a text of the result", home, inPlace(memory.PlaceFieldText, said("wiki describe none", "page page-1001 Trash")), used, "page page-1001 Home"},
		{"the program", home, ent("article page-1001 Start"), memory.Change{}, "article page-1001 Start"},
		{"a name of the program", ent("page page-1001 Home"), said("cms get_page own", "page page-1001 Start"), memory.Change{}, "page page-1001 Start"},
		{"a name of the program, a stranger", ent("page page-1001 Home"), said("- read_email none", "page page-1001 Trash"), memory.Change{}, "page page-1001 Home"},
		{"a text, known from a record", home, inPlace(memory.PlaceText, said("cms search_pages own", "page page-1001 Start")), memory.Change{}, "page page-1001 Home"},
		{"a text, the id was an argument", home, inPlace(memory.PlaceText, said("cms update_page own", "page page-1001 Updated")), used, "page page-1001 Home"},
		{"a text, the id was an argument, known without a name", said("cms get_page own", "page page-1001"), inPlace(memory.PlaceText, said("cms get_page own", "page page-1001 Home")), used, "page page-1001 Home"},
		{"a text, named by a foreign key", inRole(memory.RoleReference, home), inPlace(memory.PlaceText, said("cms update_page own", "page page-1001 Updated")), used, "page page-1001 Home"},
		{"a text of a rule", home, with(inPlace(memory.PlaceText, said("cms update_page own", "page page-1001 Updated")), func(e *memory.Entity) { e.Authority = memory.AuthorityFull }), memory.Change{}, "page page-1001 Home"},
		{"a text of the program", home, inPlace(memory.PlaceText, ent("page page-1001 Start")), memory.Change{}, "page page-1001 Start"},
		{"a record, known from a text", inPlace(memory.PlaceText, said("- read_email none", "page page-1001 Trash")), said("crm lookup none", "page page-1001 Home"), memory.Change{}, "page page-1001 Home"},
		{"a stranger's record, known from a text of its own tool", inPlace(memory.PlaceText, home), said("- fetch none", "page page-1001 Trash"), memory.Change{}, "page page-1001 Home"},
		{"a record, known from a foreign key", inRole(memory.RoleReference, said("crm get_deal none", "owner user-1001 Ann")), said("crm get_user own", "user user-1001 Anna"), memory.Change{}, "user user-1001 Anna"},
		{"a stranger's record, known from another", said("- read_email none", "page page-1001 Trash"), said("- fetch none", "page page-1001 Home"), memory.Change{}, "page page-1001 Trash"},
		{"the tool about such entities, known from a stranger", said("mail read_email none", "page page-1001 Trash"), said("cms get_page own", "page page-1001 Home"), memory.Change{}, "page page-1001 Home"},
		{"a tool about such entities, known from a stranger under another type", said("web fetch none", "user page-1001 Trash"), said("cms list_pages own", "page page-1001 Home"), memory.Change{}, "page page-1001 Home"},
		{"a fallback type", said("- fetch none", "resource page-1001 Home"), said("cms get_page own", "page page-1001 Home"), memory.Change{}, "page page-1001 Home"},
		{"a name where there was none", said("cms get_page own", "page page-1001"), said("- fetch none", "page page-1001 Home"), memory.Change{}, "page page-1001 Home"},
		{"unknown authority", home, with(said("- fetch none", "page page-1001 Trash"), func(e *memory.Entity) { e.Authority = "king" }), memory.Change{}, "page page-1001 Home"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := filled(t, 10, test.known)
			test.change.Add = []memory.Entity{test.now}
			require.NoError(t, c.Apply(test.change))
			assert.Equal(t, []string{test.want}, summary(c))
			restored := setup(t, 10)
			data, err := c.MarshalJSON()
			require.NoError(t, err)
			require.NoError(t, restored.UnmarshalJSON(data))
			assert.Equal(t, all(c), all(restored), "the state has the origins")
		})
	}
}

// A name keeps its origin: what arrives later is judged by where the name came from, not by
// where the entity was seen first.
func TestAuthorityOverAName(t *testing.T) {
	t.Parallel()
	c := filled(t, 10, said("- read_email none", "page page-1001 Trash"))
	for _, step := range []struct{ origin, name, want string }{
		{"cms get_page own", "Home", "Home"},
		{"- read_email none", "Trash", "Home"},
		{"wiki get_page own", "Wiki", "Home"},
		{"cms list_pages own", "Start", "Start"},
	} {
		require.NoError(t, c.Add(said(step.origin, "page page-1001 "+step.name)))
		assert.Equal(t, []string{"page page-1001 " + step.want}, summary(c))
	}
	e := all(c)[0]
	assert.Equal(t, "read_email", e.Tool, "the tool that returned it first")
	assert.Equal(t, memory.Origin{Tool: "list_pages", Source: "cms", Authority: memory.AuthorityOwn}, e.NameOrigin())
}

// TestAuthorityOverAliases: aliases are names too.
func TestAuthorityOverAliases(t *testing.T) {
	t.Parallel()
	known := func(id string, aliases ...string) memory.Entity {
		return with(said("cms get_page own", "page "+id), func(e *memory.Entity) { e.Aliases = aliases })
	}
	arriving := func(origin, id string, aliases ...string) memory.Entity {
		return with(said(origin, "page "+id+" Trash"), func(e *memory.Entity) { e.Aliases = aliases })
	}
	const stranger, own = "- read_email none", "cms search_pages own"
	for _, test := range []struct {
		name     string
		known    []memory.Entity
		arriving memory.Entity
		want     []string // "id=alias", newest first
	}{
		{"a stranger adds none", []memory.Entity{known("page-1001")}, arriving(stranger, "page-1001", "page-6666"), []string{"page-1001"}},
		{"its tool adds one", []memory.Entity{known("page-1001")}, arriving(own, "page-1001", "slug-home"), []string{"page-1001=slug-home"}},
		{"ids of two entities", []memory.Entity{known("page-1001"), known("page-1002")}, arriving(own, "page-1001", "page-1002"), []string{"page-1001", "page-1002"}},
		{"an id of another entity", []memory.Entity{known("page-1001")}, arriving(stranger, "page-6666", "page-1001"), []string{"page-6666", "page-1001"}},
		{"an alias of another entity", []memory.Entity{known("page-1001", "slug-home")}, arriving(stranger, "page-6666", "slug-home"), []string{"page-6666", "page-1001=slug-home"}},
		{"an alias of another namespace", []memory.Entity{known("page-1001", "slug-home")}, arriving("wiki get_page own", "page-6666", "slug-home"), []string{"page-6666", "page-1001=slug-home"}},
		{"a key with another name, of the same source", []memory.Entity{with(known("page-1001", "slug-home"), func(e *memory.Entity) { e.Name = "Home" })}, arriving("cms list_pages own", "slug-home"), []string{"slug-home", "page-1001=slug-home"}},
		{"an id that another namespace took as an alias", []memory.Entity{with(said("wiki get_page own", "page page-6666 Old"), func(e *memory.Entity) { e.Aliases = []string{"page-1001"} })}, known("page-1001"), []string{"page-1001", "page-6666"}},
		{"an id that a stranger took as an alias, from another stranger", []memory.Entity{arriving(stranger, "page-6666", "page-1001")}, arriving("- fetch none", "page-1001"), []string{"page-1001", "page-6666"}},
		{"an id that a stranger took as an alias", []memory.Entity{arriving(stranger, "page-6666", "page-1001")}, known("page-1001"), []string{"page-1001", "page-6666"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := filled(t, 10, test.known...)
			require.NoError(t, c.Add(test.arriving))
			var got []string
			for e := range c.All() {
				got = append(got, strings.Join(append([]string{e.ID}, e.Aliases...), "="))
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// TestHeldEntitiesAreEvictedLast: one large result does not evict what the agent works with.
func TestHeldEntitiesAreEvictedLast(t *testing.T) {
	t.Parallel()
	flood := func(n int) []memory.Entity {
		var out []memory.Entity
		for i := range n {
			out = append(out, ent("spam spam-"+strings.Repeat("x", i+1)))
		}
		return out
	}
	hold := map[string]func(c *memory.WorkingContext) error{
		"an argument": func(c *memory.WorkingContext) error {
			return c.Apply(memory.Change{Use: []memory.Ref{{ID: "page-1001"}}})
		},
		"a mention": func(c *memory.WorkingContext) error {
			return c.Apply(memory.Change{Mention: []memory.Ref{{ID: "page-1001"}}})
		},
		"what a call was made for": func(c *memory.WorkingContext) error {
			return c.Add(with(ent("page page-1001"), func(e *memory.Entity) { e.Held = true }))
		},
	}
	for name, held := range hold {
		for _, capacity := range []int{2, 10, 100} {
			c := filled(t, capacity, ents("page page-1001 Home", "page page-1002")...)
			require.NoError(t, held(c))
			require.NoError(t, c.AddMany(flood(200)))
			assert.Equal(t, capacity, c.Len())
			got, ok := c.Get(memory.Ref{ID: "page-1001"})
			assert.True(t, ok, "%s, capacity %d", name, capacity)
			assert.True(t, got.Held)
			assert.NotContains(t, summary(c), "page page-1002")
			assert.Equal(t, "spam-x", all(c)[0].ID, "the best of the new ones are kept too")
		}
	}

	// Half of the capacity is reserved: those held last stay.
	c := filled(t, 4)
	for _, id := range []string{"page-1001", "page-1002", "page-1003"} {
		require.NoError(t, c.Add(with(ent("page "+id), func(e *memory.Entity) { e.Held = true })))
	}
	require.NoError(t, c.AddMany(flood(9)))
	assert.Equal(t, []string{"spam spam-x", "spam spam-xx", "page page-1003", "page page-1002"}, summary(c))
	require.NoError(t, c.Branch().AddMany(ents("order order-1001", "order order-1002", "order order-1003")))
}

// TestFactsOfACall is the table of what a short description from a call that had the id as an
// argument leaves of the known one.
func TestFactsOfACall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, known, now, want string }{
		{"a state", "Elm, first floor, pending, checkup", "confirmed", "confirmed, Elm, first floor, checkup"},
		{"a time", "Elm, first floor, 2026-03-01T10:00", "2026-03-01T14:00", "2026-03-01T14:00, Elm, first floor"},
		{"a figure", "Elm, first floor, chairs 4, tables 12", "chairs 6", "chairs 6, Elm, first floor, tables 12"},
		{"words with the same beginning", "Room Elm, first floor, checkup of Ann", "Room Oak", "Room Oak, first floor, checkup of Ann"},
		{"a whole description", "Elm, pending", "Oak, confirmed", "Oak, confirmed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := memory.NewWorkingContext(nil)
			described := func(text string) memory.Entity {
				return with(said("cms get_visit own", "visit visit-1001 Visit"), func(e *memory.Entity) { e.Description = text })
			}
			require.NoError(t, c.Add(described(test.known)))
			require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{{ID: "visit-1001"}}, Add: []memory.Entity{described(test.now)}}))
			assert.Equal(t, test.want, c.Recent(1)[0].Description)
		})
	}
	c := memory.NewWorkingContext(nil)
	known := with(said("cms get_visit own", "visit visit-1001"), func(e *memory.Entity) { e.Description = "Elm, first floor" })
	text := with(inPlace(memory.PlaceText, known), func(e *memory.Entity) { e.Description = "done, draft, 7 rooms" })
	require.NoError(t, c.Add(known))
	require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{{ID: "visit-1001"}}, Add: []memory.Entity{text}}))
	assert.Equal(t, "Elm, first floor", c.Recent(1)[0].Description, "a text describes no record")
}
