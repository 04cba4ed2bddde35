// Command wmem serves working memory, over HTTP and MCP, and looks at what it does: it
// extracts entities from tool results, replays recorded traces of agents, and measures what
// survived.
//
//	main.go, run.go   arguments, exit codes, signals
//	serve.go          the HTTP server      mcp.go     MCP on standard input and output
//	extract.go        one result           lines.go   many results
//	replay.go         traces to blocks     eval.go    traces to figures
//	recall.go         long-term memory: questions to figures
//	report.go         figures as text      markdown.go, plot.go  as tables and as a plot
//	inspect.go        a session, of a server or a store; inspection.go  as text
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/redis/go-redis/v9/logging"
)

func main() {
	logging.Disable() // go-redis would write to standard error by itself, what it returns as errors too
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals // a second one ends the process at once, however soon it comes
		os.Exit(exitFailure)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
