package extractor_test

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
)

// made is a secret, or an id that looks like one, made from the form that testdata gives.
type made struct{ name, text string }

// makeAll makes a text of each form in a file, the same in each run.
func makeAll(t *testing.T, file string) (all []made) {
	t.Helper()
	for _, line := range dataLines(t, file) {
		name, form, ok := strings.Cut(line, "\t")
		require.True(t, ok, line)
		all = append(all, made{name, makeText(t, name, form)})
	}
	return all
}

func dataLines(t *testing.T, file string) (lines []string) {
	t.Helper()
	data, err := os.ReadFile("testdata/secrets/" + file)
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "# ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// makeText returns a text that an expression matches. The last L of a payment card is its
// check digit.
func makeText(t *testing.T, name, form string) string {
	t.Helper()
	re, err := syntax.Parse(form, syntax.Perl)
	require.NoError(t, err)
	seed := fnv.New64a()
	fmt.Fprint(seed, name)
	var b strings.Builder
	writeMatch(&b, re, rand.New(rand.NewPCG(seed.Sum64(), 1)))
	if number, ok := strings.CutSuffix(b.String(), "L"); ok && strings.HasPrefix(name, "payment card") {
		return number + luhn(number)
	}
	return b.String()
}

func writeMatch(b *strings.Builder, re *syntax.Regexp, random *rand.Rand) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		var all []rune
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				all = append(all, r)
			}
		}
		b.WriteRune(all[random.IntN(len(all))])
	case syntax.OpRepeat:
		for range re.Max {
			writeMatch(b, re.Sub[0], random)
		}
	default:
		for _, sub := range re.Sub {
			writeMatch(b, sub, random)
		}
	}
}

// luhn returns the digit that makes the digits of a number those of a card.
func luhn(number string) string {
	sum, double := 0, true
	for i := len(number) - 1; i >= 0; i-- {
		if number[i] == ' ' {
			continue
		}
		n := int(number[i] - '0')
		if double {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum, double = sum+n, !double
	}
	return fmt.Sprint((10 - sum%10) % 10)
}

// place is where a secret is: in a result in JSON or in text, or in an argument.
type place struct{ Name, JSON, Text, Argument, Tool string }

func (p *place) input(text string) extractor.Input {
	in := extractor.Input{Tool: "get_user"}
	if p.Tool != "" {
		in.Tool = p.Tool
	}
	once := quoted(text)
	switch {
	case p.Argument != "":
		in.Arguments, in.Result = map[string]any{p.Argument: text}, p.JSON
	case p.JSON != "":
		in.Result = strings.ReplaceAll(strings.ReplaceAll(p.JSON, "%%", quoted(once)), "%", once)
	default:
		in.Result = strings.ReplaceAll(p.Text, "%", text)
	}
	return in
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b[1 : len(b)-1])
}

// keptOf returns a text of an extraction in which a part of a secret is, or "". The entities
// of a context, and what uses refer to, have no other texts.
func keptOf(out *extractor.Extraction, secret string) string {
	const part = 12 // bytes of a secret that are no accident
	texts := []string{}
	for _, e := range out.Entities {
		texts = append(texts, e.Type, e.ID, e.Name, e.Slug, e.Description, e.Path, e.Preferred)
		texts = append(texts, e.Aliases...)
	}
	for _, ref := range slices.Concat(out.Used, out.Removed) {
		texts = append(texts, ref.Type, ref.ID)
	}
	for line := range strings.Lines(secret) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "-----") {
			continue
		}
		for i := 0; i == 0 || i+part <= len(line); i++ {
			for _, text := range texts {
				if strings.Contains(text, line[i:min(len(line), i+part)]) {
					return text
				}
			}
		}
	}
	return ""
}

