//go:build linux

package servertest

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
)

// Clients that stop in the middle of a large body, or do not read the answer, must not keep the
// server from serving small requests.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	p := start(t, settings{store: "memory:", args: estimate})
	c := call(t, p)
	const much = 17 << 20 // takes up to 32 MiB of the 192 MiB for bodies
	slow := func(begin string) net.Conn {
		conn := dial(t, p)
		require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
		_, _ = io.WriteString(conn, begin) // the server may close the connection early
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
	large := `{"context":"` + text[:soak.Times(1<<20, 9<<20)] + `"}`
	for _, conn := range sending {
		require.NoError(t, conn.Close())
	}
	c.patient(func() *answer { return c.put(c.wm("large"), large) }).ok()

	for range 22 {
		slow("GET " + c.wm("large") + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	}
	served()
	requirePeakMemory(t, p)
}
