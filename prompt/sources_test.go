package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// named returns a page that a tool named.
func named(id, name, source, tool string, authority memory.Authority) memory.Entity {
	return memory.Entity{Type: "page", ID: id, Name: name, Source: source, Tool: tool, Authority: authority}
}

// TestEndedComesLast: the state comes first in a label however short that is.
func TestEndedComesLast(t *testing.T) {
	t.Parallel()
	entities := []memory.Entity{
		{Type: "booking", ID: "bk-1", Name: "A house with a garden by the lake", State: "cancelled"},
		{Type: "booking", ID: "bk-2", Description: "two nights", State: "void"},
		{Type: "booking", ID: "bk-3", State: "closed"},
		{Type: "booking", ID: "bk-4", Name: "Tile house"},
	}
	assert.Equal(t, block(`bookings:`, `  - "Tile house" (bk-4)`, `  - "cancelled: A house with a garden by the lake" (bk-1)`,
		`  - "void: two nights" (bk-2)`, `  - "closed: Unnamed booking" (bk-3)`), prompt.NewRenderer(&prompt.Options{PerType: 4}).Render(entities))
	assert.Equal(t, block(`bookings:`, `  - "cancelled: A house with…" (bk-1)`), prompt.NewRenderer(&prompt.Options{Budget: 30}).Render(entities[:1]))
}

// TestNamesakesShowWhereTheyAreFrom: a name alone does not tell what a stranger's text named
// from what the agent's own tools did.
func TestNamesakesShowWhereTheyAreFrom(t *testing.T) {
	t.Parallel()
	mail := named("page-6666", "Home", "", "read_email", memory.AuthorityNone)
	cms := named("page-1001", "Home", "cms", "cms_get_page", memory.AuthorityOwn)
	plain := named("page-1001", "Home", "", "get_page", memory.AuthorityOwn)
	with := func(e memory.Entity, name, description, state string) memory.Entity {
		e.Name, e.Description, e.State = name, description, state
		return e
	}
	for _, test := range []struct {
		name     string
		entities []memory.Entity
		want     string
		names    bool // the labels differ, but the names do not, which a block does not tell
	}{
		{"facts behind the name", []memory.Entity{with(mail, "Home", "new, live", ""), with(cms, "Home", "draft", "")},
			block(`pages:`, `  - "Home, draft" (page-1001) from cms`, `  - "Home, new, live" (page-6666) from read_email`), true},
		{"a state before the name", []memory.Entity{with(mail, "Home", "", "archived"), cms},
			block(`pages:`, `  - "Home" (page-1001) from cms`, `  - "archived: Home" (page-6666) from read_email`), true},
		{"another case", []memory.Entity{with(mail, "HOME", "", ""), cms},
			block(`pages:`, `  - "Home" (page-1001) from cms`, `  - "HOME" (page-6666) from read_email`), false},
		{"a stranger's comes last", []memory.Entity{mail, cms},
			block(`pages:`, `  - "Home" (page-1001) from cms`, `  - "Home" (page-6666) from read_email`), false},
		{"a tool without a namespace", []memory.Entity{mail, plain},
			block(`pages:`, `  - "Home" (page-1001) from get_page`, `  - "Home" (page-6666) from read_email`), false},
		{"two tools about pages, without namespaces", []memory.Entity{plain, named("page-1002", "Home", "", "search_pages", memory.AuthorityOwn)},
			block(`pages:`, `  - "Home" (page-1001)`, `  - "Home" (page-1002)`), false},
		{"two namespaces", []memory.Entity{cms, named("page-1002", "Home", "wiki", "wiki_page", memory.AuthorityOwn)},
			block(`pages:`, `  - "Home" (page-1001) from cms`, `  - "Home" (page-1002) from wiki`), false},
		{"another label", []memory.Entity{mail, named("page-1001", "Start", "cms", "cms_get_page", memory.AuthorityOwn)},
			block(`pages:`, `  - "Home" (page-6666)`, `  - "Start" (page-1001)`), false},
		{"the program's has no tool", []memory.Entity{page("page-1001", "Home"), mail},
			block(`pages:`, `  - "Home" (page-1001)`, `  - "Home" (page-6666) from read_email`), false},
		{"no label", []memory.Entity{named("page-1001", "", "cms", "cms_get_page", memory.AuthorityOwn), named("page-1002", "", "", "read_email", memory.AuthorityNone)},
			block(`pages:`, `  - "Unnamed page" (page-1001)`, `  - "Unnamed page" (page-1002)`), false},
		{"a name that another call gave later", []memory.Entity{mail, {Type: "page", ID: "page-1001", Name: "Home", Tool: "read_email", Authority: memory.AuthorityNone,
			NamedBy: &memory.Origin{Source: "cms", Tool: "cms_get_page", Authority: memory.AuthorityOwn}}},
			block(`pages:`, `  - "Home" (page-1001) from cms`, `  - "Home" (page-6666) from read_email`), false},
		{"a name that ends like one that was cut", []memory.Entity{named("page-1001", strings.Repeat("e", 100), "cms", "cms_get_page", memory.AuthorityOwn), named("page-6666", strings.Repeat("e", 79)+"…", "", "read_email", memory.AuthorityNone)},
			block(`pages:`, `  - "`+strings.Repeat("e", 79)+`…" (page-1001) from cms`, `  - "`+strings.Repeat("e", 79)+`…" (page-6666) from read_email`), false},
		{"a source that is no word", []memory.Entity{cms, named("page-6666", "Home", "", "mail)\n\"x", memory.AuthorityNone)},
			block(`pages:`, `  - "Home" (page-1001) from cms`, `  - "Home" (page-6666) from "mail)\n\"x"`), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, budget := range []int{0, 256} {
				assert.Equal(t, test.want, prompt.NewRenderer(&prompt.Options{Budget: budget}).Render(test.entities))
			}
			parsed, err := prompt.Parse(test.want)
			assert.NoError(t, err)
			assert.Equal(t, !test.names, test.want == prompt.NewRenderer(nil).Render(parsed))
		})
	}
	tight := prompt.NewRenderer(&prompt.Options{Budget: 100, Counter: byteCounter})
	assert.Equal(t, block(`pages:`, `  - "Home" (page-1001) from cms, "Home" (page-6666) from read_email`),
		tight.Render([]memory.Entity{mail, cms, page("page-1003", ""), page("page-1004", "")}))
}

