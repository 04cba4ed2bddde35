package extractor_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/extractor"
)

// Lists and sentences as people write them, and as tools answer in them.
func TestExtractText(t *testing.T) {
	t.Parallel()
	desks := []string{"desk MLS9117958 Oak, 120 cm", "desk RX-1239732 Pine, 80 cm"}
	for _, tc := range []struct {
		name, tool, args, result string
		want                     []string
	}{
		// The identifier first.
		{"before a colon", "list_desks", "", "- MLS9117958: Oak, 120 cm\n- RX-1239732: Pine, 80 cm\n", desks},
		{"in brackets", "list_desks", "", "- [MLS9117958] Oak, 120 cm\n- [RX-1239732] Pine, 80 cm\n", desks},
		{"before a bar", "list_desks", "", "MLS9117958 | Oak, 120 cm | new\nRX-1239732 | Pine, 80 cm | used\n", desks},
		{"before a gap", "list_desks", "", "MLS9117958  Oak, 120 cm\nRX-1239732  Pine, 80 cm\n", desks},
		{"before a gap, below a heading", "list_desks", "", "In stock:\nMLS9117958  Oak, 120 cm\nRX-1239732  Pine, 80 cm\n", desks},
		{"what became of it is no name", "close_job", "", "REQ-67417 is closed.", []string{"job REQ-67417 Unnamed job"}},
		{"another behind it", "list_guests", "", "gst_184630 | Ann Lee | booking BK68225068\ngst_365024 | Ben Roe | booking BK71643739\n",
			[]string{"guest gst_184630 Ann Lee", "booking BK68225068 of Ann Lee", "guest gst_365024 Ben Roe", "booking BK71643739 of Ben Roe"}},
		{"numbers in a title are not", "list_bugs", "", "BUG-7001  Refund of order 1234 fails\nBUG-7002  Login\n", []string{"bug BUG-7001 Refund of order 1234 fails", "bug BUG-7002 Login"}},

		// The identifier last.
		{"behind a dash", "list_jobs", "", "Open requisitions:\n- Cook (Kitchen) - REQ-67417\n- Waiter (Bar) - REQ-97048\n", []string{"job REQ-67417 Cook (Kitchen)", "job REQ-97048 Waiter (Bar)"}},
		{"behind a bar", "list_jobs", "", "* Cook | Kitchen | REQ-67417\n* Waiter | Bar | REQ-97048\n", []string{"job REQ-67417 Cook", "job REQ-97048 Waiter"}},
		{"behind a colon", "list_warehouses", "", "Ours:\n- North depot: WH-8J85\n- Cold store: WH-D886\n", []string{"warehouse WH-8J85 North depot", "warehouse WH-D886 Cold store"}},
		{"names and identifiers", "list_warehouses", "", "North depot: WH-8J85\nHarbour hall: WH-5L24\nCold store: WH-D886\n",
			[]string{"warehouse WH-8J85 North depot", "warehouse WH-5L24 Harbour hall", "warehouse WH-D886 Cold store"}},

		// The identifier in parentheses.
		{"behind its noun", "list_reviews", "", "Reviews:\n- Ann Lee (review rv-22251631)\n- Ben Roe (review rv-8f1c66f1)\n", []string{"review rv-22251631 Ann Lee", "review rv-8f1c66f1 Ben Roe"}},
		{"behind a noun that only the tool knows", "list_scorecards", "", "* Ann Lee: strong yes (scorecard sc-22251631)\n* Ben Roe: no (scorecard sc-8f1c66f1)\n",
			[]string{"scorecard sc-22251631 Ann Lee: strong yes", "scorecard sc-8f1c66f1 Ben Roe: no"}},
		{"in what may be YAML", "get_rates", "", "Quotes:\n- Next day: 40 EUR (quote Qab12cd34e)\n- Two days: 20 EUR (quote Q0b12cd34e)\n", []string{"quote Qab12cd34e Next day: 40 EUR", "quote Q0b12cd34e Two days: 20 EUR"}},
		{"in what may be CSV", "get_rates", "", "Next day, 1 days (quote Qab12cd34e)\nTwo days, 2 days (quote Q0b12cd34e)\n", []string{"quote Qab12cd34e Next day, 1 days", "quote Q0b12cd34e Two days, 2 days"}},
		{"behind a name that ends in a noun", "list_documents", "", "The following documents are available:\n  1. Building survey (DOC123456, PDF)\n  2. Floor plan (DOC223457, PDF)\n",
			[]string{"document DOC123456 Building survey", "document DOC223457 Floor plan"}},
		{"behind a label", "search", "", "Found 2 hotels matching your search:\n\n1. 61 Orchard Close, Lisbon - 3 stars (ref: HTL9117958)\n2. 40 Elm Street, Porto - 2 stars (ref: HTL1239732)\n",
			[]string{"hotel HTL9117958 61 Orchard Close, Lisbon", "hotel HTL1239732 40 Elm Street, Porto"}},
		{"of a title", "get_hotel", "", "40 Elm Street, Auckland (HX-6629882)\n\nA bright house.", []string{"hotel HX-6629882 40 Elm Street, Auckland"}},
		{"several in a sentence", "compare_hotels", "", "40 Elm Street (HX-6629882) costs 7 EUR; 12 Mill Road (HX-1239732) costs 8 EUR.", []string{"hotel HX-6629882 40 Elm Street", "hotel HX-1239732 12 Mill Road"}},
		{"several behind a colon", "find_guides", "", "Free on Thursday: Ana Silva (emp1234), Ben Roe (emp5678).", []string{"guide emp1234 Ana Silva", "guide emp5678 Ben Roe"}},
		{"a noun, a name", "get_house", "", "Listed by agent Ann Lee (AG3787) of Delta Homes.", []string{"agent AG3787 Ann Lee"}},
		{"the subject of a sentence", "list_guests", "", "Ann Lee is on her way (guest gst_184630, booking BK68225068).\nBen Roe is here (guest gst_365024).\n",
			[]string{"guest gst_184630 Ann Lee", "booking BK68225068 of Ann Lee", "guest gst_365024 Ben Roe"}},

		// Headings and titles.
		{"what the list is of", "list_guests", "", "2 guests of Grand Hotel (HTL-67417):\n- Ann Lee (gst_184630)\n- Ben Roe (gst_365024)\n", []string{"hotel HTL-67417 Grand Hotel", "guest gst_184630 Ann Lee", "guest gst_365024 Ben Roe"}},
		{"what the list is of, named by an argument", "list_guests", `{"hotel_id":"HTL-67417"}`, "2 guests of Grand Meridian (HTL-67417):\n- Ann Lee (gst_184630)\n", []string{"hotel HTL-67417 Grand Meridian", "guest gst_184630 Ann Lee"}},
		{"what the list is of, not named", "list_guests", "", "2 guests of Grand Meridian (HTL-67417):\n- Ann Lee (gst_184630)\n", []string{"guest gst_184630 Ann Lee"}},
		{"what the list is of, of a word", "list_items", "", "The items of order (W-67417):\n- Lamp (LMP-4630)\n", []string{"order W-67417 Unnamed order", "item LMP-4630 Lamp"}},
		{"the line above", "search_flats", "", "61 Orchard Close, Lisbon\n  Flat ID: FL-17958\n  3 rooms\n\n40 Elm Street, Porto\n  Flat ID: FL-39732\n  2 rooms\n", []string{"flat FL-17958 61 Orchard Close, Lisbon", "flat FL-39732 40 Elm Street, Porto"}},
		{"the line above, that announces", "run", "", "Found 2 orders\n  Order ID W-12345\n  Order ID W-12346\n", []string{"order W-12345 Unnamed order", "order W-12346 Unnamed order"}},
		{"a name before a colon", "search_cars", "", "Cars available:\n  VW Polo: vehicle VEH-4465Y-96, EUR 70\n  Fiat 500: vehicle VEH-U7LXR-57, EUR 30\n", []string{"vehicle VEH-4465Y-96 VW Polo", "vehicle VEH-U7LXR-57 Fiat 500"}},
		{"the tool's noun before a state", "create_offer", "", "Offer draft OF895906 created for Ann Lee.", []string{"offer OF895906 Unnamed offer"}},

		// What holds no identifiers.
		{"cells of a table", "list_copies", "", "branch,title,price\nb84067465,The Tidal Year,136.4\nb81416100,Night Ferry,136.5\n", []string{}},
		{"months", "get_usage", "", "period   data  calls\n2025-01  12.4  230\n2025-02  9.9   180\n", []string{}},
		{"secrets beside names", "list_desks", "", "- ghp_0123456789abcdefghij - MLS9117958\n", []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in := extractor.Input{Tool: tc.tool, Result: tc.result}
			if tc.args != "" {
				in.Arguments = tc.args
			}
			out := extract(t, in)
			assert.Equal(t, tc.want, lines(out.Entities), "format %s, reason %q", out.Format, out.Reason)
		})
	}
}
