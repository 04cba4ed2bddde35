package rest_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// A program serves sessions beside its other routes.
func Example() {
	ctx := context.Background()
	sessions, err := session.NewManager(memstore.New(nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer sessions.Close(ctx)
	handler, err := rest.New(sessions, nil)
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/memory/", http.StripPrefix("/memory", handler))
	server := httptest.NewServer(mux)
	defer server.Close()

	call := `{"name":"create_ad","result":{"id":"ad-17","name":"Spring","status":"PAUSED"}}`
	answer, err := http.Post(server.URL+"/memory/v1/working-memory/chat-1/tool-calls", "application/json", strings.NewReader(call))
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	block, err := http.Get(server.URL + "/memory/v1/working-memory/chat-1/block")
	if err != nil {
		log.Fatal(err)
	}
	defer block.Body.Close()
	text, err := io.ReadAll(block.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Status)
	fmt.Println(strings.Contains(string(text), "ad-17"))
	// Output:
	// 200 OK
	// true
}

// Each customer has a token for its own namespace.
func ExampleOptions_tokens() {
	ctx := context.Background()
	sessions, err := session.NewManager(memstore.New(nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer sessions.Close(ctx)
	tokens := auth.NewMemoryTokenStore()
	handler, err := rest.New(sessions, &rest.Options{Verifier: auth.NewVerifier(tokens, nil), Rate: 50})
	if err != nil {
		log.Fatal(err)
	}
	token, _, err := auth.Create(ctx, tokens, auth.CreateOptions{Tenant: auth.Tenant{Namespace: "acme"}, TTL: 24 * time.Hour})
	if err != nil {
		log.Fatal(err)
	}
	for _, header := range []string{"", "Bearer " + token} {
		r := httptest.NewRequest("GET", "/v1/working-memory/", nil)
		r.Header.Set("Authorization", header)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Print(w.Code, " ", w.Body)
	}
	// Output:
	// 401 {"detail":"Missing authorization header"}
	// 200 {"sessions":[],"total":0}
}