// secretPart returns what must not be kept of a secret: of a URL, its password or its end.
func secretPart(m made) string {
	switch {
	case strings.HasPrefix(m.name, "password in"):
		_, rest, _ := strings.Cut(m.text[8:], ":")
		password, _, _ := strings.Cut(strings.TrimPrefix(rest, "//"), "@")
		return password[strings.LastIndexByte(password, ':')+1:]
	case strings.HasPrefix(m.text, "https://"):
		return m.text[len(m.text)-24:]
	}
	return m.text
}

// TestSecretsAreNotKept puts secrets of each kind in each place. At most one in a hundred is
// kept; -v shows which.
func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	var places []place
	data, err := os.ReadFile("testdata/secrets/places.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &places))
	secrets, x := makeAll(t, "forms.txt"), extractor.Default(extractor.WideLimits())
	require.GreaterOrEqual(t, len(secrets), 62)
	require.GreaterOrEqual(t, len(places), 15)
	kept := 0
	for _, m := range secrets {
		for i := range places {
			out, err := x.Extract(t.Context(), places[i].input(m.text))
			require.NoError(t, err)
			if text := keptOf(&out, secretPart(m)); text != "" {
				kept++
				t.Logf("%s in %s: %q", m.name, places[i].Name, text)
			}
		}
	}
	all := len(secrets) * len(places)
	t.Logf("%d kinds of secrets in %d places: %d of %d are kept", len(secrets), len(places), kept, all)
	assert.LessOrEqual(t, kept, all/100)
}

// TestWrappedSecretsAreNotKept puts a secret between what may be around it in a text, and in a
// string of JSON.
func TestWrappedSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	secret, x := makeText(t, "wrapped", "ghp_[0-9A-Za-z]{36}"), extractor.Default(extractor.WideLimits())
	wrappings := dataLines(t, "wrappings.txt")
	require.GreaterOrEqual(t, len(wrappings), 30)
	kept := 0
	for _, w := range wrappings {
		wrapped := strings.ReplaceAll(w, "%3D%", "%3D"+secret)
		if wrapped == w {
			wrapped = strings.ReplaceAll(w, "%", secret)
		}
		for _, result := range []string{wrapped, "The user u-1001 has " + wrapped + " now.", `{"id":"u-1001","note":"has ` + quoted(wrapped) + `"}`, `{"id":"` + quoted(wrapped) + `"}`} {
			out, err := x.Extract(t.Context(), extractor.Input{Tool: "get_user", Result: result})
			require.NoError(t, err)
			if text := keptOf(&out, secret); text != "" {
				kept++
				t.Logf("%s: %q", result, text)
			}
		}
	}
	t.Logf("%d wrappings in 4 places: %d of %d are kept", len(wrappings), kept, 4*len(wrappings))
	assert.Zero(t, kept)
}

// TestLabelledSecretsAreNotKept: passwords, codes and numbers of persons have no form, but a
// label.
func TestLabelledSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	x := extractor.Default(extractor.WideLimits())
	kept, all := 0, 0
	for _, line := range dataLines(t, "labelled.txt") {
		text, secret := line, ""
		for mark, form := range map[string]string{"#": "[1-9][0-9]{5}", "?": "[A-Z][a-z]{3}[0-9]{3}[a-z]{4}x9", "&": "[1-6][0-9]{2}-[1-9]{2}-[0-9]{4}"} {
			if strings.Contains(line, mark) {
				secret = makeText(t, line, form)
				if strings.Contains(line, "?access") || strings.Contains(line, "?X-Amz") {
					text = strings.Replace(strings.Replace(line, "=?", "="+secret, 1), "\x00", "?", 1)
				} else {
					text = strings.ReplaceAll(line, mark, secret)
				}
			}
		}
		results := []string{text, "User u-1001 reads:\n" + text + "\n"}
		if text[0] != '{' && text[0] != '<' {
			results = append(results, `{"id":"u-1001","note":"`+quoted("Ann wrote: "+text)+`"}`, `{"id":"u-1001","name":"`+quoted(text)+`"}`)
		}
		for _, result := range results {
			out, err := x.Extract(t.Context(), extractor.Input{Tool: "get_user", Result: result})
			require.NoError(t, err)
			all++
			if text := keptOf(&out, secret); text != "" {
				kept++
				t.Logf("%s: %q", result, text)
			}
		}
	}
	t.Logf("%d of %d are kept", kept, all)
	assert.LessOrEqual(t, kept, all/100)
}

