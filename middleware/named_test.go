package middleware_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// TestTheLastOfFive: of a list of five, each can be spoken of, whatever the limits of the block.
func TestTheLastOfFive(t *testing.T) {
	t.Parallel()
	const list = `{"sheets": [{"id": "sheet-7001", "title": "Summary"}, {"id": "sheet-7002", "title": "Income"}, {"id": "sheet-7003", "title": "Costs"}, {"id": "sheet-7004", "title": "Staff"}, {"id": "sheet-7005", "title": "Travel"}]}`
	for _, budget := range []int{0, 64, 256} {
		rec := newRecorder(t, &middleware.Options{Block: prompt.Options{Budget: budget}})
		require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "list_sheets", Result: list}))
		block := rec.Prepare(t.Context(), prompt.Message{Role: "user", Content: "Rename the Travel sheet."})
		assert.Contains(t, block, `"Travel" (sheet-7005)`, "budget %d", budget)
	}
}

// TestNamedByTheUser: of twelve records the block shows the one that the user names, with its id
// and its whole label, in all the ways in which people name things.
func TestNamedByTheUser(t *testing.T) {
	t.Parallel()
	namedByTheUser(t, 128, 200, 256)
}

// TestNamedByTheUserWithTheConstants: the same without a budget.
func TestNamedByTheUserWithTheConstants(t *testing.T) {
	t.Parallel()
	namedByTheUser(t, 0)
}

func namedByTheUser(t *testing.T, budgets ...int) {
	t.Helper()
	numbered := func(format string, from int) (names []string) {
		for i := range 12 {
			names = append(names, fmt.Sprintf(format, from+i))
		}
		return names
	}
	with := func(tenth string) []string {
		return []string{"Home", "About", "Goods", "News", "Contact", "Blog", "Help", "Prices", "Team", tenth, "Terms", "Privacy"}
	}
	for _, tc := range []struct {
		said  string
		names []string // the user names the tenth
	}{
		{"Reserve Desk 10.", numbered("Desk %d", 1)},
		{"Reserve Desk 110.", numbered("Desk %d", 101)},
		{"Reserve Desk 1010.", numbered("Desk %d", 1001)},
		{"Hide Slide J.", numbered("Slide %c", 'A')},
		{`Hide "Slide J".`, numbered("Slide %c", 'A')},
		{"Send Audit Q10.", numbered("Audit Q%d", 1)},
		{"Go back to Build v10.", numbered("Build v%d", 1)},
		{"Add Eva to Group UK.", []string{"Group US", "Group DE", "Group FR", "Group IT", "Group ES", "Group NL", "Group PL", "Group SE", "Group AT", "Group UK", "Group JP", "Group CN"}},
		{"Phone Bo Ek.", []string{"An Ly", "Al Vo", "Cy Fu", "Di Mo", "Ed Ka", "Fo Oz", "Gi Yo", "Ha He", "Iv Qo", "Bo Ek", "Ki Da", "Le La"}},
		{"删除第10节。", numbered("第%d节", 1)},
		{"更新招聘页面的标题。", []string{"首页", "关于我们", "产品", "新闻", "联系", "博客", "帮助", "价格", "团队", "招聘", "条款", "隐私"}},
		{"Измени заголовок страницы Вакансии.", []string{"Главная", "О нас", "Товары", "Новости", "Контакты", "Блог", "Помощь", "Цены", "Команда", "Вакансии", "Условия", "Политика"}},
		{"Edit the careers page.", with("Careers")},
		{"Edit the job page.", with("Jobs")},
		{"Edit the faq.", with("FAQ")},
		{"Edit the page called Go.", with("Go")},
	} {
		for _, budget := range budgets {
			t.Run(fmt.Sprintf("%s in %d", tc.said, budget), func(t *testing.T) {
				t.Parallel()
				var rows []string
				for i, name := range tc.names {
					rows = append(rows, fmt.Sprintf(`{"id": "5d2e8a10-0000-4000-8000-1c9fb7e04a%02d", "title": %q, "status": "draft"}`, i, name))
				}
				rec := newRecorder(t, &middleware.Options{Block: prompt.Options{Budget: budget}})
				require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "cms_listItems", Result: `{"items": [` + strings.Join(rows, ", ") + `]}`}))
				block := rec.Prepare(t.Context(), prompt.Message{Role: "user", Content: tc.said})
				assert.Contains(t, block, `"`+tc.names[9]+`" (5d2e8a10-0000-4000-8000-1c9fb7e04a09`)
			})
		}
	}
}

// TestNamedInAnyList: the tenth of twelve can be named, in whatever form a list comes.
func TestNamedInAnyList(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ what, row, between, start, end string }{
		{"records", `{"id":"TSK-20%d","title":"Errand %[1]d"}`, ",", "[", "]"},
		{"a map from ids to names", `"TSK-20%d":"Errand %[1]d"`, ",", `{"tasks":{`, "}}"},
		{"a map from ids to records", `"TSK-20%d":{"title":"Errand %[1]d","state":"open"}`, ",", `{"tasks":{`, "}}"},
		{"lines", "- TSK-20%d: Errand %[1]d", "\n", "", ""},
		{"a table", "| TSK-20%d | Errand %[1]d |", "\n", "| id | title |\n|---|---|\n", ""},
	} {
		var rows []string
		for i := range 12 {
			rows = append(rows, fmt.Sprintf(tc.row, 41+i))
		}
		for _, said := range []string{"Take Errand 50.", "Take TSK-2050.", "Take 2050 now."} {
			rec := newRecorder(t, nil)
			require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "list_tasks", Result: tc.start + strings.Join(rows, tc.between) + tc.end}))
			assert.Contains(t, rec.Prepare(t.Context(), prompt.Message{Role: "user", Content: said}), `"Errand 50" (TSK-2050)`, "%s: %s", tc.what, said)
		}
	}
}
