// Load appends messages to the sessions of a server from many concurrent clients, and then reads
// them back: no acknowledged message may be missing, changed or duplicated.
//
//	go run ./internal/servertest/load --url http://127.0.0.1:8000 --clients 64 --sessions 1000 --duration 60s
//
// It exits with status 1 if one is, or if a request failed. With --tolerate-errors, requests may
// fail, as they do while a database restarts, and are repeated with the same ids.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

// settings configure a run.
type settings struct {
	url, token, namespace string
	clients, sessions     int
	duration              time.Duration
	messages, bytes       int
	tolerate, remove      bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	if err != nil {
		return 2
	}
	r, err := newRun(s)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, err)
		return 2
	}
	r.load(ctx)
	r.report(stdout)
	lost := r.verify(context.WithoutCancel(ctx), stdout) // even after Ctrl-C
	if s.remove {
		r.remove(context.WithoutCancel(ctx))
	}
	if lost || len(r.total.errors) > 0 && !s.tolerate {
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("load", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&s.url, "url", "http://127.0.0.1:8000", "address of the server")
	f.StringVar(&s.token, "token", os.Getenv("WMEM_TOKEN"), "token of each request; by default $WMEM_TOKEN")
	f.StringVar(&s.namespace, "namespace", "", "namespace of the sessions; if empty, the server decides")
	f.IntVar(&s.clients, "clients", 64, "number of concurrent clients")
	f.IntVar(&s.sessions, "sessions", 1000, "number of sessions")
	f.DurationVar(&s.duration, "duration", time.Minute, "duration of the run")
	f.IntVar(&s.messages, "messages", 1, "messages in each request")
	f.IntVar(&s.bytes, "bytes", 200, "length of a message")
	f.BoolVar(&s.tolerate, "tolerate-errors", false, "repeat failed requests with the same ids")
	f.BoolVar(&s.remove, "delete", false, "delete the sessions at the end")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if s.clients < 1 || s.sessions < 1 || s.messages < 1 || s.duration <= 0 || s.bytes < 0 || f.NArg() > 0 {
		err := fmt.Errorf("load: clients, sessions, messages and the duration must be positive")
		_, _ = fmt.Fprintln(stderr, err)
		return s, err
	}
	return s, nil
}