// TestSecretsOfSettingsAreNotKept: a field beside a value says that it is a secret, before or
// behind it, also where a result without records is read as text.
func TestSecretsOfSettingsAreNotKept(t *testing.T) {
	t.Parallel()
	x, secret := extractor.Default(extractor.WideLimits()), "Zx81kk-99182-aa"
	for _, result := range []string{
		"spec:\n  containers:\n    - name: web\n      env:\n        - name: DB_PASSWORD\n          value: %\n",
		"name,value\nDB_PASSWORD,%\nDB_HOST,db-1001\n",
		"| setting | value |\n|---|---|\n| api_key | % |\n| host | db-1001 |\n",
		`{"id":"v-1001","value":"%","key":"DB_PASSWORD"}`,
		`{"id":"v-1001","key":"DB_PASSWORD","value":"%"}`,
		`{"changes":[{"field":"password","old":"a-1","new":"%"}]}`,
		`{"answers":[{"answer":"%","label":"Password"}]}`,
		`{"key":"DB_PASSWORD","values":["%"]}`,
		`{"name":"DB_PASSWORD","value":{"current":"%"}}`,
		`{"ssid":"office-1","psk":"%"}`,
	} {
		out, err := x.Extract(t.Context(), extractor.Input{Tool: "get_config", Result: strings.ReplaceAll(result, "%", secret)})
		require.NoError(t, err)
		assert.Empty(t, keptOf(&out, secret), result)
	}
	out := extract(t, extractor.Input{Tool: "list_api_keys", Result: `{"keys":[{"id":"key_10001","name":"CI","key":"` + secret + `"}]}`})
	assert.Empty(t, keptOf(&out, secret))
	assert.Equal(t, "key_10001", out.Entities[0].ID)

	out = extract(t, extractor.Input{Tool: "get_config", Result: `{"env":[{"name":"DB_PASSWORD","value":"` + secret + `"},{"name":"HOSTNAME","value":"db-10001"}]}`})
	assert.Equal(t, "db-10001", out.Entities[0].ID)
	assert.NotContains(t, out.Entities[0].Name, "PASSWORD", "the name of a secret is nobody else's")

	out = extract(t, extractor.Input{Tool: "get_page", Result: `{"pages":[{"id":"page-1001","title":"Reset a password","content":"Ask for ticket T-2002 first."}]}`})
	assert.True(t, slices.ContainsFunc(out.Entities, func(e memory.Entity) bool { return e.ID == "T-2002" }), "a text below such a title is none")
}

// shellCase is what a command or a tool that reads secrets prints.
type shellCase struct {
	Command, Tool, Arguments, Result, Secret string
	Keep                                     []string
}

