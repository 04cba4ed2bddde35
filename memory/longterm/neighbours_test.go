package longterm_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

func said(id, sessionID string, minute int, text string) longterm.Record {
	return longterm.Record{
		ID: id, Text: text, SessionID: sessionID, Type: session.RecordMessage, CreatedAt: noon.Add(time.Duration(minute) * time.Minute),
	}
}

func hitIDs(hits []longterm.Hit) (ids []string) {
	for i := range hits {
		ids = append(ids, hits[i].Record.ID)
	}
	return ids
}

// A message gains from the messages around it that match too, and only from those.
func TestNeighboursInASearch(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t,
		said("question", "s", 1, "When is your violin concert, and where?"),
		said("answer", "s", 2, "The concert is on Friday in the old church by the river."),
		said("thanks", "s", 3, "Thank you, see you there."),
		said("apart", "t", 2, "The concert is on Sunday in the new church by the river."),
		longterm.Record{ID: "note", Text: "A concert was on a Monday in a church near the river.", SessionID: "s", CreatedAt: noon.Add(time.Minute)},
	)
	found := search(t, w.Memory, longterm.Query{Text: "violin concert", Limit: 3})
	require.Equal(t, []string{"question", "answer"}, hitIDs(found.Hits)[:2])
	require.Equal(t, 4, found.Total)
	require.Equal(t, 3, found.Next)
	scores := map[string]float64{}
	for _, hit := range search(t, w.Memory, longterm.Query{Text: "violin concert"}).Hits {
		scores[hit.Record.ID] = hit.Score
	}
	require.Equal(t, scores["apart"]+0.3*(1-scores["apart"]), scores["answer"], "plus a share of what the question scores above the last hit")
	withoutMessages := longterm.RecordFilter{Type: &longterm.TextCondition{Ne: new(string(session.RecordMessage))}}
	require.Equal(t, []string{"note"}, hitIDs(search(t, w.Memory, longterm.Query{Text: "violin concert", Filter: withoutMessages}).Hits))
}

// Pages of a search with messages fit together, also beyond the hits that are ranked with their
// neighbours.
func TestNeighboursAndPages(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var records []longterm.Record
	for i := range 250 {
		text := "a concert"
		if i%3 == 0 {
			text = fmt.Sprintf("a concert of the violin in hall %d", i%7)
		}
		records = append(records, said(fmt.Sprintf("m%03d", i), fmt.Sprint("s", i%4), i, text))
	}
	w.put(t, records...)
	query := longterm.Query{Text: "violin concert", Limit: 1000, NoTouch: true}
	all := hitIDs(search(t, w.Memory, query).Hits)
	require.Len(t, all, len(records))
	for _, size := range []int{1, 60, 99, 100, 101, 1000} {
		var pages []string
		query.Limit, query.Offset = size, 0
		for query.Offset >= 0 {
			found := search(t, w.Memory, query)
			require.Equal(t, len(records), found.Total)
			pages = append(pages, hitIDs(found.Hits)...)
			query.Offset = found.Next
		}
		require.Equal(t, all, pages, "pages of %d", size)
	}
}
