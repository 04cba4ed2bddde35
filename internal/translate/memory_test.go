package translate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// march is when the clock of a memoryWorld begins.
var march = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// memoryWorld is a service with a long-term memory, and what stands behind it.
type memoryWorld struct {
	served
	manager *session.Manager
	memory  *longterm.Memory
	mu      sync.Mutex
	now     time.Time
}

func (w *memoryWorld) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *memoryWorld) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// newMemoryWorld makes one on an index in the process. embedder may be nil.
func newMemoryWorld(t *testing.T, embedder longterm.Embedder) *memoryWorld {
	t.Helper()
	return newMemoryWorldOn(t, memindex.New(nil), embedder)
}

func newMemoryWorldOn(t *testing.T, index driver.Index, embedder longterm.Embedder) *memoryWorld {
	t.Helper()
	w := &memoryWorld{now: march}
	var err error
	w.memory, err = longterm.New(index, &longterm.Options{Now: w.clock, TouchEvery: -1, Embedder: embedder})
	require.NoError(t, err)
	promoter, err := longterm.NewPromoter(w.memory, nil)
	require.NoError(t, err)
	w.manager, err = session.NewManager(memstore.New(nil), &session.Options{
		Now: w.clock, LongTerm: promoter, Promotions: promotion.Options{Delay: time.Hour},
	})
	require.NoError(t, err)
	made, err := service.New(w.manager, &service.Options{Memory: w.memory, Promoter: promoter})
	require.NoError(t, err)
	w.served = served{made}
	t.Cleanup(func() {
		require.NoError(t, w.manager.Close(context.Background()))
		require.NoError(t, w.memory.Close(context.Background()))
	})
	return w
}

// unbound is who may see and change all.
var unbound service.Tenant

// body reads the JSON of a request.
func body[T any](t require.TestingT, text string) *T {
	var v T
	require.NoError(t, wire.Decode([]byte(text), &v))
	return &v
}

// create puts memories of a body of JSON, without its brackets.
func (w *memoryWorld) create(t require.TestingT, memories string) {
	require.NoError(t, w.CreateMemories(context.Background(), unbound, nil, nil, body[wire.MemoryBody](t, `{"memories":[`+memories+`]}`)))
}

// find searches by a body of JSON.
func (w *memoryWorld) find(t require.TestingT, tenant service.Tenant, search string) *wire.Results {
	found, err := w.SearchMemories(context.Background(), tenant, body[wire.Search](t, search))
	require.NoError(t, err)
	require.NotNil(t, found.Memories)
	return found
}

// findIDs are the ids of what a search finds, in its order.
func (w *memoryWorld) findIDs(t require.TestingT, tenant service.Tenant, search string) []string {
	return idsOf(w.find(t, tenant, search).Memories)
}

func idsOf(found []wire.Found) []string {
	ids := []string{}
	for _, m := range found {
		ids = append(ids, m.ID)
	}
	return ids
}

// refuses requires an *Error of a kind, and returns it.
func refuses(t require.TestingT, kind service.Kind, err error) *service.Error {
	var refused *service.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, kind, refused.Kind, "%v", refused)
	return refused
}

func TestMemoriesAreKeptAsTheyWereGiven(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	w.create(t, `{"id":"a/b 1","text":"Anna likes window seats.","memory_type":"episodic","topics":["travel"],"entities":["Anna"],
		"namespace":"shop","user_id":"anna","session_id":"s1","event_date":"2026-01-02T03:04:05.123456Z","created_at":"2026-01-03T00:00:00Z",
		"last_accessed":"2026-01-04T00:00:00Z","pinned":"true","access_count":9223372036854775807,"persisted_at":"2001-01-01T00:00:00Z","memory_hash":"forged",
		"extracted_from":["m1"],"extraction_strategy":"discrete","metadata":{"n":12345678901234567890},"unknown":1}`)
	m, err := w.GetMemory(t.Context(), unbound, "a/b 1", nil, nil)
	require.NoError(t, err)
	assert.Equal(t, "Anna likes window seats.", m.Text)
	assert.Equal(t, "episodic", m.Type)
	assert.Equal(t, wire.List{"travel"}, m.Topics)
	assert.Equal(t, wire.List{"Anna"}, m.Entities)
	assert.Equal(t, []string{"shop", "anna", "s1"}, []string{*m.Namespace, *m.UserID, *m.SessionID})
	assert.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 123456000, time.UTC), m.EventDate.Time)
	assert.Equal(t, time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC), m.CreatedAt.Time)
	assert.Equal(t, time.Date(2026, 1, 4, 0, 0, 0, 0, time.UTC), m.LastAccessed.Time)
	assert.Equal(t, march, m.PersistedAt.Time, "a client does not say when it was promoted")
	assert.NotEqual(t, "forged", *m.Hash)
	assert.True(t, bool(*m.Pinned))
	assert.EqualValues(t, math.MaxInt32, m.AccessCount, "it can be counted on")
	assert.Equal(t, wire.List{"m1"}, m.ExtractedFrom)
	assert.Equal(t, "discrete", m.ExtractionStrategy)
	data, err := wire.Encode(m)
	require.NoError(t, err)
	assert.Contains(t, string(data), `"n":12345678901234567890`)
	assert.Contains(t, string(data), `"discrete_memory_extracted":"t"`)

	w.create(t, `{"id":"bare","text":"x"}`)
	m, err = w.GetMemory(t.Context(), unbound, "bare", nil, nil)
	require.NoError(t, err)
	assert.Equal(t, "semantic", m.Type)
	assert.Nil(t, m.Namespace)
	assert.Nil(t, m.UserID)
	assert.Nil(t, m.SessionID)
	assert.Nil(t, m.EventDate)
	assert.Equal(t, march, m.CreatedAt.Time)
}

