package session_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
)

const goodHead = `{"created_at":"2026-03-01T12:00:00Z"}`

var damages = map[string]struct{ head, body, part string }{
	"no JSON":                  {"SECRET", `{"role":"user","content":""}`, "head"},
	"truncated":                {goodHead[:20], `{"role":"user","content":""}`, "head"},
	"foreign JSON":             {`{"SECRET":1}`, `{"role":"user","content":""}`, "head"},
	"a list":                   {`["SECRET"]`, `{"role":"user","content":""}`, "head"},
	"null":                     {`null`, `{"role":"user","content":""}`, "head"},
	"empty object":             {`{}`, `{"role":"user","content":""}`, "head"},
	"empty":                    {``, `{"role":"user","content":""}`, "head"},
	"wrong type":               {`{"created_at":"2026-03-01T12:00:00Z","context":{"SECRET":1}}`, `{"role":"user","content":""}`, "head"},
	"no time":                  {`{"created_at":"SECRET"}`, `{"role":"user","content":""}`, "head"},
	"field given twice":        {`{"created_at":"2026-03-01T12:00:00Z","context":"a","context":"SECRET"}`, `{"role":"user","content":""}`, "head"},
	"entities":                 {`{"created_at":"2026-03-01T12:00:00Z","entities":{"entities":[{"type":"SECRET"}]}}`, `{"role":"user","content":""}`, "head"},
	"negative TTL":             {`{"created_at":"2026-03-01T12:00:00Z","ttl_ms":-1}`, `{"role":"user","content":""}`, "head"},
	"TTL without end":          {`{"created_at":"2026-03-01T12:00:00Z","ttl_ms":9223372036855}`, `{"role":"user","content":""}`, "head"},
	"more behind it":           {goodHead + `{"SECRET":1}`, `{"role":"user","content":""}`, "head"},
	"kept beyond the last":     {progress(`{"kept":3}`), `{"role":"user","content":""}`, "head"},
	"extracted beyond":         {progress(`{"extracted":18446744073709551615}`), `{"role":"user","content":""}`, "head"},
	"negative failures":        {progress(`{"failures":-1}`), `{"role":"user","content":""}`, "head"},
	"lease is no time":         {progress(`{"lease":"SECRET"}`), `{"role":"user","content":""}`, "head"},
	"unknown progress":         {progress(`{"SECRET":1}`), `{"role":"user","content":""}`, "head"},
	"message is no JSON":       {goodHead, `SECRET`, "message 1"},
	"message of others":        {goodHead, `{"type":"human","data":{"content":"SECRET"}}`, "message 1"},
	"message without role":     {goodHead, `{"content":"SECRET"}`, "message 1"},
	"message of wrong type":    {goodHead, `{"role":7}`, "message 1"},
	"message with a new field": {goodHead, `{"role":"user","content":"SECRET","audio":"x"}`, "message 1"},
}

func progress(text string) string {
	return `{"created_at":"2026-03-01T12:00:00Z","progress":` + text + `}`
}

func TestDamageIsReportedAndNeverOverwritten(t *testing.T) {
	t.Parallel()
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, store := newManager(t)
			fixture.Put(t, store, fixture.Anna, driver.Format, damage.head, damage.body)
			for operation, err := range operations(t, m) {
				wrong, ok := errors.AsType[*session.DamagedError](err)
				require.True(t, ok, "%s: %v", operation, err)
				assert.Equal(t, fixture.Anna, wrong.Key)
				assert.Equal(t, damage.part, wrong.Part)
				assert.Contains(t, err.Error(), "shop/anna/s-1")
				assert.NotContains(t, err.Error(), "SECRET")
			}
			r, err := store.Load(t.Context(), fixture.Anna, -1)
			require.NoError(t, err)
			assert.Equal(t, damage.head, string(r.Head))
			assert.Equal(t, damage.body, string(r.Messages[0].Body))
			require.NoError(t, m.Delete(t.Context(), fixture.Anna), "what is damaged can be deleted")
		})
	}
}

