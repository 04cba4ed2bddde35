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
	"github.com/go-workingmemory/workingmemory/internal/soak"
)

func TestHostile(t *testing.T) {
	t.Parallel()
	p := start(t, settings{store: "memory:", args: estimate})
	stop := make(chan struct{})
	served := wellBehaved(t, p, stop)
	t.Run("all at once", func(t *testing.T) {
		for name, attack := range map[string]func(t *testing.T, p *process){
			"slow headers": slowHeaders, "slow bodies": slowBodies, "bodies of 1 GB": giantBodies, "a 1 GB body in chunks": endlessBody,
			"deep JSON": deepJSON, "header floods": headerFloods,
			"idle connections": idleConnections, "large bodies of small things": smallThings,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				attack(t, p)
			})
		}
	})
	close(stop)
	assert.Positive(t, <-served)
	requirePeakMemory(t, p)
}

// wellBehaved runs an ordinary client until stop is closed, and then sends the number of requests
// that were served.
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
			// Beside large bodies the server may ask to retry.
			if !assert.NoError(t, err) || a.status != http.StatusServiceUnavailable && !assert.Equal(t, 200, a.status, "%s", a.raw) {
				return
			}
			n++
		}
	}()
	return served
}

// requirePeakMemory requires that a process has used less than 1 GiB.
func requirePeakMemory(t *testing.T, p *process) {
	limit := int64(1 << 30)
	if race.Enabled {
		limit *= 4 // the race detector's shadow memory
	}
	assert.Less(t, peakMemory(t, p), limit)
}

// peakMemory returns the largest resident memory that a process has had, in bytes.
func peakMemory(t testing.TB, p *process) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(t, err)
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, found)
	kilobytes, err := strconv.ParseInt(string(found[1]), 10, 64)
	require.NoError(t, err)
	return kilobytes << 10
}

// giantBodies announces 1 GB and begins to send it.
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

// endlessBody sends 1 GB in chunks.
func endlessBody(t *testing.T, p *process) {
	c := call(t, p)
	body := io.MultiReader(strings.NewReader(`{"context":"`), io.LimitReader(letters{}, 1<<30))
	req, err := http.NewRequest(http.MethodPut, p.base+c.wm("s"), body)
	require.NoError(t, err)
	res, err := c.client.Do(req)
	if err == nil { // else the server closed the connection
		assert.Equal(t, http.StatusRequestEntityTooLarge, res.StatusCode)
		_ = res.Body.Close()
	}
	c.get(c.wm("s")).is(404)
}

// letters reads endless text.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'z'
	}
	return len(p), nil
}

func deepJSON(t *testing.T, p *process) {
	c := call(t, p)
	for _, open := range []string{`[`, `{"a":`, `[{"a":[`} {
		for _, size := range []int{2000, soak.Times(1<<20, 20<<20)} {
			deep := strings.Repeat(open, size/len(open))
			c.patient(func() *answer { return c.put(c.wm("s"), `{"data":{"a":`+deep) }).is(422)
			c.patient(func() *answer { return c.put(c.wm("s"), deep) }).is(422)
			c.patient(func() *answer { return c.post(c.of("s", "tool-calls"), `{"name":"x","result":`+deep) }).is(422)
		}
	}
}

// patient repeats a request while the server answers 503.
func (c *caller) patient(ask func() *answer) *answer {
	c.t.Helper()
	var a *answer
	c.eventually(func() bool { a = ask(); return a.status != http.StatusServiceUnavailable })
	return a
}

// smallThings sends bodies that would take far more memory when decoded.
func smallThings(t *testing.T, p *process) {
	size := soak.Times(1<<20, 30<<20)
	c := call(t, p)
	repeat := func(text string) string {
		return strings.TrimSuffix(strings.Repeat(text, size/len(text)), ",")
	}
	for name, body := range map[string]string{
		"messages without anything": `{"messages":[` + repeat(`{},`) + `]}`,
		"memories without anything": `{"memories":[` + repeat(`{},`) + `]}`,
		"nulls":                     `{"data":{"a":[` + repeat(`null,`) + `]},"messages":7}`,
		"objects":                   `{"data":{"a":[` + repeat(`{"a":1},`) + `]},"messages":7}`,
		"one long number":           `{"tokens":` + repeat(`9`) + `}`,
		"a number without a size":   `{"tokens":1e` + repeat(`9`) + `}`,
		"escapes":                   `{"messages":[{"role":"user","content":7}],"context":"` + repeat(`\u0000`) + `"}`,
		"one name again and again":  `{` + repeat(`"messages":[],`) + `}`,
		"spaces":                    repeat(" "),
	} {
		a := c.patient(func() *answer { return c.put(c.wm("s"), body) })
		assert.Contains(t, []int{413, 422}, a.status, "%s: %.200s", name, a.raw)
		assert.Less(t, len(a.raw), 1<<20, "%s: the answer is short", name)
	}
	// A valid body of many members is stored.
	many := make([]string, 0, 5000)
	for i := range cap(many) {
		many = append(many, fmt.Sprintf(`"key %d":%d`, i, i))
	}
	a := c.patient(func() *answer { return c.put(c.wm("s"), `{"data":{`+strings.Join(many, ",")+`}}`) })
	assert.Len(t, a.ok().at("data"), 5000)
}
