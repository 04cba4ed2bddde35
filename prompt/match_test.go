package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// rows returns 30 entities of a type in which the last one, the oldest, is the target.
func rows(target memory.Entity, other string) []memory.Entity {
	var out []memory.Entity
	for i := range 29 {
		out = append(out, memory.Entity{Type: target.Type, ID: fmt.Sprintf("550e8400-e29b-41d4-a716-%012d", i), Name: fmt.Sprintf(other, i+11), Description: "open, Bob"})
	}
	return append(out, target)
}

// shownAs returns the label of an entity in a block, and false if the block does not have it.
func shownAs(t *testing.T, block, id string) (string, bool) {
	t.Helper()
	parsed, err := prompt.Parse(block)
	assert.NoError(t, err)
	for _, e := range parsed {
		if e.ID == id {
			return e.Name, true
		}
	}
	return "", false
}

// TestWhatTheUserNamesIsShown is the table of how people name one of many.
func TestWhatTheUserNamesIsShown(t *testing.T) {
	t.Parallel()
	const id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
	for _, test := range []struct{ what, typ, name, other, said string }{
		{"a letter", "page", "Page J", "Page %d", "Publish Page J."},
		{"a number", "room", "Room 10", "Room %d", "Book Room 10."},
		{"two letters", "team", "Team UK", "Team %d", "Invite Bob to team uk."},
		{"short words", "person", "Jo Ng", "Bo Li %d", "Call Jo Ng."},
		{"a word that says little, with its type", "page", "Go", "Java %d", "Change the page called Go."},
		{"Chinese", "page", "招聘页面", "产品页面%d", "更新招聘页面的标题。"},
		{"a number in Chinese", "chapter", "第10章", "第%d章", "删除第10章。"},
		{"Japanese", "note", "会議ノート", "日報%d", "会議ノートを開いてください"},
		{"Korean with a particle", "note", "회의록", "보고서%d", "회의록을 열어 줘"},
		{"Thai", "note", "ประกันสังคม", "รายการ%d", "ช่วยเปิดประกันสังคมหน่อย"},
		{"Arabic with its vowel signs", "note", "كِتَاب", "درس %d", "افتح كتاب"},
		{"Hindi", "note", "बजट योजना", "सूची %d", "बजट योजना खोलो"},
		{"Cyrillic", "note", "Отчёт", "Смета %d", "Открой ОТЧЕТ"},
		{"the singular", "folder", "Invoices", "Memo %d", "Open the invoice."},
		{"the plural", "folder", "Invoice", "Memo %d", "Open the invoices."},
		{"another case", "file", "Quarterly Budget", "Memo %d", "open QUARTERLY budget"},
		{"without accents", "place", "Café Zoé", "Bistro %d", "Book Cafe Zoe for two."},
		{"with accents", "place", "Cafe Zoe", "Bistro %d", "Book Café Zoé for two."},
		{"a hyphen less", "task", "Follow-up call", "Memo %d", "Move the followup."},
		{"a space more", "task", "Followup", "Memo %d", "Move the follow up."},
		{"a part of a title", "task", "Harbour Road survey", "Elm Road survey %d", "How far is the harbour one?"},
		{"its id in quotes", "page", "Home", "Memo %d", "Open `" + id + "`."},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			all := rows(memory.Entity{Type: test.typ, ID: id, Name: test.name}, test.other)
			for _, budget := range []int{0, 128, 256} {
				r := prompt.NewRenderer(&prompt.Options{Budget: budget})
				_, ok := shownAs(t, r.Render(all), id)
				assert.False(t, ok, "nothing said, budget %d", budget)
				for name, content := range map[string]prompt.Content{"entities": {Entities: all}, "candidates": {Candidates: all}} {
					content.Focus = prompt.NewFocus(test.said)
					got := r.RenderContent(content)
					label, _ := shownAs(t, got, id)
					assert.Equal(t, test.name, label, "%s, budget %d\n%s", name, budget, got)
				}
			}
		})
	}
}

