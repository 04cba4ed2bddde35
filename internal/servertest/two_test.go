package servertest

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
)

func TestTwoProcessesOnRedisAndPostgres(t *testing.T) {
	t.Parallel()
	redis, postgres := servers.StartRedis(t), servers.StartPostgres(t)
	testTwo(t, settings{store: redis.URL(), index: postgres.URL(), args: estimate})
}

func TestTwoProcessesOnPostgres(t *testing.T) {
	t.Parallel()
	testTwo(t, settings{store: servers.StartPostgres(t).URL(), args: estimate})
}

// testTwo runs two processes on the same databases, which behave as one.
func testTwo(t *testing.T, s settings) {
	a, b := start(t, s), start(t, s)
	for name, test := range map[string]func(c, d *caller){
		"what one writes the other reads": bothSee, "time to live": bothExpire, "promotion happens once": bothPromote,
		"what one forgets the other does not find": bothForget,
		"appends from both lose nothing":           bothAppend, "of writers with one ETag one wins": func(c, d *caller) {
			etag := c.put(c.wm("s"), `{}`).ok().header.Get("ETag")
			requireOneWinner(c, []*caller{c, d, c, d, c, d}, etag)
		},
		"summaries lose nothing": bothSummarise,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := call(t, a)
			d := *c
			d.p = b
			test(c, &d)
		})
	}
	t.Run("tokens", func(t *testing.T) {
		t.Parallel()
		locked := s
		locked.auth = "token"
		both := []*process{start(t, locked), start(t, locked)}
		st := &store{settings: s, auth: both[0], tokens: true}
		c := call(t, both[0])
		token := st.token(c, "--namespace", c.ns)
		both[1].logs.forbid(secretOf(token))
		c.token = token
		d := *c
		d.p = both[1]
		c.put("/v1/working-memory/s", `{}`).ok()
		d.get("/v1/working-memory/s").ok()
		_, stderr, err := st.wmem(c, "token", "revoke", "--store", s.store, idOf(token))
		require.NoError(t, err, stderr)
		c.get("/v1/working-memory/s").is(http.StatusUnauthorized)
		d.get("/v1/working-memory/s").is(http.StatusUnauthorized)
	})
	t.Run("one is killed", func(t *testing.T) {
		t.Parallel()
		oneIsKilled(t, s, b)
	})
}

func bothSee(c, d *caller) {
	c.put(c.wm("s"), `{"messages":`+talk(2)+`,"data":{"k":"v"}}`).ok()
	require.Equal(c.t, c.get(c.wm("s")).ok().raw, d.get(c.wm("s")).ok().raw)
	d.post(c.of("s", "messages"), `{"messages":`+talkFrom(2, 3)+`}`).ok()
	require.Equal(c.t, ids(0, 3), c.get(c.wm("s")).ok().all("id", "messages"))
	c.post(c.of("s", "tool-calls"), `{"name":"get_page","arguments":{},"result":{"id":"p-1","title":"zebrafinch"}}`).ok()
	require.Equal(c.t, []string{"p-1"}, d.get(c.of("s", "entities")).ok().all("id", "entities"))
	require.Equal(c.t, 1, d.get("/v1/working-memory/?namespace="+c.ns).ok().int("total"))
	c.remember(`"id":"m","text":"zebrafinch sings"`)
	require.Equal(c.t, []string{"m"}, d.search(`,"text":"sings"`).ok().all("id", "memories"))
	d.send(http.MethodPatch, "/v1/long-term-memory/m?namespace="+c.ns, `{"pinned":true}`).ok()
	require.Equal(c.t, true, c.get("/v1/long-term-memory/m?namespace="+c.ns).ok().at("pinned"))
	stale := c.get(c.wm("s")).ok().header.Get("ETag")
	fresh := d.put(c.wm("s"), `{"data":{"k":"w"}}`, "If-Match", stale).ok().header.Get("ETag")
	c.send(http.MethodDelete, c.wm("s"), "", "If-Match", stale).is(http.StatusPreconditionFailed)
	c.send(http.MethodDelete, c.wm("s"), "", "If-Match", fresh).ok()
	d.get(c.wm("s")).is(404)
	require.Zero(c.t, d.get("/v1/working-memory/?namespace="+c.ns).ok().int("total"))
}