// Programs, and messages whose ids have them, bring commas that clients choke on.
func TestAnswersHaveNoCommasInLists(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	_, err := w.memory.Put(t.Context(), longterm.Of("", ""), []longterm.Record{{
		ID: "a", Text: "tea", Topics: []string{"food,drink", " as it is "}, Entities: []string{"Smith, Anna"}, ExtractedFrom: []string{"m,1", "m2"},
	}}, nil)
	require.NoError(t, err)
	m := w.find(t, unbound, `{}`).Memories[0]
	assert.Equal(t, wire.List{"food drink", " as it is "}, m.Topics)
	assert.Equal(t, wire.List{"Smith Anna"}, m.Entities)
	assert.Equal(t, wire.List{"m2"}, m.ExtractedFrom)
}

func TestSameIDReplacesAndSameTextIsOneRecord(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	w.create(t, `{"id":"a","text":"tea"}`)
	w.pass(time.Hour)
	w.create(t, `{"id":"a","text":"coffee"},{"id":"b","text":"coffee"},{"id":"c","text":"coffee"}`)
	m, err := w.GetMemory(t.Context(), unbound, "a", nil, nil)
	require.NoError(t, err)
	assert.Equal(t, "coffee", m.Text)
	assert.Equal(t, march, m.PersistedAt.Time, "it keeps when it was promoted")
	assert.Equal(t, []string{"a"}, w.findIDs(t, unbound, `{}`))
	w.create(t, `{"id":"d","text":"coffee","user_id":"anna"}`)
	assert.ElementsMatch(t, []string{"a", "d"}, w.findIDs(t, unbound, `{}`), "of another owner")

	apart := body[wire.MemoryBody](t, `{"memories":[{"id":"e","text":"coffee"}],"deduplicate":"false"}`)
	require.NoError(t, w.CreateMemories(t.Context(), unbound, nil, nil, apart))
	assert.ElementsMatch(t, []string{"a", "d", "e"}, w.findIDs(t, unbound, `{}`))
	same := body[wire.MemoryBody](t, `{"memories":[{"id":"f","text":"coffee","user_id":"anna"}],"deduplicate":true}`)
	require.NoError(t, w.CreateMemories(t.Context(), unbound, nil, nil, same))
	assert.ElementsMatch(t, []string{"a", "d", "e"}, w.findIDs(t, unbound, `{}`))
	remaining, err := w.CompactMemories(t.Context(), unbound, nil, new("anna"))
	require.NoError(t, err)
	assert.Equal(t, 1, remaining)
	remaining, err = w.CompactMemories(t.Context(), unbound, nil, nil)
	require.NoError(t, err)
	assert.Equal(t, 2, remaining)
	assert.ElementsMatch(t, []string{"a", "d"}, w.findIDs(t, unbound, `{}`))
}

