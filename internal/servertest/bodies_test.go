package servertest

import (
	"fmt"
	"strings"
	"time"
)

// noon is the time of the first message.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// message returns a message as JSON. Its content contains the marker.
func message(id, role, content string, at time.Time) string {
	return fmt.Sprintf(`{"id":%q,"role":%q,"content":%q,"created_at":%q}`,
		id, role, marker+" "+content, at.UTC().Format(time.RFC3339Nano))
}

// talk returns n messages, from m0 on, a second apart, each about 100 characters long.
func talk(n int) string { return talkFrom(0, n) }

// talkFrom returns the messages from number from to before number to.
func talkFrom(from, to int) string {
	var all []string
	for i := from; i < to; i++ {
		role := []string{"user", "assistant"}[i%2]
		content := fmt.Sprintf("says sentence number %d about the weather, the harvest and the long way home from there.", i)
		all = append(all, message(fmt.Sprintf("m%d", i), role, content, noon.Add(time.Duration(i)*time.Second)))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// ids returns the ids of messages of talkFrom.
func ids(from, to int) []string {
	all := []string{}
	for i := from; i < to; i++ {
		all = append(all, fmt.Sprintf("m%d", i))
	}
	return all
}
