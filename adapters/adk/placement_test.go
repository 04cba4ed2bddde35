package adk_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/plugin"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/adapters/adk"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// contents returns the contents of a request, each as "role: parts".
func contents(req *model.LLMRequest) (all []string) {
	for _, c := range req.Contents {
		all = append(all, c.Role+": "+encode(c.Parts))
	}
	return all
}

func TestPlacements(t *testing.T) {
	t.Parallel()
	for at, want := range map[prompt.Placement]struct {
		system int   // parts of the system instruction
		blocks []int // the contents that have a block
		count  int
	}{
		prompt.PlaceSystem:      {1, nil, 5},
		prompt.PlaceAfterPrefix: {2, nil, 5},
		prompt.PlaceTail:        {1, []int{4}, 6},
		prompt.PlaceAppend:      {1, []int{3}, 6},
	} {
		t.Run(at.String(), func(t *testing.T) {
			t.Parallel()
			m, r := newScript(call("get_page "+homeID), say("Found it."), say("Done.")), newRecord(t)
			get := newTool(t, functiontool.Config{Name: "get_page"}, getPage)
			w := newWorld(t, nil, newEditor(t, m, get), adk.New(r.Recorder, &adk.Options{Placement: at}).Plugin())
			w.say("Get the home page.")
			w.say("Rename it.")

			request := m.request(-1)
			system := request.Config.SystemInstruction.Parts
			require.Len(t, system, want.system)
			assert.True(t, strings.HasPrefix(system[0].Text, instruction))
			assert.Equal(t, want.blocks == nil, strings.Contains(system[want.system-1].Text, prompt.Title))
			var blocks []int
			for i, c := range contents(request) {
				if strings.Contains(c, prompt.Title) {
					blocks = append(blocks, i)
					assert.True(t, strings.HasPrefix(c, "user: "))
				}
			}
			assert.Equal(t, want.blocks, blocks)
			assert.Len(t, request.Contents, want.count)
			for _, event := range w.events("s-1") {
				assert.NotContains(t, encode(event.Content), prompt.Title, "the session has no blocks")
			}
		})
	}
}

// With PlaceAppend each request begins with the whole of the one before.
func TestAppendKeepsThePrefix(t *testing.T) {
	t.Parallel()
	m, r := newScript(call("get_page "+homeID), call("get_page "+newsID), say("Found them."), call("get_page "+homeID), say("Done.")), newRecord(t)
	get := newTool(t, functiontool.Config{Name: "get_page"}, getPage)
	w := newWorld(t, nil, newEditor(t, m, get), adk.New(r.Recorder, &adk.Options{Placement: prompt.PlaceAppend}).Plugin())
	w.say("Get both pages.")
	w.say("And home again.")
	for i := range 4 {
		was, is := contents(m.request(i)), contents(m.request(i+1))
		assert.Equal(t, was, is[:min(len(was), len(is))], "request %d", i+1)
		assert.Equal(t, systemOf(m.request(i)), systemOf(m.request(i+1)))
	}
	assert.Equal(t, 2, strings.Count(strings.Join(contents(m.request(-1)), "\n"), prompt.Title))
}

// If another plugin changes what was said, the blocks behind it are dropped.
func TestAppendDropsTheChanged(t *testing.T) {
	t.Parallel()
	m, r := newScript(call("get_page "+homeID), call("get_page "+newsID), say("Found them."), say("Yes.")), newRecord(t)
	changed := false
	editing := newPlugin(t, plugin.Config{BeforeModelCallback: func(_ agent.Context, req *model.LLMRequest) (*model.LLMResponse, error) {
		if changed {
			req.Contents[0] = userSays("Get the pages.")
		}
		return nil, nil
	}})
	get := newTool(t, functiontool.Config{Name: "get_page"}, getPage)
	w := newWorld(t, nil, newEditor(t, m, get), editing, adk.New(r.Recorder, &adk.Options{Placement: prompt.PlaceAppend}).Plugin())
	w.say("Get both pages.")
	blocks := func() int { return strings.Count(strings.Join(contents(m.request(-1)), "\n"), prompt.Title) }
	assert.Equal(t, 2, blocks())
	changed = true
	w.say("Done?")
	assert.Equal(t, 1, blocks())
}

