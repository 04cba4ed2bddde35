package memory_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

func inState(state string, e memory.Entity) memory.Entity {
	return with(e, func(e *memory.Entity) { e.State = state })
}

// TestState: an entity that ended says so until it is said to be alive, and what has no
// authority to rename it says nothing of it.
func TestState(t *testing.T) {
	t.Parallel()
	hike := said("shop get_booking own", "booking b-10010 Hike")
	cancelled := inState("cancelled", hike)
	for _, test := range []struct {
		name       string
		known, now memory.Entity
		change     memory.Change
		want       string
	}{
		{"it ends", hike, inState("closed", said("shop close_booking own", "booking b-10010")), memory.Change{}, "closed: Hike"},
		{"another end", cancelled, inState("archived", hike), memory.Change{}, "archived: Hike"},
		{"nothing is said", cancelled, hike, memory.Change{}, "cancelled: Hike"},
		{"it is alive", cancelled, inState(memory.StateActive, hike), memory.Change{}, "Hike"},
		{"a new one is alive", memory.Entity{}, inState(memory.StateActive, hike), memory.Change{}, "Hike"},
		{"a stranger says that it ended", hike, inState("cancelled", said("- read_email none", "booking b-10010 Hike")), memory.Change{}, "Hike"},
		{"a stranger says that it is alive", cancelled, inState(memory.StateActive, said("- read_email none", "booking b-10010 Hike")), memory.Change{}, "cancelled: Hike"},
		{"it was asked for", hike, inState("void", said("- check none", "booking b-10010")), memory.Change{Use: []memory.Ref{{ID: "b-10010"}}}, "void: Hike"},
		{"its old state goes", with(said("shop get_booking own", "booking b-10010"), func(e *memory.Entity) { e.Description = "two beds, Pending, by the lake" }),
			inState("void", said("shop void_booking own", "booking b-10010")), memory.Change{}, "void: two beds, by the lake"},
		{"another thing with the number ended", said("- read_email none", "booking 10010 Hike"), inState("cancelled", said("shop list_orders own", "order 10010")), memory.Change{}, "cancelled: Unnamed order"},
		{"without a name", memory.Entity{}, inState("void", said("shop get_booking own", "booking b-10010")), memory.Change{}, "void: Unnamed booking"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := setup(t, 3)
			if test.known.ID != "" {
				require.NoError(t, c.Add(test.known))
			}
			test.change.Add = []memory.Entity{test.now}
			require.NoError(t, c.Apply(test.change))
			state, err := json.Marshal(c)
			require.NoError(t, err)
			restored := new(memory.WorkingContext)
			require.NoError(t, json.Unmarshal(state, restored))
			for _, c := range []*memory.WorkingContext{c, c.Branch(), restored} {
				assert.Equal(t, test.want, c.Recent(1)[0].Label())
			}
			assert.NotContains(t, string(state), memory.StateActive)
		})
	}
}

// TestRemovalByWhatTheCallSays: a call that deletes may name a thing otherwise than the call
// that returned it.
func TestRemovalByWhatTheCallSays(t *testing.T) {
	t.Parallel()
	mail := ent("email 9042 Offer")
	topic := with(ent("topic T-1001 Pond"), func(e *memory.Entity) { e.Aliases = []string{"7712"} })
	for _, test := range []struct {
		name   string
		known  []memory.Entity
		remove string
		want   []string
	}{
		{"another type", []memory.Entity{mail, topic}, "message 9042", []string{"topic T-1001 Pond"}},
		{"its type among several", []memory.Entity{mail, ent("page 9042 Home")}, "page 9042", []string{"email 9042 Offer"}},
		{"another type of several", []memory.Entity{mail, ent("page 9042 Home")}, "message 9042", []string{"email 9042 Offer", "page 9042 Home"}},
		{"another type of a short number", []memory.Entity{ent("email 42 Offer")}, "message 42", []string{"email 42 Offer"}},
		{"an alias", []memory.Entity{mail, topic}, "post 7712", []string{"email 9042 Offer"}},
		{"the name", []memory.Entity{mail, topic}, "topic Pond", []string{"email 9042 Offer"}},
		{"the name of another type", []memory.Entity{mail, topic}, "page Pond", []string{"email 9042 Offer", "topic T-1001 Pond"}},
		{"the name of several", []memory.Entity{topic, ent("topic T-1002 Pond")}, "topic Pond", []string{"topic T-1001 Pond", "topic T-1002 Pond"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := filled(t, 5, test.known...)
			require.NoError(t, c.Apply(memory.Change{Remove: []memory.Ref{ref(test.remove)}}))
			assert.Equal(t, test.want, summary(c))
		})
	}
}

// TestRemovalTakesWhatTheRecordHeld: what was only known from the record of a thing that is gone
// leaves with it, and nothing else is called after it.
func TestRemovalTakesWhatTheRecordHeld(t *testing.T) {
	t.Parallel()
	at := func(path string, role memory.Role, description string, e memory.Entity) memory.Entity {
		return with(e, func(e *memory.Entity) {
			e.Tool, e.Path, e.Role, e.Description = "list_videos", path, role, description
		})
	}
	c := filled(t, 10,
		at("$.videos[0]", memory.RoleRecord, "", ent("video 700100 Trailer")),
		at("$.videos[1]", memory.RoleRecord, "", ent("video 700101 Song")),
		at("$", memory.RoleRecord, "Trailer, Song", ent("channel ch-1001 Clocks")),
		at("$.videos[0].category", memory.RoleReference, "of Trailer", ent("category cat-27")),
		at("$.videos[0].link", memory.RoleCandidate, "Trailer", ent("url https://v.example/x")),
		at("$.videos[1].link", memory.RoleCandidate, "Song", ent("url https://v.example/y")),
		ent("resource channels/1/videos/700100"),
		ent("resource channels/1/videos/700101"),
	)
	require.True(t, c.Remove(memory.Ref{Type: "clip", ID: "700100"}))
	var left []string
	for _, e := range append(c.Recent(10), c.Candidates(10)...) {
		left = append(left, e.ID+" "+e.Name+" "+e.Description)
	}
	assert.Equal(t, []string{"700101 Song ", "ch-1001 Clocks Song", "cat-27  ", "channels/1/videos/700101  ", "https://v.example/y  Song"}, left)
}
