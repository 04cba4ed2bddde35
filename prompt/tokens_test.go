package prompt_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
	"github.com/go-workingmemory/workingmemory/prompt/tiktoken"
)

const (
	digits = "0123456789"
	hex    = "0123456789abcdef"
	base32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	base62 = digits + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// kinds are entities by what their ids and labels look like, and the bounds of
// estimate to exact count of blocks of twenty of them. Beyond ASCII the
// Estimator is on the high side by design: older encodings need twice as many
// tokens there as o200k_base.
var kinds = []struct {
	name     string
	least    float64
	most     float64
	label    string
	id       string // # digit, x hex digit, B base 32, Z base 62, w English word
	onlyMine bool   // labels of this kind's own words
}{
	{"uuid", 1.0, 1.2, "", "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx", false},
	{"ulid", 0.95, 1.15, "", "BBBBBBBBBBBBBBBBBBBBBBBBBB", false},
	{"decimal", 1.0, 1.2, "", "##########", false},
	{"order", 1.0, 1.2, "", "#W#######", false},
	{"sha", 1.0, 1.2, "", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", false},
	{"prefixed", 0.92, 1.2, "", "cus_ZZZZZZZZZZZZZZ", false},
	{"arn", 1.0, 1.25, "", "arn:aws:iam::############:role/w-w", false},
	{"slug", 1.0, 1.4, "", "w-w-w", false},
	{"email", 1.0, 1.6, "", "w.w##@example.com", false},
	{"Latin", 1.0, 2.0, "Größe Straße Café señor años Übergabe naïve", "####", true},
	{"Cyrillic", 1.0, 2.0, "Отчёт Заказ клиента Главная страница сайта", "####", true},
	{"Chinese", 1.0, 2.0, "订单详情 页面 发票 客户管理 产品目录", "####", true},
	{"Arabic", 1.0, 3.0, "تقرير المبيعات للربع الثالث طلب العميل", "####", true},
	{"Devanagari", 1.0, 3.0, "तीसरी तिमाही की बिक्री रिपोर्ट ग्राहक", "####", true},
	{"emoji", 1.0, 2.0, "🚀 🎉 👍 🔥 ✅ 📦", "####", true},
	{"escapes", 1.0, 1.6, "a\u200bb <b> \"x\" {y}\n", "####", true},
}

const english = `Home About Welcome Post Wireless Headphones Laptop red blue 10 hours delivered pending
	Quarterly report for the sales team Invoice March Customer onboarding Fix login redirect when session
	expires Berlin office Database migration Watch leather strap Flight economy New York cancelled Keyboard`

func TestEstimator(t *testing.T) {
	t.Parallel()
	exact, err := tiktoken.New("o200k_base")
	require.NoError(t, err)
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, 2))
			words := strings.Fields(english)
			if k.onlyMine {
				words = strings.Fields(k.label)
			}
			for range 20 {
				var entities []memory.Entity
				for range 20 {
					entities = append(entities, page(fillIn(rng, k.id), phrase(rng, words)))
				}
				text := prompt.NewRenderer(&prompt.Options{PerType: 20}).Render(entities)
				ratio := float64(prompt.Estimator{}.CountTokens(text)) / float64(exact.CountTokens(text))
				assert.GreaterOrEqual(t, ratio, k.least)
				assert.LessOrEqual(t, ratio, k.most)
			}
		})
	}
}

func phrase(rng *rand.Rand, words []string) string {
	p := make([]string, 1+rng.IntN(5))
	for i := range p {
		p[i] = words[rng.IntN(len(words))]
	}
	return strings.Join(p, " ")
}

// fillIn makes an id of a pattern.
func fillIn(rng *rand.Rand, pattern string) string {
	var b strings.Builder
	for i, r := range pattern {
		alphabet := map[rune]string{'#': digits, 'x': hex, 'B': base32, 'Z': base62}[r]
		switch {
		case r == 'w' && (i == 0 || !strings.ContainsRune("ab", rune(pattern[i-1]))):
			words := strings.Fields(strings.ToLower(english))
			b.WriteString(words[rng.IntN(len(words))])
		case alphabet == "" || strings.HasPrefix(pattern[i:], "#W"), strings.Contains(pattern, "example") && r == 'x':
			b.WriteRune(r)
		default:
			b.WriteByte(alphabet[rng.IntN(len(alphabet))])
		}
	}
	return b.String()
}

func TestEstimatorRule(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "a": 1, "Home": 1, "Home page": 2, "headphones": 2, "123": 1, "1234": 2, "page 7": 3,
		"URL": 2, "a1b2": 4, "listPages": 3, `  - "Home" (1)`: 8, "é": 1, "发票": 2, "🚀": 3, "\xff": 2,
	} {
		assert.Equal(t, want, prompt.Estimator{}.CountTokens(text), text)
	}
}