// TestWhatTheUserDescribesIsShown: a fact that the user said stands in the label.
func TestWhatTheUserDescribesIsShown(t *testing.T) {
	t.Parallel()
	all := rows(memory.Entity{Type: "plan", ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Name: "Garden", Description: "2 pages, draft, Ann"}, "House %d")
	for _, budget := range []int{0, 128, 256} {
		for said, want := range map[string]string{"Publish the draft one.": "Garden, draft", "the plan of ANN": "Garden, Ann"} {
			got := prompt.NewRenderer(&prompt.Options{Budget: budget}).RenderContent(prompt.Content{Focus: prompt.NewFocus(said), Entities: all})
			label, _ := shownAs(t, got, "6ba7b810-9dad-11d1-80b4-00c04fd430c8")
			assert.Equal(t, want, label, "budget %d\n%s", budget, got)
		}
	}
}

// TestWordSharedByThreeLabels: an attribute of three of many is what the user means, one of more is not.
func TestWordSharedByThreeLabels(t *testing.T) {
	t.Parallel()
	for olive, want := range map[int]int{1: 1, 3: 3, 4: 0} {
		all := pages(20)
		for i := range olive {
			all = append(all, page(fmt.Sprintf("page-90%02d", i), fmt.Sprintf("%d / Olive", i)))
		}
		got := prompt.NewRenderer(nil).RenderContent(prompt.Content{Focus: prompt.NewFocus("Show the olive ones."), Entities: all})
		assert.Equal(t, want, strings.Count(got, "Olive"), got)
	}
}

// TestANumberWithASignIsAnID: people write #4471 for the order 4471.
func TestANumberWithASignIsAnID(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"4471", "#4471"} {
		all := rows(memory.Entity{Type: "order", ID: id, Name: "Oak chairs"}, "Tables %d")
		for _, budget := range []int{0, 128, 256} {
			got := prompt.NewRenderer(&prompt.Options{Budget: budget}).RenderContent(prompt.Content{Focus: prompt.NewFocus("Refund #4471, please."), Entities: all})
			label, _ := shownAs(t, got, id)
			assert.Equal(t, "Oak chairs", label, "budget %d\n%s", budget, got)
		}
	}
}

// TestNamesOfStopWords: words that every message has name a thing together with its type only.
func TestNamesOfStopWords(t *testing.T) {
	t.Parallel()
	about := memory.Entity{Type: "page", ID: "page-1001", Name: "About"}
	all := rows(about, "Memo %d")
	for said, want := range map[string]bool{
		"What is it about?": false, "Tell me about the weather.": false, "Change the About page.": true, "the PAGES about us, about": true,
	} {
		focus := prompt.NewFocus(said)
		for _, budget := range []int{0, 128} {
			_, ok := shownAs(t, prompt.NewRenderer(&prompt.Options{Budget: budget}).RenderContent(prompt.Content{Focus: focus, Entities: all}), about.ID)
			assert.Equal(t, want, ok, "%s, budget %d", said, budget)
		}
		assert.Equal(t, want, len(focus.Mentioned(all, nil)) > 0, said)
	}
}

// TestLongNames: a name that is longer than a label ends in the mark of the cut.
func TestLongNames(t *testing.T) {
	t.Parallel()
	long := page("page-1001", strings.Repeat("Minutes of the meeting in ", 4)+"Trier")
	content := prompt.Content{Focus: prompt.NewFocus("Open " + long.Name), Entities: rows(long, "Memo %d")}
	for _, budget := range []int{0, 128, 256} {
		got := prompt.NewRenderer(&prompt.Options{Budget: budget}).RenderContent(content)
		label, _ := shownAs(t, got, long.ID)
		assert.Equal(t, long.Name[:prompt.DefaultLabelRunes-1]+"…", label, "budget %d\n%s", budget, got)
	}
}