// TestSecretsOfShellsAreNotKept: a command that reads secrets shows their names, never a value, in its
// result and in its arguments.
func TestSecretsOfShellsAreNotKept(t *testing.T) {
	t.Parallel()
	var cases []shellCase
	data, err := os.ReadFile("testdata/secrets/shell.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &cases))
	x := extractor.Default(extractor.WideLimits())
	for _, c := range cases {
		for _, secret := range []string{"Zx81kk-99182-aa", "sk_live_51Nq0ZZ9pQk2w7Lm4Tx", "rk_live_51Nq0ZZ9pQk2w7Lm4Tx", "whsec_Ab3dE9pNq0Qk2LmVt", "glpat-Ab3dE9pNq0Qk2LmVtXy7", "horse battery staple"} {
			if strings.Contains(secret, " ") && !strings.HasPrefix(c.Result, "%") {
				continue
			}
			encoded := base64.StdEncoding.EncodeToString([]byte(secret))
			fill := func(text string) string {
				return strings.ReplaceAll(strings.ReplaceAll(text, "^", encoded), "%", secret)
			}
			tool, arguments := c.Tool, any(fill(c.Arguments))
			if tool == "" {
				tool, arguments = "bash", map[string]any{"command": fill(c.Command)}
			}
			out, err := x.Extract(t.Context(), extractor.Input{Tool: tool, Arguments: arguments, Result: fill(c.Result)})
			require.NoError(t, err)
			for _, hidden := range []string{cmp.Or(c.Secret, secret), encoded} {
				assert.Empty(t, keptOf(&out, hidden), "%s%s%s", c.Command, c.Tool, c.Arguments)
			}
			for _, id := range c.Keep {
				isIt := func(e memory.Entity) bool { return e.ID == id || slices.Contains(e.Aliases, id) }
				assert.True(t, slices.ContainsFunc(out.Entities, isIt), "%s%s%s: %s is lost", c.Command, c.Tool, c.Arguments, id)
			}
		}
	}
}

// TestRulesKeepNoSecrets: a rule selects an id, a name, a description and a key on their path.
func TestRulesKeepNoSecrets(t *testing.T) {
	t.Parallel()
	x, err := extractor.New(&extractor.Options{Rules: []extractor.Rule{{Tool: "list_*", Type: "user", List: "users.*", ID: "ref", Name: "title", Description: "memo"}}})
	require.NoError(t, err)
	for _, m := range makeAll(t, "forms.txt") {
		text := quoted(m.text)
		for _, result := range []string{
			`{"users":{"a":{"ref":"` + text + `","title":"Ann"},"b":{"ref":"u-1","title":"Ben"}}}`,
			`{"users":{"a":{"ref":"u-1","title":"` + text + `","memo":"See ` + text + ` too"}}}`,
			`{"users":{"` + text + `":{"ref":"u-1","title":"Ann"}}}`,
		} {
			out, err := x.Extract(t.Context(), extractor.Input{Tool: "list_users", Result: result})
			require.NoError(t, err)
			assert.Empty(t, keptOf(&out, secretPart(m)), "%s: %s", m.name, result)
		}
	}
}

// TestPublicIdsStay: what looks like a secret and is none is kept as an identifier.
func TestPublicIdsStay(t *testing.T) {
	t.Parallel()
	hasID := func(in extractor.Input, id string) bool {
		return slices.ContainsFunc(extract(t, in).Entities, func(e memory.Entity) bool { return e.ID == id || slices.Contains(e.Aliases, id) })
	}
	for _, m := range makeAll(t, "public.txt") {
		assert.True(t, hasID(extractor.Input{Tool: "get_item", Result: `{"id":"` + m.text + `","name":"Main"}`}, m.text), "%s %s", m.name, m.text)
		assert.True(t, hasID(extractor.Input{Tool: "get_item", Result: "id: " + m.text + "\nname: Main\n"}, m.text), "%s %s", m.name, m.text)
	}
	key := makeText(t, "AWS", "AKIA[A-Z2-7]{16}")
	assert.True(t, hasID(extractor.Input{Tool: "ListAccessKeys", Result: `{"AccessKeyMetadata":[{"UserName":"ann","AccessKeyId":"` + key + `","Status":"Active"}]}`}, key))
	assert.False(t, hasID(extractor.Input{Tool: "get_user", Result: `{"id":"` + key + `","name":"Ann"}`}, key))
	used := extract(t, extractor.Input{Tool: "DeleteAccessKey", Arguments: `{"AccessKeyId":"` + key + `"}`})
	assert.Contains(t, slices.Concat(used.Used, used.Removed), memory.Ref{Type: "access_key", ID: key})
}