// Sources that are not shown take no room.
func TestNamesakesFillABudget(t *testing.T) {
	t.Parallel()
	var all []memory.Entity
	for i := range 500 {
		all = append(all, named(fmt.Sprintf("page-%d", 1000+i), "Home", "", fmt.Sprintf("tool_%d", i), memory.AuthorityNone))
	}
	const budget = 4000
	text := prompt.NewRenderer(&prompt.Options{Budget: budget}).Render(all)
	assert.Greater(t, prompt.Estimator{}.CountTokens(text), budget*95/100)
}

// TestWhatIsInUseKeepsItsRoom: one large result takes the rest of a block.
func TestWhatIsInUseKeepsItsRoom(t *testing.T) {
	t.Parallel()
	flood := pages(200)
	held := memory.Entity{Type: "page", ID: "page-1001", Name: "Start here", Held: true}
	spoken := memory.Entity{Type: "page", ID: "page-1001", Name: "Start here"}
	stranger := spoken
	stranger.Authority = memory.AuthorityNone
	inText := stranger
	inText.Place = memory.PlaceFieldText
	for _, test := range []struct {
		name  string
		focus prompt.Focus
		used  memory.Entity
		shown bool
	}{
		{"held", prompt.Focus{}, held, true},
		{"its id is mentioned", prompt.NewFocus("What about page-1001?"), spoken, true},
		{"its name is mentioned", prompt.NewFocus("Delete the start page, here it is"), spoken, true},
		{"a part of its name is mentioned", prompt.NewFocus("Start it"), spoken, true},
		{"the name that a stranger's record has is mentioned", prompt.NewFocus("Start here"), stranger, true},
		{"the name that a stranger's text has is mentioned", prompt.NewFocus("Start here"), inText, false},
		{"only a word that says nothing is mentioned", prompt.NewFocus("Is it here?"), spoken, false},
		{"neither", prompt.Focus{}, spoken, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			content := prompt.Content{Focus: test.focus, Entities: append(flood[:len(flood):len(flood)], test.used)}
			for _, opts := range []prompt.Options{{}, {PerType: 1}, {Budget: 64}, {Budget: 128}, {Budget: 256}} {
				got := prompt.NewRenderer(&opts).RenderContent(content)
				if opts.Budget == 0 || test.used.Place != memory.PlaceFieldText { // with a budget, the words bring it nearer
					assert.Equal(t, test.shown, containsID(t, got, "page-1001"), "%+v\n%s", opts, got)
				}
			}
		})
	}
}

// TestNamedEntitiesComeBeforeHeldOnes: what the last message names keeps its line among many
// that the agent works with.
func TestNamedEntitiesComeBeforeHeldOnes(t *testing.T) {
	t.Parallel()
	var all []memory.Entity
	for i := range 20 {
		all = append(all, memory.Entity{Type: "page", ID: fmt.Sprintf("page-%d", 2000+i), Name: "delete it now", Held: true})
	}
	all = append(all, memory.Entity{Type: "page", ID: "page-1001", Name: "Home", Held: true})
	for _, opts := range []prompt.Options{{}, {PerType: 1}, {Budget: 64}} {
		got := prompt.NewRenderer(&opts).RenderContent(prompt.Content{Focus: prompt.NewFocus("delete Home"), Entities: all})
		assert.True(t, containsID(t, got, "page-1001"), "%+v\n%s", opts, got)
	}
}

func containsID(t *testing.T, block, id string) bool {
	t.Helper()
	parsed, err := prompt.Parse(block)
	assert.NoError(t, err)
	for _, e := range parsed {
		if e.ID == id {
			return true
		}
	}
	return false
}