// operations are the errors of those that read a whole session.
func operations(t *testing.T, m *session.Manager) map[string]error {
	t.Helper()
	_, load := m.Load(t.Context(), fixture.Anna, nil)
	_, update := m.Update(t.Context(), fixture.Anna, changeAll, nil)
	_, branch := m.Branch(t.Context(), fixture.Anna, fixture.Berta, nil)
	return map[string]error{"load": load, "update": update, "branch": branch}
}

func TestLaterFormatIsReportedAndNeverOverwritten(t *testing.T) {
	t.Parallel()
	m, store := newManager(t)
	head, body := `{"made_by":"a later version"}`, `{"parts":[]}`
	fixture.Put(t, store, fixture.Anna, driver.Format+1, head, body)
	failed := operations(t, m)
	_, failed["append"] = m.Append(t.Context(), fixture.Anna, fixture.Numbered(2, 2), nil)
	_, failed["head"] = m.UpdateHead(t.Context(), fixture.Anna, changeAll, nil)
	for operation, err := range failed {
		wrong, ok := errors.AsType[*session.FormatError](err)
		require.True(t, ok, "%s: %v", operation, err)
		assert.Equal(t, session.FormatError{Key: fixture.Anna, Format: driver.Format + 1, Known: driver.Format}, *wrong)
		assert.Contains(t, err.Error(), "shop/anna/s-1")
	}
	r, err := store.Load(t.Context(), fixture.Anna, -1)
	require.NoError(t, err)
	assert.Equal(t, head, string(r.Head))
	assert.Len(t, r.Messages, 1)
	assert.Equal(t, body, string(r.Messages[0].Body))
	require.NoError(t, m.Delete(t.Context(), fixture.Anna))
}

func TestLargeHeadIsRefused(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	_, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
		s.Context = strings.Repeat("x", memory.MaxStateBytes+1)
		return nil
	}, nil)
	require.ErrorIs(t, err, session.ErrTooLarge)
}

// A stored session is either read or reported as damaged. Saving what was read does not change it.
func FuzzStored(f *testing.F) {
	f.Add([]byte(goodHead), []byte(`{"role":"user","content":"x"}`))
	f.Add([]byte(`{"created_at":"2026-03-01T12:00:00Z","context":"x","data":{"n":1e5},"memories":[{"id":"a","text":"b"}],"entities":{"version":1,"entities":[{"type":"order","id":"W7"}]},"ttl_ms":5}`),
		[]byte(`{"role":"assistant","content":"","tool_calls":[{"id":"c","name":"f","arguments":"{}"}],"created_at":"2026-03-01T12:00:00Z"}`))
	for _, damage := range damages {
		f.Add([]byte(damage.head), []byte(damage.body))
	}
	f.Fuzz(func(t *testing.T, head, body []byte) {
		m, store := newManager(t)
		fixture.Put(t, store, fixture.Anna, driver.Format, string(head), string(body))
		s, err := m.Load(t.Context(), fixture.Anna, nil)
		if err != nil {
			if _, ok := errors.AsType[*session.DamagedError](err); !ok {
				t.Fatalf("not a DamagedError: %v", err)
			}
			return
		}
		s.Data = cloneWith(s.Data, "touched", true)
		if err := m.Save(t.Context(), s, nil); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again := fixture.Load(t, m, fixture.Anna)
		again.Data = s.Data
		assert.Equal(t, s.Messages, again.Messages)
		assert.Equal(t, s.Context, again.Context)
		assert.Equal(t, s.Memories, again.Memories)
		assert.Equal(t, s.Strategy, again.Strategy)
		assert.Equal(t, s.Entities.Recent(100), again.Entities.Recent(100))
	})
}

func cloneWith(data map[string]any, name string, value any) map[string]any {
	clone := map[string]any{name: value}
	for k, v := range data {
		clone[k] = v
	}
	return clone
}
