//go:build linux

package servertest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/race"
)

func TestHostile(t *testing.T) {
	t.Parallel()
	p := start(t, settings{store: "memory:", args: estimate})
	stop := make(chan struct{})
	served := wellBehaved(t, p, stop)
	t.Run("all at once", func(t *testing.T) {
		for name, attack := range map[string]func(t *testing.T, p *process){
			"slow headers": slowHeaders, "slow bodies": slowBodies, "bodies of 1 GB": giantBodies, "a 1 GB body in chunks": endlessBody,
			"deep JSON": deepJSON, "bad UTF-8": badUTF8, "wrong content types": wrongTypes, "header floods": headerFloods,
			"idle connections": idleConnections, "requests that are none": garbage, "paths": oddPaths, "large bodies of small things": smallThings,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				attack(t, p)
			})
		}
	})
	close(stop)
	t.Logf("others were served %d times meanwhile", <-served)
	peak := memoryOf(t, p, "VmHWM")
	limit := 1 << 30
	if race.Enabled {
		limit *= 4 // which its shadow memory takes
	}
	t.Logf("memory: %d MiB at most, %d MiB now", peak>>20, memoryOf(t, p, "VmRSS")>>20)
	assert.Less(t, peak, limit)
}

// wellBehaved is a client that goes on as if nothing was the matter. It sends how often it
// was served when it is stopped.
func wellBehaved(t *testing.T, p *process, stop <-chan struct{}) <-chan int {
	served := make(chan int, 1)
	c := call(t, p)
	go func() {
		n := 0
		defer func() { served <- n }()
		pace := time.NewTicker(10 * time.Millisecond)
		defer pace.Stop()
		for {
			select {
			case <-stop:
				return
			case <-pace.C:
			}
			a, err := c.try(http.MethodPost, c.of(fmt.Sprint("s", n/20), "messages"), `{"messages":`+talkFrom(n%20, n%20+1)+`}`)
			// What comes at the same time as the large bodies may be asked to come again.
			if !assert.NoError(t, err) || a.status != http.StatusServiceUnavailable && !assert.Equal(t, 200, a.status, "%s", a.raw) {
				return
			}
			n++
		}
	}()
	return served
}

// memoryOf is a size in bytes that the system has of a process.
func memoryOf(t *testing.T, p *process, name string) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(t, err)
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, found)
	kilobytes, err := strconv.Atoi(string(found[1]))
	require.NoError(t, err)
	return kilobytes << 10
}

// giantBodies says that 1 GB follows, and begins to send it.
func giantBodies(t *testing.T, p *process) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			status := raw(t, p, "PUT /v1/working-memory/s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n"+
				`{"context":"`+strings.Repeat("z", 1<<20))
			assert.Equal(t, http.StatusRequestEntityTooLarge, status)
		})
	}
	all.Wait()
}

// endlessBody sends 1 GB without saying so before.
func endlessBody(t *testing.T, p *process) {
	c := call(t, p)
	body := io.MultiReader(strings.NewReader(`{"context":"`), io.LimitReader(letters{}, 1<<30))
	req, err := http.NewRequest(http.MethodPut, p.base+c.wm("s"), body)
	require.NoError(t, err)
	res, err := c.client.Do(req)
	if err == nil { // else the connection was closed meanwhile
		assert.Equal(t, http.StatusRequestEntityTooLarge, res.StatusCode)
		_ = res.Body.Close()
	}
	c.get(c.wm("s")).is(404)
}

// letters is text without an end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'z'
	}
	return len(p), nil
}

// large is a size of bodies: the race detector makes everything ten times slower.
func large(size int) int {
	if race.Enabled {
		return size / 20
	}
	return size
}

func deepJSON(t *testing.T, p *process) {
	c := call(t, p)
	for _, open := range []string{`[`, `{"a":`, `[{"a":[`} {
		for _, size := range []int{2000, large(20 << 20)} {
			deep := strings.Repeat(open, size/len(open))
			c.patient(func() *answer { return c.put(c.wm("s"), `{"data":{"a":`+deep) }).is(422)
			c.patient(func() *answer { return c.put(c.wm("s"), deep) }).is(422)
			c.patient(func() *answer { return c.post(c.of("s", "tool-calls"), `{"name":"x","result":`+deep) }).is(422)
		}
	}
}

// patient asks again while the server has too much to do.
func (c *caller) patient(ask func() *answer) *answer {
	c.t.Helper()
	var a *answer
	c.eventually(func() bool { a = ask(); return a.status != http.StatusServiceUnavailable })
	return a
}

func badUTF8(t *testing.T, p *process) {
	c := call(t, p)
	for _, text := range []string{"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\xe2\x82", `\ud800`, `\udc00\ud800`, "\x00", "\n", `\x`, `\u12`} {
		a := c.put(c.wm("s"), `{"messages":[{"role":"user","content":"zebrafinch `+text+`"}],"data":{"`+text+`":1}}`)
		assert.Equal(t, 422, a.status, "%q", text)
		assert.Equal(t, 422, c.search(`,"text":"`+text+`"`).status, "%q", text)
	}
	c.get(c.wm("s")).is(404)
	c.get("/v1/working-memory/%ff%fe?namespace=%ff").is(422)
}

func wrongTypes(t *testing.T, p *process) {
	c := call(t, p)
	for _, kind := range []string{"text/plain", "application/xml", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", ";;;", "application/json; charset=utf-16"} {
		a := c.put(c.wm("s"), `<zebrafinch/>`, "Content-Type", kind)
		assert.Contains(t, []int{400, 415, 422}, a.status, kind)
	}
	for _, encoding := range []string{"gzip", "br", "nonsense"} {
		a := c.put(c.wm("s"), "\x1f\x8b\x08\x00zebrafinch", "Content-Encoding", encoding)
		assert.Contains(t, []int{400, 415, 422}, a.status, encoding)
	}
	c.get(c.wm("s")).is(404)
}
