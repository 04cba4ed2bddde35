// Command wmem serves working memory over HTTP and MCP, extracts entities from tool results,
// replays recorded traces of agents, and measures which entities survive.
//
//	main.go, run.go   arguments, exit codes, signals
//	serve.go          the HTTP server      mcp.go     MCP on standard input and output
//	mcpproxy.go       other MCP servers, recorded
//	extract.go        one result           lines.go   many results
//	replay.go         traces to blocks     eval.go    traces to figures
//	recall.go         long-term memory: questions to figures
//	report.go         figures as text      markdown.go, plot.go  as tables and as a plot
//	inspect.go        a session of a server or a store, as text by inspection.go
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/redis/go-redis/v9/logging"
)

func main() {
	logging.Disable() // go-redis would log errors to standard error that it returns too
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals // a second signal ends the process at once
		os.Exit(exitFailure)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