// bothForget: what one deletes of long-term memory, or replaces, the other does not find.
func bothForget(c, d *caller) {
	c.remember(`"id":"a","text":"zebrafinch sings"`, `"id":"b","text":"zebrafinch eats"`, `"id":"c","text":"zebrafinch flies"`)
	d.remember(`"id":"a","text":"zebrafinch sleeps"`, `"id":"other","text":"zebrafinch eats"`)
	require.Equal(c.t, "zebrafinch sleeps", c.get("/v1/long-term-memory/a?namespace="+c.ns).ok().text("text"))
	require.Empty(c.t, c.search(`,"text":"sings"`).ok().list("memories"))
	require.Equal(c.t, 3, c.search(``).ok().int("total"), "the same text is one record")
	require.Equal(c.t, "ok, deleted 1 memories", d.delete("/v1/long-term-memory?memory_ids=a&namespace="+c.ns).ok().text("status"))
	c.get("/v1/long-term-memory/a?namespace=" + c.ns).is(404)
	require.Equal(c.t, "ok, deleted 0 memories", c.delete("/v1/long-term-memory?memory_ids=a&namespace="+c.ns).ok().text("status"))
	require.Equal(c.t, 1, c.post("/v1/long-term-memory/forget?dry_run=false&namespace="+c.ns, `{"policy":{"budget":1}}`).ok().int("deleted"))
	require.Equal(c.t, 1, d.search(``).ok().int("total"))
}

func bothExpire(c, d *caller) {
	c.put(c.wm("s"), `{"messages":`+talk(1)+`,"ttl_seconds":1}`).ok()
	d.put(c.wm("kept"), `{"ttl_seconds":1}`).ok()
	c.put(c.wm("kept"), `{"ttl_seconds":1000}`).ok()
	c.eventually(func() bool { return d.get(c.wm("s")).status == 404 })
	c.get(c.wm("s")).is(404)
	d.get(c.wm("kept")).ok()
	require.Equal(c.t, 1, c.get("/v1/working-memory/?namespace="+c.ns).ok().int("total"))
}

func bothPromote(c, d *caller) {
	const sessions = 10
	for i := range sessions {
		body := fmt.Sprintf(`{"memories":[{"text":"zebrafinch sings song %d"},{"id":"m%d","text":"zebrafinch eats seed %d"}]}`, i, i, i)
		[]*caller{c, d}[i%2].put(c.wm(fmt.Sprint("s", i)), body).ok()
	}
	c.eventually(func() bool { return d.search(`,"limit":1`).ok().int("total") >= 2*sessions })
	for i := range sessions {
		c.eventually(func() bool {
			a := c.get(c.wm(fmt.Sprint("s", i))).ok()
			return a.at("memories", 0, "persisted_at") != nil && a.at("memories", 1, "persisted_at") != nil
		})
	}
	require.Equal(c.t, 2*sessions, c.search(``).ok().int("total"))
}

func bothAppend(c, d *caller) {
	const writers, each = 6, 10
	var all sync.WaitGroup
	var want []string
	for w := range writers {
		want = append(want, ids(w*100, w*100+each)...)
		all.Go(func() {
			for i := range each {
				by := []*caller{c, d}[(w+i)%2]
				a, err := by.try(http.MethodPost, c.of("s", "messages", "context_window_max=1000000"), `{"messages":`+talkFrom(w*100+i, w*100+i+1)+`}`)
				if assert.NoError(c.t, err) {
					assert.Equal(c.t, 200, a.status, "%s", a.raw)
				}
			}
		})
	}
	all.Wait()
	require.ElementsMatch(c.t, want, c.get(c.wm("s")).ok().all("id", "messages"))
	require.Equal(c.t, c.get(c.wm("s")).raw, d.get(c.wm("s")).raw)
}

func bothSummarise(c, d *caller) {
	for i := range 30 {
		[]*caller{c, d}[i%2].post(c.of("s", "messages", "context_window_max=500"), `{"messages":`+talkFrom(i, i+1)+`}`).ok()
	}
	a := d.get(c.wm("s")).ok()
	left := a.all("id", "messages")
	require.Equal(c.t, ids(30-len(left), 30), left)
	require.NotEmpty(c.t, a.text("context"))
}

// oneIsKilled appends through a process that is killed meanwhile; the other one is there.
func oneIsKilled(t *testing.T, s settings, other *process) {
	c, d := call(t, start(t, s)), call(t, other)
	var acknowledged []string
	done := make(chan struct{})
	first := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			a, err := c.try(http.MethodPost, c.of("s", "messages", "context_window_max=10000000"), `{"messages":`+talkFrom(i, i+1)+`}`)
			if err != nil || a.status != http.StatusOK {
				return
			}
			acknowledged = append(acknowledged, fmt.Sprint("m", i))
			if i == 20 {
				close(first)
			}
		}
	}()
	select {
	case <-first:
	case <-done:
	case <-time.After(patience):
	}
	c.p.kill()
	<-done
	require.Greater(t, len(acknowledged), 20)
	stored := d.get(c.wm("s")).ok().all("id", "messages")
	require.Equal(t, acknowledged, stored[:len(acknowledged)])
	require.LessOrEqual(t, len(stored), len(acknowledged)+1, "the last one's answer may have been lost")
}