// TestNamesakesHaveWholeNames: two things with the name that the user says are shown with all of it.
func TestNamesakesHaveWholeNames(t *testing.T) {
	t.Parallel()
	used := named("page-1001", "Long minutes", "cms", "cms_get_page", memory.AuthorityOwn)
	used.Held, used.Uses = true, 1
	other := named("page-1002", "Long minutes", "cms", "cms_get_page", memory.AuthorityOwn)
	content := prompt.Content{Focus: prompt.NewFocus("Open Long minutes"), Entities: append([]memory.Entity{other, used}, rows(page("page-9999", "Last"), "Memo of %d")...)}
	got := prompt.NewRenderer(&prompt.Options{Budget: 256}).RenderContent(content)
	for _, id := range []string{used.ID, other.ID} {
		label, _ := shownAs(t, got, id)
		assert.Equal(t, "Long minutes", label, "%s\n%s", id, got)
	}
}

// TestNamesakes: a stranger can give a thing the name of another one, which the user means.
func TestNamesakes(t *testing.T) {
	t.Parallel()
	own := named("page-1001", "Home", "cms", "cms_get_page", memory.AuthorityOwn)
	other := named("page-1002", "Home", "wiki", "wiki_page", memory.AuthorityOwn)
	program := page("page-1003", "Home")
	stranger := named("page-6666", "Home", "", "read_email", memory.AuthorityNone)
	inText := named("page-7777", "HOME", "", "read_email", memory.AuthorityNone)
	inText.Place = memory.PlaceFieldText
	used := named("page-1004", "home", "cms", "cms_get_page", memory.AuthorityOwn)
	used.Held, used.Uses = true, 1
	strangerUsed := stranger
	strangerUsed.Held = true
	user := named("user-1001", "Home", "cms", "cms_get_user", memory.AuthorityOwn)
	user.Type = "user"
	video := stranger
	video.Type, video.ID = "video", "video-1001"
	for _, test := range []struct {
		name     string
		said     string
		entities []memory.Entity // newest first
		named    []string        // what Mentioned returns
		hidden   []string        // what is not meant, without a budget
	}{
		{"what the agent works with", "delete Home", []memory.Entity{own, other, used}, []string{"page-1004"}, []string{"page-1001", "page-1002"}},
		{"what its own tool named", "delete Home", []memory.Entity{stranger, inText, own}, []string{"page-1001"}, []string{"page-6666", "page-7777"}},
		{"what the program named", "delete Home", []memory.Entity{stranger, program}, []string{"page-1003"}, []string{"page-6666"}},
		{"a stranger's that the agent works with", "delete Home", []memory.Entity{strangerUsed, own}, []string{"page-1001"}, nil},
		{"two of one standing", "delete Home", []memory.Entity{own, other}, []string{"page-1001", "page-1002"}, nil},
		{"the type first", "delete the Home user", []memory.Entity{own, user}, []string{"user-1001", "page-1001"}, nil},
		{"a record of another type may be meant too", "delete Home", []memory.Entity{own, video, stranger}, []string{"page-1001"}, []string{"page-6666"}},
		{"a stranger's record alone is meant, and no more", "delete Home", []memory.Entity{stranger, inText}, nil, []string{"page-7777"}},
		{"a stranger's text names nothing", "delete Home", []memory.Entity{inText}, nil, []string{"page-7777"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			all := append(rows(page("page-9999", "Last"), "Memo %d"), test.entities...)
			focus := prompt.NewFocus(test.said)
			var ids []string
			for _, r := range focus.Mentioned(all, nil) {
				ids = append(ids, r.ID)
			}
			assert.Equal(t, test.named, ids)
			for _, budget := range []int{0, 128, 256} {
				got := prompt.NewRenderer(&prompt.Options{Budget: budget}).RenderContent(prompt.Content{Focus: focus, Entities: all})
				for _, e := range test.entities {
					assert.True(t, e.ID != video.ID || containsID(t, got, e.ID), "budget %d\n%s", budget, got)
				}
				for _, id := range test.named {
					assert.True(t, containsID(t, got, id), "%s, budget %d\n%s", id, budget, got)
				}
				for _, id := range test.hidden {
					assert.False(t, budget == 0 && containsID(t, got, id), "%s\n%s", id, got)
				}
			}
		})
	}
}
