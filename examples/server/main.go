// Server mounts the HTTP API in a program's own mux and talks to it with the Go client, over
// loopback and within one process.
//
//	go run ./examples/server
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/longterm/wordvectors"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal("FAILED: ", err)
	}
}

func run(ctx context.Context) (err error) {
	memories, err := longterm.New(memindex.New(nil), &longterm.Options{Embedder: wordvectors.New()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, memories.Close(ctx)) }()
	promoter, err := longterm.NewPromoter(memories, nil)
	if err != nil {
		return err
	}
	sessions, err := session.NewManager(memstore.New(nil), &session.Options{LongTerm: promoter})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sessions.Close(ctx)) }()
	api, err := rest.New(sessions, &rest.Options{Memory: memories, Promoter: promoter})
	if err != nil {
		return err
	}

	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "An assistant.") })
	mux.Handle("/memory/", http.StripPrefix("/memory", api))
	address, stop, err := serve(mux)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop(ctx)) }()

	c, err := client.New("http://"+address+"/memory", &client.Options{Namespace: "cms", UserID: "anna"})
	if err != nil {
		return err
	}
	return talk(ctx, c)
}

// serve listens on a free port of the loopback. stop lets running requests finish.
func serve(handler http.Handler) (address string, stop func(context.Context) error, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	return l.Addr().String(), func(ctx context.Context) error {
		err := server.Shutdown(ctx)
		if served := <-done; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}, nil
}