func TestMemoriesTakeTheOwnerOfTheirRequest(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	memories := body[wire.MemoryBody](t, `{"memories":[{"id":"a","text":"tea"},{"id":"b","text":"milk","namespace":"","user_id":null},
		{"id":"c","text":"water","namespace":"own","user_id":"bob"}]}`)
	require.NoError(t, w.CreateMemories(t.Context(), unbound, new("shop"), new("anna"), memories))
	for id, owner := range map[string][2]string{"a": {"shop", "anna"}, "b": {"shop", "anna"}, "c": {"own", "bob"}} {
		_, err := w.GetMemory(t.Context(), unbound, id, &owner[0], &owner[1])
		require.NoError(t, err, id)
		_, err = w.GetMemory(t.Context(), unbound, id, new(""), nil)
		refuses(t, service.NotFound, err)
	}
	require.NoError(t, w.CreateMemories(t.Context(), unbound, nil, nil, &wire.MemoryBody{}))
}

func TestMemoriesThatAreRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1025)
	for name, c := range map[string]struct {
		memories, msg string
		index         any
	}{
		"no id":        {`{"id":"a","text":"x"},{"text":"x"}`, "Memory at index 1 has empty id", nil},
		"no text":      {`{"id":"a","text":""}`, "Memory at index 0 has empty text", nil},
		"blank text":   {`{"id":"a","text":"x"},{"id":"b","text":" \n"}`, "Memory at index 1 has empty text", 1},
		"type":         {`{"id":"a","text":"x","memory_type":"poem"}`, "Input should be", 0},
		"topic":        {`{"id":"a","text":"x","topics":["a","b,c"]}`, "topics[1] contains a comma", 0},
		"entity":       {`{"id":"a","text":"x","entities":["b,c"]}`, "entities[0] contains a comma", 0},
		"many topics":  {`{"id":"a","text":"x","topics":["` + strings.Repeat(`t","`, 1000) + `t"]}`, "too large", 0},
		"long id":      {`{"id":"` + long + `","text":"x"}`, "at most 1024 bytes", 0},
		"long user id": {`{"id":"a","text":"x","user_id":"` + long + `"}`, "at most 1024 bytes", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newMemoryWorld(t, nil)
			var given wire.MemoryBody
			err := wire.Decode([]byte(`{"memories":[{"id":"first","text":"first"},`+c.memories+`]}`), &given)
			var malformed *wire.Invalid
			if errors.As(err, &malformed) { // some is found where it is read
				assert.Contains(t, malformed.Fields[0].Loc, any("memories"))
				return
			}
			require.NoError(t, err)
			given.Memories = given.Memories[1:]
			refused := refuses(t, service.Invalid, w.CreateMemories(t.Context(), unbound, nil, nil, &given))
			require.NotEmpty(t, refused.Fields)
			assert.Contains(t, refused.Fields[0].Message, c.msg)
			if c.index != nil {
				assert.Equal(t, []string{"memories", fmt.Sprint(c.index)}, refused.Fields[0].Path[:2])
			}
			assert.NotContains(t, refused.Error(), long)
			assert.Empty(t, w.findIDs(t, unbound, `{}`), "all or none")
		})
	}
}

