package summaryview_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
)

func TestDefinitionsAreStored(t *testing.T) {
	t.Parallel()
	v := newWorld(t).views(nil)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	full := summaryview.Definition{
		Name: "é", GroupBy: []string{"namespace", "user_id"}, Note: `{"a":1}`, WindowDays: 7, Continuous: true, Prompt: "Be brief.", ModelName: "m",
		Filter: longterm.RecordFilter{
			Topics: &longterm.TextCondition{Any: []string{"a"}}, EventDate: &longterm.TimeCondition{Gte: &at},
			UserID: &longterm.TextCondition{StartsWith: new("a")},
		},
	}
	made, err := v.Create(t.Context(), shop, full)
	require.NoError(t, err)
	require.Regexp(t, `^[0-9A-HJKMNP-TV-Z]{26}$`, made.ID)
	full.ID, full.Tenant = made.ID, shop
	got, err := v.Get(t.Context(), shop, made.ID)
	require.NoError(t, err)
	require.Equal(t, full, got)
	bare := create(t, v, shop, summaryview.Definition{})
	all, err := v.List(t.Context(), shop)
	require.NoError(t, err)
	require.ElementsMatch(t, []summaryview.Definition{full, {ID: bare, Tenant: shop}}, all)
}

// Neither a wider nor a narrower tenant finds a view or a task.
func TestViewsBelongToTheirTenant(t *testing.T) {
	t.Parallel()
	v := newWorld(t).views(nil)
	id := create(t, v, shop, byUser)
	task := run(t, v, shop, id, "t-1")
	for _, other := range []summaryview.Tenant{everyone, {Namespace: "bank"}, {UserID: "shop"}, {Namespace: "shop", UserID: "anna"}, {Namespace: "sh", UserID: "op"}} {
		_, err := v.Get(t.Context(), other, id)
		require.ErrorIs(t, err, summaryview.ErrNotFound)
		require.ErrorIs(t, v.Delete(t.Context(), other, id), summaryview.ErrNotFound)
		_, err = v.Summarize(t.Context(), other, id, map[string]string{"user_id": "anna"})
		require.ErrorIs(t, err, summaryview.ErrNotFound)
		_, err = v.Partitions(t.Context(), other, id, nil)
		require.ErrorIs(t, err, summaryview.ErrNotFound)
		_, err = v.Run(t.Context(), other, id, "")
		require.ErrorIs(t, err, summaryview.ErrNotFound)
		_, err = v.Task(t.Context(), other, task.ID)
		require.ErrorIs(t, err, summaryview.ErrNotFound)
		all, err := v.List(t.Context(), other)
		require.NoError(t, err)
		require.Empty(t, all)
	}
	for _, unknown := range []string{"", "x", strings.ToLower(id), id + "0", "01JGKZ4V5T8Q2M3N4P5R6S7T8V", strings.Repeat("x", 5000), "\x00"} {
		_, err := v.Get(t.Context(), shop, unknown)
		require.ErrorIs(t, err, summaryview.ErrNotFound)
	}
}

func TestDefinitionsAreChecked(t *testing.T) {
	t.Parallel()
	v := newWorld(t).views(nil)
	for name, d := range map[string]summaryview.Definition{
		"unknown field":       {GroupBy: []string{"topics"}},
		"field there twice":   {GroupBy: []string{"user_id", "user_id"}},
		"long name":           {Name: strings.Repeat("x", summaryview.MaxNameBytes+1)},
		"long name of model":  {ModelName: strings.Repeat("x", summaryview.MaxNameBytes+1)},
		"long prompt":         {Prompt: strings.Repeat("x", summaryview.MaxPromptBytes+1)},
		"long note":           {Note: strings.Repeat("x", summaryview.MaxDefinitionBytes)},
		"not UTF-8":           {Prompt: "\xff"},
		"negative window":     {WindowDays: -1},
		"long window":         {WindowDays: summaryview.MaxWindowDays + 1},
		"too many conditions": {Filter: longterm.RecordFilter{Topics: &longterm.TextCondition{Any: make([]string, 1001)}}},
	} {
		_, err := v.Create(t.Context(), shop, d)
		require.ErrorIs(t, err, summaryview.ErrInvalid, name)
	}
	for range summaryview.MaxViews {
		create(t, v, shop, byUser)
	}
	_, err := v.Create(t.Context(), shop, byUser)
	require.ErrorIs(t, err, summaryview.ErrLimit)
	create(t, v, everyone, byUser)
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, opts := range []summaryview.Options{{Workers: -1}, {Poll: -1}, {Lease: -1}, {Refresh: -1}, {Retention: -1}} {
		_, err := summaryview.New(w.memory, w.store, &opts)
		require.ErrorContains(t, err, "negative")
	}
	_, err := summaryview.New(nil, w.store, nil)
	require.Error(t, err)
	_, err = summaryview.New(w.memory, nil, nil)
	require.Error(t, err)
}

func TestDeleteRemovesSummaries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.views(nil)
	id, kept := create(t, v, shop, byUser), create(t, v, shop, byUser)
	for i := range 150 {
		_, err := v.Summarize(t.Context(), shop, id, map[string]string{"user_id": fmt.Sprint(i)})
		require.NoError(t, err)
	}
	_, err := v.Summarize(t.Context(), shop, kept, map[string]string{"user_id": "anna"})
	require.NoError(t, err)
	require.NoError(t, v.Delete(t.Context(), shop, id))
	require.ErrorIs(t, v.Delete(t.Context(), shop, id), summaryview.ErrNotFound)
	_, err = v.Partitions(t.Context(), shop, id, nil)
	require.ErrorIs(t, err, summaryview.ErrNotFound)
	n, err := w.store.Count(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, 2, n, "the other view and its partition")
}

// A deletion that is interrupted is completed by Work.
func TestInterruptedDeletion(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		v := w.views(nil)
		id := create(t, v, shop, byUser)
		_, err := v.Summarize(t.Context(), shop, id, map[string]string{"user_id": "anna"})
		require.NoError(t, err)
		require.NoError(t, w.viewsOn(&readsOnly{DocumentStore: w.store, writes: 1}, nil).Delete(t.Context(), shop, id))
		n, err := w.store.Count(t.Context(), "partition/")
		require.NoError(t, err)
		require.Equal(t, 1, n)
		stop := work(t, v)
		time.Sleep(time.Second)
		stop()
		n, err = w.store.Count(t.Context(), "")
		require.NoError(t, err)
		require.Zero(t, n)
	})
}
