package main

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// window is so large that no message is summarised and removed.
const window = 10_000_000

// tries limits the tries of a request.
const tries = 20

// loadRun is a run and its results.
type loadRun struct {
	settings
	client *client.Client
	name   string // part of the ids of its sessions
	took   time.Duration
	total  worker // the sums over all workers
}

// worker has the results of one client.
type worker struct {
	acknowledged []message
	left         int // messages never acknowledged
	latencies    []time.Duration
	errors       map[string]int
}

// message identifies a message of a run.
type message struct{ session, worker, number int }

func newRun(s settings) (*loadRun, error) {
	transport := &http.Transport{MaxIdleConns: s.clients, MaxIdleConnsPerHost: s.clients}
	c, err := client.New(s.url, &client.Options{Token: s.token, Namespace: s.namespace, HTTPClient: &http.Client{Transport: transport}})
	return &loadRun{settings: s, client: c, name: rand.Text()[:8]}, err
}

func (r *loadRun) session(n int) string { return fmt.Sprintf("load-%s-%d", r.name, n) }

func (m message) id() string { return fmt.Sprintf("m-%d-%d", m.worker, m.number) }

// content returns a text that is unique to the message.
func (m message) content(bytes int) string {
	text := fmt.Sprintf("%d/%s ", m.session, m.id())
	return text + strings.Repeat("x", max(bytes-len(text), 0))
}

// load appends for the duration of the run.
func (r *loadRun) load(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, r.duration)
	defer cancel()
	workers := make([]worker, r.clients)
	began := time.Now()
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() { r.work(ctx, i, &workers[i]) })
	}
	all.Wait()
	r.took = time.Since(began)
	r.total.errors = map[string]int{}
	for _, w := range workers {
		r.total.acknowledged = append(r.total.acknowledged, w.acknowledged...)
		r.total.latencies = append(r.total.latencies, w.latencies...)
		r.total.left += w.left
		for kind, n := range w.errors {
			r.total.errors[kind] += n
		}
	}
}

// work runs one client. It completes the request that is pending at the end.
func (r *loadRun) work(ctx context.Context, index int, w *worker) {
	w.errors = map[string]int{}
	for number := 0; ctx.Err() == nil; number += r.messages {
		session := mathrand.IntN(r.sessions)
		some := make([]message, r.messages)
		for i := range some {
			some[i] = message{session, index, number + i}
		}
		if r.append(context.WithoutCancel(ctx), some, w) {
			w.acknowledged = append(w.acknowledged, some...)
		} else {
			w.left += len(some)
		}
	}
}

// append appends messages and reports whether they were acknowledged.
func (r *loadRun) append(ctx context.Context, some []message, w *worker) bool {
	now := wire.Time{Time: time.Now()}
	messages := make([]wire.Message, len(some))
	for i, m := range some {
		messages[i] = wire.Message{ID: m.id(), Role: "user", Content: m.content(r.bytes), CreatedAt: &now}
	}
	for try := range tries {
		began := time.Now()
		_, err := r.client.Append(ctx, r.session(some[0].session), messages, &client.WriteOptions{Window: window, Minimal: true})
		if err == nil {
			w.latencies = append(w.latencies, time.Since(began))
			return true
		}
		w.errors[kind(err)]++
		if !r.tolerate {
			return false
		}
		time.Sleep(min(50*time.Millisecond<<try, time.Second))
	}
	return false
}