func TestPatchSetsWhatItBrings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		patch string
		check func(t *testing.T, m *wire.Memory)
	}{
		"text":          {`{"text":"Anna likes aisle seats."}`, func(t *testing.T, m *wire.Memory) { assert.Equal(t, "Anna likes aisle seats.", m.Text) }},
		"topics":        {`{"topics":["a","b"]}`, func(t *testing.T, m *wire.Memory) { assert.Equal(t, wire.List{"a", "b"}, m.Topics) }},
		"no topics":     {`{"topics":[]}`, func(t *testing.T, m *wire.Memory) { assert.Empty(t, m.Topics) }},
		"entities":      {`{"entities":["Bob"]}`, func(t *testing.T, m *wire.Memory) { assert.Equal(t, wire.List{"Bob"}, m.Entities) }},
		"no entities":   {`{"entities":[]}`, func(t *testing.T, m *wire.Memory) { assert.Empty(t, m.Entities) }},
		"no pin":        {`{"pinned":0}`, func(t *testing.T, m *wire.Memory) { assert.False(t, bool(*m.Pinned)) }},
		"type":          {`{"memory_type":"episodic"}`, func(t *testing.T, m *wire.Memory) { assert.Equal(t, "episodic", m.Type) }},
		"session":       {`{"session_id":"s2"}`, func(t *testing.T, m *wire.Memory) { assert.Equal(t, "s2", *m.SessionID) }},
		"no session":    {`{"session_id":""}`, func(t *testing.T, m *wire.Memory) { assert.Nil(t, m.SessionID) }},
		"event":         {`{"event_date":"2026-05-01"}`, func(t *testing.T, m *wire.Memory) { assert.Equal(t, 5, int(m.EventDate.Month())) }},
		"pin":           {`{"pinned":"true"}`, func(t *testing.T, m *wire.Memory) { assert.True(t, bool(*m.Pinned)) }},
		"the owner":     {`{"namespace":"shop","user_id":"anna"}`, func(t *testing.T, m *wire.Memory) { assert.Equal(t, "anna", *m.UserID) }},
		"null and more": {`{"text":null,"pinned":true,"id":"other"}`, func(t *testing.T, m *wire.Memory) { assert.Equal(t, "a", m.ID) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newMemoryWorld(t, nil)
			w.create(t, `{"id":"a","text":"Anna likes window seats.","namespace":"shop","user_id":"anna","session_id":"s1","topics":["travel"],
				"entities":["Anna"],"pinned":`+strconv.FormatBool(name == "no pin")+`}`)
			w.pass(time.Hour)
			before, err := w.GetMemory(t.Context(), unbound, "a", nil, nil)
			require.NoError(t, err)
			m, err := w.PatchMemory(t.Context(), unbound, "a", nil, nil, body[wire.MemoryPatch](t, c.patch))
			require.NoError(t, err)
			c.check(t, m)
			after, err := w.GetMemory(t.Context(), unbound, "a", nil, nil)
			require.NoError(t, err)
			assert.Equal(t, after, m)
			assert.Equal(t, before.CreatedAt, after.CreatedAt)
			assert.Equal(t, before.PersistedAt, after.PersistedAt)
			if after.Text != before.Text {
				assert.Equal(t, march.Add(time.Hour), after.UpdatedAt.Time)
				assert.NotEqual(t, before.Hash, after.Hash)
				assert.Equal(t, []string{"a"}, w.findIDs(t, unbound, `{"text":"aisle","search_mode":"keyword"}`))
			}
		})
	}
}

func TestPatchesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	w.create(t, `{"id":"a","text":"tea","namespace":"shop","user_id":"anna"}`)
	for patch, c := range map[string]struct {
		kind service.Kind
		says string
	}{
		`{}`:                         {service.Bad, "No fields provided for update"},
		`{"text":null,"id":"b"}`:     {service.Bad, "No fields provided for update"},
		`{"namespace":"other"}`:      {service.Bad, "Memories cannot change owners"},
		`{"user_id":""}`:             {service.Bad, "Memories cannot change owners"},
		`{"text":""}`:                {service.Invalid, "text"},
		`{"text":" "}`:               {service.Invalid, "text cannot be empty"},
		`{"memory_type":"poem"}`:     {service.Invalid, "Input should be"},
		`{"topics":["a,b"]}`:         {service.Invalid, "contains a comma"},
		`{"text":"x","topics":null}`: {},
	} {
		_, err := w.PatchMemory(t.Context(), unbound, "a", nil, nil, body[wire.MemoryPatch](t, patch))
		if c.says == "" {
			assert.NoError(t, err, patch)
			continue
		}
		refused := refuses(t, c.kind, err)
		if c.kind == service.Invalid {
			require.Len(t, refused.Fields, 1)
		}
		if c.says != "text" {
			assert.Contains(t, refused.Error(), c.says, patch)
		}
	}
	_, err := w.PatchMemory(t.Context(), unbound, "none", nil, nil, &wire.MemoryPatch{})
	assert.Equal(t, "No fields provided for update", refuses(t, service.Bad, err).Detail, "before it is looked for")
	_, err = w.PatchMemory(t.Context(), unbound, "none", nil, nil, body[wire.MemoryPatch](t, `{"pinned":true}`))
	assert.Equal(t, "Memory with ID none not found", refuses(t, service.NotFound, err).Detail)
}

