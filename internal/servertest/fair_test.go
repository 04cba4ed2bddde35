//go:build linux

package servertest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/race"
)

// TestSlowClientsLeaveRoomForSmallRequests: clients that send much and then nothing more, and
// clients that do not read what they ask for, take the room of large requests alone.
func TestSlowClientsLeaveRoomForSmallRequests(t *testing.T) {
	t.Parallel()
	p := start(t, settings{store: "memory:", args: estimate})
	c := call(t, p)
	const much = 17 << 20 // for which it takes up to 32 MiB, of 192 MiB
	slow := func(begin string) net.Conn {
		conn := dial(t, p)
		require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
		_, _ = io.WriteString(conn, begin) // it may be refused before all is written
		return conn
	}
	var sending [12]net.Conn
	text := strings.Repeat("z", much)
	var all sync.WaitGroup
	for n := range sending {
		all.Go(func() {
			sending[n] = slow(fmt.Sprintf("PUT /v1/working-memory/slow%d HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n", n, 31<<20) + `{"context":"` + text)
		})
	}
	all.Wait()
	served := func() {
		for n := range 50 {
			c.post(c.of(fmt.Sprint("s", n%5), "messages"), `{"messages":`+talkFrom(n, n+1)+`}`).ok()
			c.get(c.wm(fmt.Sprint("s", n%5))).ok()
		}
	}
	served()
	large := `{"context":"` + text[:large(9<<20)] + `"}`
	for _, conn := range sending {
		require.NoError(t, conn.Close())
	}
	put := c.put(c.wm("large"), large)
	for put.status == http.StatusServiceUnavailable { // until what they had is back
		time.Sleep(10 * time.Millisecond)
		put = c.put(c.wm("large"), large)
	}
	put.ok()

	for range 22 {
		slow("GET " + c.wm("large") + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	}
	served()
	limit := 1 << 30
	if race.Enabled {
		limit *= 4
	}
	assert.Less(t, memoryOf(t, p, "VmHWM"), limit)
}
