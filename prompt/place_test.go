package prompt_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/prompt"
)

var (
	oldBlock = block(`pages:`, `  - "Old" (1)`)
	newBlock = block(`pages:`, `  - "New" (2)`, `users:`, `  - "U" (3)`)
)

// guided is what a prompt shows of the new block.
var guided = prompt.Guidance + "\n" + newBlock

// conversation makes messages of roles (s, u, a, t) whose content is their
// number; b is a system message of the new block alone, behind the Guidance.
func conversation(roles string) []prompt.Message {
	var messages []prompt.Message
	n := 0
	for _, r := range roles {
		if r == 'b' {
			messages = append(messages, prompt.Message{Role: "system", Content: guided})
			continue
		}
		role := map[rune]string{'s': "system", 'u': "user", 'a': "assistant", 't': "tool"}[r]
		messages = append(messages, prompt.Message{Role: role, Content: string(rune('0' + n))})
		n++
	}
	return messages
}

func TestPlaceInAMessageOfItsOwn(t *testing.T) {
	t.Parallel()
	tests := []struct{ messages, afterPrefix, tail string }{
		{"", "b", "b"},
		{"s", "sb", "sb"},
		{"u", "bu", "bu"},
		{"su", "sbu", "sbu"},
		{"ssu", "ssbu", "ssbu"},
		{"susu", "sbusu", "susbu"},
		{"suau", "sbuau", "suabu"},
		{"suat", "sbuat", "suatb"},
		{"suatt", "sbuatt", "suattb"},
		{"suatatau", "sbuatatau", "suatatabu"},
		{"suata", "sbuata", "suatba"},
		{"sua", "sbua", "sbua"},
		{"sa", "sba", "sab"},
	}
	for _, tt := range tests {
		t.Run(tt.messages, func(t *testing.T) {
			t.Parallel()
			in := conversation(tt.messages)
			assert.Equal(t, conversation(tt.afterPrefix), prompt.Place(in, newBlock, prompt.PlaceAfterPrefix))
			assert.Equal(t, conversation(tt.tail), prompt.Place(in, newBlock, prompt.PlaceTail))
			assert.Equal(t, conversation(tt.messages), in, "the input is not changed")
		})
	}
}

func TestPlaceSystem(t *testing.T) {
	t.Parallel()
	in := conversation("usus")
	want := conversation("usus")
	want[1].Content += "\n\n" + guided
	assert.Equal(t, want, prompt.Place(in, newBlock, prompt.PlaceSystem))
	assert.Equal(t, want, prompt.Place(in, newBlock, prompt.Placement(99)))
	assert.Equal(t, conversation("bua"), prompt.Place(conversation("ua"), newBlock, prompt.PlaceSystem))
	assert.Equal(t, conversation("b"), prompt.Place(nil, newBlock, prompt.PlaceSystem))
}

func TestPlaceReplacesOldBlocks(t *testing.T) {
	t.Parallel()
	placements := []prompt.Placement{prompt.PlaceSystem, prompt.PlaceAfterPrefix, prompt.PlaceTail}
	for _, before := range placements {
		for _, after := range placements {
			for _, roles := range []string{"su", "u", "suat", "suatau", "ssu"} {
				in := conversation(roles)
				want := prompt.Place(in, newBlock, after)
				assert.Equal(t, want, prompt.Place(prompt.Place(in, oldBlock, before), newBlock, after), "%s: %v, then %v", roles, before, after)
				assert.Equal(t, in, prompt.Place(prompt.Place(in, oldBlock, before), "", after), "%s: %v, then nothing", roles, before)
			}
		}
	}
}

func TestPlaceNeverAliasesItsInput(t *testing.T) {
	t.Parallel()
	in := slices.Grow(conversation("su"), 8)
	prompt.Place(in, newBlock, prompt.PlaceSystem)[0].Content = "changed"
	prompt.Place(in, newBlock, prompt.PlaceTail)[0].Content = "changed"
	prompt.Place(in, "", prompt.PlaceTail)[0].Content = "changed"
	assert.Equal(t, conversation("su"), in)
}

func TestInSystem(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "Be brief.", prompt.InSystem("Be brief.", ""))
	assert.Equal(t, guided, prompt.InSystem("", newBlock))
	assert.Equal(t, "Be brief.\n\n"+guided, prompt.InSystem("Be brief.", newBlock))
	assert.Equal(t, "Be brief.\n\n"+guided, prompt.InSystem("Be brief.", guided), "the Guidance is there once")
	for _, old := range []string{oldBlock, prompt.WithGuidance(oldBlock)} {
		assert.Equal(t, "Be brief.\n\nAnd kind.\n\n"+guided, prompt.InSystem("Be brief.\n\n"+old+"\n\nAnd kind.", newBlock))
	}
	assert.Equal(t, "x"+prompt.Guidance+"\n\n\n"+guided, prompt.InSystem("x"+prompt.Guidance+"\n"+oldBlock, newBlock), "another line")
	assert.Equal(t, prompt.Guidance, prompt.InSystem(prompt.Guidance, ""), "without a block it is the prompt's own")
	assert.Empty(t, prompt.WithGuidance(""))
	assert.LessOrEqual(t, prompt.Estimator{}.CountTokens(prompt.Guidance), 35)
}

func TestInSystemIsUndoneByTheEmptyBlock(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		system := rapid.OneOf(rapid.String(), rapid.StringMatching(`(a|\n|\[WORKING MEMORY\]|pages:){0,6}`)).Draw(t, "system")
		once := prompt.InSystem(system, oldBlock)
		assert.Equal(t, system, prompt.InSystem(once, ""))
		assert.Equal(t, prompt.InSystem(system, newBlock), prompt.InSystem(once, newBlock))
	})
}