func TestDeleteCountsWhatWasDeleted(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	w.create(t, `{"id":"a","text":"1"},{"id":"b","text":"2"},{"id":"two","text":"3","user_id":"anna"},{"id":"two","text":"4","user_id":"bob"}`)
	for _, c := range []struct {
		ids  []string
		want int
	}{
		{nil, 0},
		{[]string{"", "none", strings.Repeat("x", 2000), "\xff"}, 0},
		{[]string{"two"}, 0}, // of two users
		{[]string{"a", "a", "none", "b"}, 2},
		{[]string{"a"}, 0},
	} {
		n, err := w.DeleteMemories(t.Context(), unbound, c.ids, nil, nil)
		require.NoError(t, err)
		assert.Equal(t, c.want, n, c.ids)
	}
	assert.Equal(t, []string{"two", "two"}, w.findIDs(t, unbound, `{}`))
	_, err := w.GetMemory(t.Context(), unbound, "two", nil, nil)
	assert.Equal(t, "Memory with ID two not found", refuses(t, service.NotFound, err).Detail)
	n, err := w.DeleteMemories(t.Context(), unbound, []string{"two"}, nil, new("bob"))
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	m, err := w.GetMemory(t.Context(), unbound, "two", nil, nil)
	require.NoError(t, err)
	assert.Equal(t, "anna", *m.UserID)
	_, err = w.DeleteMemories(t.Context(), unbound, make([]string, 1001), nil, nil)
	assert.Equal(t, []string{"memory_ids"}, refuses(t, service.Invalid, err).Fields[0].Path)
}

func TestIDsThatNoMemoryHas(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	for _, id := range []string{"", "none", "\xff", "a\x00b", strings.Repeat("é", 600)} {
		_, err := w.GetMemory(t.Context(), unbound, id, nil, nil)
		detail := refuses(t, service.NotFound, err).Detail
		assert.True(t, strings.HasPrefix(detail, "Memory with ID ") && strings.HasSuffix(detail, " not found"), detail)
		assert.LessOrEqual(t, len(detail), 1100)
		assert.NotContains(t, detail, "\xff")
		_, err = w.PatchMemory(t.Context(), unbound, id, nil, nil, &wire.MemoryPatch{Text: new("x")})
		assert.Equal(t, detail, refuses(t, service.NotFound, err).Detail)
		n, err := w.DeleteMemories(t.Context(), unbound, []string{id}, nil, nil)
		require.NoError(t, err)
		assert.Zero(t, n)
	}
}

// Long ids are cut between two characters.
func TestLongIDsInErrors(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	for id, shown := range map[string]string{
		strings.Repeat("x", 1024): strings.Repeat("x", 1024), strings.Repeat("x", 1025): strings.Repeat("x", 1024) + "…",
		"x" + strings.Repeat("é", 600): "x" + strings.Repeat("é", 511) + "…",
	} {
		_, err := w.GetMemory(t.Context(), unbound, id, nil, nil)
		assert.Equal(t, "Memory with ID "+shown+" not found", refuses(t, service.NotFound, err).Detail)
		_, err = w.GetSession(t.Context(), unbound, service.Ref{SessionID: id}, service.View{})
		assert.Equal(t, "Session "+shown+" not found", refuses(t, service.NotFound, err).Detail)
	}
}

// A session's memory that is pending becomes searchable, once, whatever is tried again.
func TestPendingMemoriesBecomeSearchableOnce(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	key := session.Key{Namespace: "shop", UserID: "anna", SessionID: "s1"}
	s := w.manager.New(key)
	s.Memories = []session.Record{{ID: "seat", Text: "Anna likes window seats."}}
	require.NoError(t, w.manager.Save(t.Context(), s, nil))
	assert.Empty(t, w.findIDs(t, unbound, `{}`))
	for range 3 {
		_, err := w.manager.Promote(t.Context(), key)
		require.NoError(t, err)
	}
	found := w.find(t, service.Tenant{Namespace: "shop", UserID: "anna"}, `{"text":"which seat?"}`)
	require.Equal(t, []string{"seat"}, idsOf(found.Memories))
	assert.Equal(t, "s1", *found.Memories[0].SessionID)
	assert.Empty(t, w.findIDs(t, service.Tenant{UserID: "bob"}, `{"text":"which seat?"}`))
	stored, err := w.manager.Load(t.Context(), key, nil)
	require.NoError(t, err)
	assert.False(t, stored.Memories[0].PersistedAt.IsZero())
}

