package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

func Example() {
	mux := http.NewServeMux() // in place of wmem serve
	mux.HandleFunc("POST /v1/working-memory/{sid}/messages", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"session_id":"chat-17","version":1,"tokens":9}`)
	})
	mux.HandleFunc("GET /v1/working-memory/{sid}", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, `{"detail":"Session %s not found"}`, r.PathValue("sid"))
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	ctx := context.Background()
	c, err := client.New(server.URL, &client.Options{Namespace: "shop", Retries: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := c.Append(ctx, "chat-17", []wire.Message{{ID: "m-1", Role: "user", Content: "Which ads run?"}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(session.SessionID, session.Tokens)
	_, err = c.Session(ctx, "chat-18", nil)
	fmt.Println(errors.Is(err, client.ErrNotFound), err)
	// Output:
	// chat-17 9
	// true client: status 404: Session chat-18 not found
}
