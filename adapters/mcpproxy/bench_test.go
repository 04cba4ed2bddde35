package mcpproxy_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/mcpproxy"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// BenchmarkCall measures a call of a tool over pipes: without a proxy, with one that records beside
// the answer, and with one that adds the block to it.
func BenchmarkCall(b *testing.B) {
	for _, size := range []int{1, 10, 100} {
		var rows []string
		for i := range size * 10 {
			rows = append(rows, fmt.Sprintf(`{"id":"order-%d","name":"Kettle %d","total":%d,"status":"paid","at":"2026-01-02T03:04:05Z"}`, i, i, i))
		}
		answer := result("1", text(`{"orders":[`+strings.Join(rows, ",")+`]}`)) + "\n"
		ask := call("1", "find_orders", `{"status":"paid"}`) + "\n"
		for name, opts := range map[string]*mcpproxy.Options{"direct": nil, "recorded": {}, "block": {ResultBlock: mcpproxy.BlockAfter}} {
			b.Run(fmt.Sprintf("%dKB/%s", size, name), func(b *testing.B) { benchmark(b, ask, answer, opts) })
		}
	}
}

// benchmark calls a tool, through a proxy if opts is not nil.
func benchmark(b *testing.B, ask, answer string, opts *mcpproxy.Options) {
	in, toProxy := io.Pipe()
	fromProxy, out := io.Pipe()
	serverIn, serverOut := in, out
	done := make(chan error, 2)
	if opts != nil {
		var toServer, ofServer *io.PipeWriter
		var fromServer *io.PipeReader
		serverIn, toServer = io.Pipe()
		fromServer, ofServer = io.Pipe()
		serverOut = ofServer
		go func() {
			done <- mcpproxy.Run(b.Context(), new(middleware.Recorder), mcpproxy.NewStream(in, out), mcpproxy.NewStream(fromServer, toServer), opts)
		}()
	}
	go func() {
		defer serverOut.Close()
		lines := bufio.NewReader(serverIn)
		for {
			if _, err := lines.ReadSlice('\n'); err != nil {
				return
			}
			_, _ = io.WriteString(serverOut, answer)
		}
	}()
	answers := bufio.NewReaderSize(fromProxy, 1<<20)
	b.SetBytes(int64(len(answer)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := io.WriteString(toProxy, ask)
		require.NoError(b, err)
		_, err = answers.ReadSlice('\n')
		require.NoError(b, err)
	}
	require.NoError(b, toProxy.Close())
	if opts != nil {
		require.NoError(b, <-done)
	}
}
