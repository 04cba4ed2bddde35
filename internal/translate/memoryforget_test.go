package translate_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// forgettable are memories by how many days ago they were made and used.
func forgettable(w *memoryWorld, t *testing.T) {
	t.Helper()
	at := func(days float64) string {
		return march.Add(-time.Duration(days * 24 * float64(time.Hour))).Format(time.RFC3339Nano)
	}
	var all []string
	for _, m := range []struct {
		id            string
		created, used float64
		more          string
	}{
		{"old-unused", 100, 90, ""}, {"old-used", 100, 1, ""}, {"ancient-used", 1000, 2, ""}, {"new", 0.25, 0.25, ""},
		{"pinned", 1000, 900, `,"pinned":true`}, {"episode", 100, 95, `,"memory_type":"episodic"`},
		{"session", 100, 80, `,"session_id":"s1"`}, {"bobs", 100, 85, `,"user_id":"bob","namespace":"shop"`},
	} {
		all = append(all, fmt.Sprintf(`{"id":%q,"text":%q,"created_at":%q,"last_accessed":%q%s}`, m.id, "text of "+m.id, at(m.created), at(m.used), m.more))
	}
	w.create(t, strings.Join(all, ","))
}

func TestForget(t *testing.T) {
	t.Parallel()
	type request struct {
		namespace, user, session *string
		limit                    int
	}
	for name, c := range map[string]struct {
		request
		body    string
		scanned int
		want    string
	}{
		"nothing":            {request{}, `{"policy":{}}`, 8, ""},
		"age":                {request{}, `{"policy":{"max_age_days":50}}`, 8, "old-unused old-used ancient-used episode session bobs"},
		"age as a text":      {request{}, `{"policy":{"max_age_days":"500"}}`, 8, "ancient-used"},
		"part of a day":      {request{}, `{"policy":{"max_age_days":0.2}}`, 8, "old-unused old-used ancient-used episode session bobs new"},
		"another part":       {request{}, `{"policy":{"max_age_days":0.3}}`, 8, "old-unused old-used ancient-used episode session bobs"},
		"no days":            {request{}, `{"policy":{"max_inactive_days":0}}`, 8, "old-unused old-used ancient-used episode session bobs new"},
		"so many days":       {request{}, `{"policy":{"max_age_days":1e300}}`, 8, ""},
		"inactive":           {request{}, `{"policy":{"max_inactive_days":80.5}}`, 8, "old-unused episode bobs"},
		"both":               {request{}, `{"policy":{"max_age_days":50,"max_inactive_days":50}}`, 8, "old-unused episode session bobs ancient-used"},
		"both, and harder":   {request{}, `{"policy":{"max_age_days":50,"max_inactive_days":50,"hard_age_multiplier":2}}`, 8, "old-unused episode session bobs ancient-used"},
		"both, and mild":     {request{}, `{"policy":{"max_age_days":50,"max_inactive_days":50,"hard_age_multiplier":30}}`, 8, "old-unused episode session bobs"},
		"budget":             {request{}, `{"policy":{"budget":3}}`, 8, "episode old-unused bobs session"},
		"budget of none":     {request{}, `{"policy":{"budget":"0"}}`, 8, "old-unused old-used ancient-used episode session bobs new"},
		"budget of all":      {request{}, `{"policy":{"budget":9223372036854775807}}`, 8, ""},
		"types":              {request{}, `{"policy":{"max_age_days":50,"memory_type_allowlist":["episodic"]}}`, 8, "episode"},
		"no types":           {request{}, `{"policy":{"max_age_days":50,"memory_type_allowlist":[]}}`, 8, ""},
		"pinned ids":         {request{}, `{"policy":{"max_inactive_days":50},"pinned_ids":["episode","bobs","none"]}`, 8, "old-unused session"},
		"session":            {request{session: new("s1")}, `{"policy":{"max_age_days":50}}`, 1, "session"},
		"user":               {request{user: new("bob")}, `{"policy":{"max_age_days":50}}`, 1, "bobs"},
		"no namespace":       {request{namespace: new("")}, `{"policy":{"max_inactive_days":84}}`, 7, "old-unused episode"},
		"another namespace":  {request{namespace: new("none")}, `{"policy":{"max_age_days":0}}`, 0, ""},
		"the least used one": {request{limit: 1}, `{"policy":{"max_age_days":50}}`, 1, "episode"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newMemoryWorld(t, nil)
			forgettable(w, t)
			want := strings.Fields(c.want)
			for _, dryRun := range []bool{true, false} {
				f, err := w.ForgetMemories(t.Context(), unbound, c.namespace, c.user, c.session, cmp.Or(c.limit, 1000), dryRun, body[wire.Forget](t, c.body))
				require.NoError(t, err)
				assert.ElementsMatch(t, want, f.DeletedIDs)
				assert.NotNil(t, f.DeletedIDs)
				assert.Equal(t, len(want), f.Deleted, "what would go, too")
				assert.Equal(t, c.scanned, f.Scanned)
				assert.Equal(t, dryRun, f.DryRun)
				left := 8
				if !dryRun {
					left -= len(want)
				}
				assert.Equal(t, left, w.find(t, unbound, `{}`).Total)
			}
		})
	}
}

func TestForgettingThatIsRefused(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	forgettable(w, t)
	for text, at := range map[string]string{
		`{"policy":{"max_age_days":-1}}`:                           "max_age_days",
		`{"policy":{"max_inactive_days":-0.1}}`:                    "max_inactive_days",
		`{"policy":{"budget":-1}}`:                                 "budget",
		`{"policy":{"hard_age_multiplier":0.5}}`:                   "hard_age_multiplier",
		`{"policy":{"hard_age_multiplier":0}}`:                     "hard_age_multiplier",
		`{"policy":{"budget":0,"memory_type_allowlist":["poem"]}}`: "memory_type_allowlist",
	} {
		_, err := w.ForgetMemories(t.Context(), unbound, nil, nil, nil, 1000, false, body[wire.Forget](t, text))
		refused := refuses(t, service.Invalid, err)
		require.NotEmpty(t, refused.Fields)
		assert.Contains(t, refused.Fields[0].Path, at)
	}
	many := &wire.Forget{Policy: &wire.ForgetPolicy{Budget: new(wire.Int)}, PinnedIDs: make([]string, 1001)}
	_, err := w.ForgetMemories(t.Context(), unbound, nil, nil, nil, 1000, false, many)
	assert.Equal(t, []string{"pinned_ids"}, refuses(t, service.Invalid, err).Fields[0].Path)
	for _, limit := range []int{-1, 0, 10_001} {
		_, err := w.ForgetMemories(t.Context(), unbound, nil, nil, nil, limit, false, body[wire.Forget](t, `{"policy":{"budget":0}}`))
		assert.Equal(t, []string{"limit"}, refuses(t, service.Invalid, err).Fields[0].Path)
	}
	assert.Equal(t, 8, w.find(t, unbound, `{}`).Total)
}