func TestLongTermMemoryIsDisabled(t *testing.T) {
	t.Parallel()
	manager, err := session.NewManager(memstore.New(nil), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, manager.Close(context.Background())) })
	made, err := service.New(manager, nil)
	require.NoError(t, err)
	s, ctx := served{made}, t.Context()
	for name, call := range map[string]func() error{
		"create": func() error { return s.CreateMemories(ctx, unbound, nil, nil, &wire.MemoryBody{}) },
		"search": func() error { _, err := s.SearchMemories(ctx, unbound, &wire.Search{}); return err },
		"get":    func() error { _, err := s.GetMemory(ctx, unbound, "a", nil, nil); return err },
		"patch":  func() error { _, err := s.PatchMemory(ctx, unbound, "a", nil, nil, &wire.MemoryPatch{}); return err },
		"delete": func() error { _, err := s.DeleteMemories(ctx, unbound, nil, nil, nil); return err },
		"forget": func() error {
			_, err := s.ForgetMemories(ctx, unbound, nil, nil, nil, 1, true, &wire.Forget{Policy: &wire.ForgetPolicy{}})
			return err
		},
		"compact": func() error { _, err := s.CompactMemories(ctx, unbound, nil, nil); return err },
		"prompt": func() error {
			_, err := s.Prompt(ctx, unbound, body[wire.PromptRequest](t, `{"query":"x","session":{"session_id":"s"},"long_term_search":true}`))
			return err
		},
	} {
		assert.Equal(t, "Long-term memory is disabled", refuses(t, service.Bad, call()).Detail, name)
	}
	for name, call := range map[string]func() error{ // what is wrong is said first
		"create": func() error {
			return s.CreateMemories(ctx, unbound, nil, nil, &wire.MemoryBody{Memories: []wire.Memory{{ID: "a"}}})
		},
		"search": func() error {
			_, err := s.SearchMemories(ctx, unbound, &wire.Search{Limit: new(wire.Int)})
			return err
		},
		"patch": func() error {
			_, err := s.PatchMemory(ctx, unbound, "a", nil, nil, &wire.MemoryPatch{Text: new("")})
			return err
		},
		"forget": func() error {
			_, err := s.ForgetMemories(ctx, unbound, nil, nil, nil, 1, true, &wire.Forget{Policy: &wire.ForgetPolicy{Budget: new(wire.Int(-1))}})
			return err
		},
		"prompt": func() error {
			_, err := s.Prompt(ctx, unbound, &wire.PromptRequest{LongTerm: &wire.SearchOrBool{Search: &wire.Search{Limit: new(wire.Int)}}})
			return err
		},
	} {
		assert.NotEmpty(t, refuses(t, service.Invalid, call()).Fields, name)
	}
	p, err := s.Prompt(ctx, unbound, body[wire.PromptRequest](t, `{"query":"x","session":{"session_id":"s"},"long_term_search":false}`))
	require.NoError(t, err)
	assert.Len(t, p.Messages, 1)
}

// brokenIndex is an index that fails.
type brokenIndex struct {
	driver.Index
	err error
}

func (x *brokenIndex) Lookup(context.Context, driver.Lookup) ([]driver.Entry, error) {
	return nil, x.err
}

func (x *brokenIndex) Search(context.Context, driver.Search) (driver.HitPage, error) {
	return driver.HitPage{}, x.err
}

func TestFailuresOfTheIndex(t *testing.T) {
	t.Parallel()
	for want, err := range map[service.Kind]error{
		service.Unavailable: longterm.ErrUnavailable, service.Internal: errors.New("disk 4711 is on fire"), service.Conflict: longterm.ErrConflict,
	} {
		w := newMemoryWorldOn(t, &brokenIndex{memindex.New(nil), err}, nil)
		ctx := t.Context()
		one := body[wire.MemoryBody](t, `{"memories":[{"id":"a","text":"secret"}]}`)
		if want != service.Conflict { // which is tried again a hundred times
			refuses(t, want, w.CreateMemories(ctx, unbound, nil, nil, one))
			_, err = w.DeleteMemories(ctx, unbound, []string{"a"}, nil, nil)
			refuses(t, want, err)
			_, err = w.PatchMemory(ctx, unbound, "a", nil, nil, &wire.MemoryPatch{Text: new("b")})
			refuses(t, want, err)
		}
		_, err = w.GetMemory(ctx, unbound, "a", nil, nil)
		refuses(t, want, err)
		_, err = w.SearchMemories(ctx, unbound, &wire.Search{})
		refused := refuses(t, want, err)
		assert.NotContains(t, refused.Detail, "4711")
		_, err = w.ForgetMemories(ctx, unbound, nil, nil, nil, 10, true, body[wire.Forget](t, `{"policy":{"budget":0}}`))
		refuses(t, want, err)
		_, err = w.Prompt(ctx, unbound, body[wire.PromptRequest](t, `{"query":"x","long_term_search":{}}`))
		refuses(t, want, err)
	}
	w := newMemoryWorld(t, nil)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.SearchMemories(ended, unbound, &wire.Search{})
	require.ErrorIs(t, err, context.Canceled)
	var wrapped *service.Error
	assert.False(t, errors.As(err, &wrapped))
}
