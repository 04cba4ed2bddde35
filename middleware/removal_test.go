package middleware_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// record records calls, each a name, arguments and a result.
func record(t *testing.T, rec *middleware.Recorder, calls ...[3]string) {
	t.Helper()
	for _, call := range calls {
		require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: call[0], Arguments: call[1], Result: call[2]}))
	}
}

// TestDeletedIsNotShown: what a call deleted is gone from the block, whether it was known, what
// the result says of it, and whatever the tool calls it.
func TestDeletedIsNotShown(t *testing.T) {
	t.Parallel()
	created := [3]string{"create_receipt", `{}`, `{"receipt":{"id":"rc_70000","name":"Chairs"}}`}
	for i, result := range []string{`{"deleted":true,"id":"rc_70000"}`, `{"id":"rc_70000","object":"receipt","deleted":true}`, `{"ok":true}`} {
		for name, calls := range map[string][][3]string{
			"known":      {created, {"delete_receipt", `{"receipt_id":"rc_70000"}`, result}},
			"unknown":    {{"delete_receipt", `{"receipt_id":"rc_70000"}`, result}},
			"other noun": {created, {"delete_draft", `{"receipt_id":"rc_70000"}`, result}},
		} {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				t.Parallel()
				rec := new(middleware.Recorder)
				record(t, rec, calls...)
				assert.Empty(t, rec.Block())
			})
		}
	}
}

// TestEndedIsShownBehindWhatIsAlive: what was cancelled can still be spoken of until it is
// deleted, and what was deleted is shown again once it is back.
func TestEndedIsShownBehindWhatIsAlive(t *testing.T) {
	t.Parallel()
	list := [3]string{"list_bookings", `{}`, `{"bookings":[{"id":"bk-5001","name":"Lake house"},{"id":"bk-5002","name":"Tile house"}]}`}
	cancel := [3]string{"cancel_booking", `{"booking_id":"bk-5001"}`, `Booking bk-5001 has been cancelled free of charge.`}
	lake, tile := "bk-5001", `  - "Tile house" (bk-5002)`
	for _, test := range []struct {
		name  string
		calls [][3]string
		want  []string
	}{
		{"cancelled", [][3]string{list, cancel}, []string{tile, `  - "cancelled: Lake house" (` + lake + `)`}},
		{"listed again", [][3]string{list, cancel, list}, []string{tile, `  - "cancelled: Lake house" (` + lake + `)`}},
		{"reinstated", [][3]string{list, cancel, {"reinstate_booking", `{"booking_id":"bk-5001"}`, `ok`}}, []string{`  - "Lake house" (` + lake + `)`, tile}},
		{"said to be confirmed", [][3]string{list, cancel, {"get_booking", `{"booking_id":"bk-5001"}`, `{"id":"bk-5001","name":"Lake house","status":"confirmed"}`}}, []string{`  - "Lake house" (` + lake + `)`, tile}},
		{"deleted", [][3]string{list, cancel, {"delete_booking", `{"booking_id":"bk-5001"}`, ``}}, []string{tile}},
		{"deleted and back", [][3]string{list, {"trash_booking", `{"booking_id":"bk-5001"}`, `ok`}, {"untrash_booking", `{"booking_id":"bk-5001"}`, `ok`}}, []string{`  - "Unnamed booking" (` + lake + `)`, tile}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rec := new(middleware.Recorder)
			record(t, rec, test.calls...)
			want := prompt.Title + "\nbookings:"
			for _, line := range test.want {
				want += "\n" + line
			}
			assert.Equal(t, want, rec.Block())
		})
	}
}