// A system instruction may have several parts, and old blocks. The original is not modified.
func TestSystemInstructions(t *testing.T) {
	t.Parallel()
	text := genai.NewPartFromText
	image := genai.NewPartFromBytes([]byte("png"), "image/png")
	stale := prompt.WithGuidance("[WORKING MEMORY]\npages:\n  - \"Old\" (page-1001)")
	for name, test := range map[string]struct {
		config *genai.GenerateContentConfig
		want   []string // beginnings of the parts
		empty  []string // the same if there is nothing to show
	}{
		"no config":  {nil, []string{"The working memory"}, nil},
		"none":       {&genai.GenerateContentConfig{}, []string{"The working memory"}, nil},
		"no parts":   {instructed(), []string{"The working memory"}, nil},
		"two texts":  {instructed(text("You edit."), text("Be brief.")), []string{"You edit.", "Be brief.\n\nThe working memory"}, []string{"You edit.", "Be brief."}},
		"text first": {instructed(text("You edit."), image), []string{"You edit.\n\nThe working memory", ""}, []string{"You edit.", ""}},
		"no text":    {instructed(image, nil), []string{"", "", "The working memory"}, []string{"", ""}},
		"old block":  {instructed(text(stale)), []string{"The working memory"}, nil},
		"old blocks": {
			instructed(text("You edit.\n\n"+stale), text(stale), text("Be brief.")),
			[]string{"You edit.", "Be brief.\n\nThe working memory"}, []string{"You edit.", "Be brief."},
		},
	} {
		for _, empty := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", nothing to show"}[empty], func(t *testing.T) {
				t.Parallel()
				r, want := newRecord(t), test.want
				m := newScript(call("get_page "+homeID), say("Found it."), say("Yes."))
				if empty {
					m, want = newScript(say("Hello."), say("Yes.")), test.empty
				}
				given := func() *genai.GenerateContentConfig {
					if test.config == nil {
						return nil
					}
					c := *test.config
					return &c
				}
				var last *model.LLMRequest
				setting := newPlugin(t, plugin.Config{BeforeModelCallback: func(_ agent.Context, req *model.LLMRequest) (*model.LLMResponse, error) {
					req.Config, last = given(), req
					return nil, nil
				}})
				before := encode(test.config)
				get := newTool(t, functiontool.Config{Name: "get_page"}, getPage)
				w := newWorld(t, nil, newEditor(t, m, get), setting, adk.New(r.Recorder, nil).Plugin())
				w.say("Get the home page.")
				w.say("Is it there?")
				assert.Equal(t, before, encode(test.config))
				var got []*genai.Part
				if last.Config != nil && last.Config.SystemInstruction != nil {
					got = last.Config.SystemInstruction.Parts
				}
				require.Len(t, got, len(want), "%s", encode(got))
				if test.config != nil {
					assert.Equal(t, test.config.MaxOutputTokens, last.Config.MaxOutputTokens)
				}
				for i, p := range got {
					if p != nil {
						assert.True(t, strings.HasPrefix(p.Text, want[i]), "part %d: %q", i, p.Text)
					}
				}
				assert.Equal(t, !empty, strings.Count(systemText(got), prompt.Title) == 1)
				assert.NotContains(t, systemText(got), "page-1001")
			})
		}
	}
}

func instructed(parts ...*genai.Part) *genai.GenerateContentConfig {
	return &genai.GenerateContentConfig{SystemInstruction: &genai.Content{Parts: parts}, MaxOutputTokens: 100}
}

func systemText(parts []*genai.Part) (text string) {
	for _, p := range parts {
		if p != nil {
			text += p.Text + "\n"
		}
	}
	return text
}
