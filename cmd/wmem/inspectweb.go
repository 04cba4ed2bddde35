package main

import (
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/adapters/server/inspector"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/web"
	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// webFlags serve pages instead of writing text.
type webFlags struct {
	on     bool
	listen string
}

func (f *webFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.on, "web", false, "serve pages that show the TRACES, on this machine")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "with --web: `ADDRESS` of this machine to listen on; port 0 chooses a free one")
}

// run serves the pages of files of traces until the command is interrupted.
func (f *webFlags) run(cmd *cobra.Command, files []string) error {
	for _, flag := range []string{"server", "store", "config", "namespace", "user", "messages", "json"} {
		if cmd.Flags().Changed(flag) {
			return usagef("--web cannot be combined with --%s", flag)
		}
	}
	l, err := web.Listen(cmd.Context(), f.listen, false)
	if err != nil {
		return usagef("--listen: %w", err)
	}
	defer l.Close() // the server has closed it if it ran
	recordings := make([]inspector.Recording, len(files))
	for i, name := range files {
		recordings[i].Name = filepath.Base(name)
		err := eachEpisode(cmd, name, evaluation.Part{}, func(ep *evaluation.Episode) error {
			recordings[i].Episodes = append(recordings[i].Episodes, ep)
			return nil
		})
		if err != nil {
			return err
		}
	}
	logger := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	pages := inspector.ForRecordings(recordings, logger)
	all := http.NewServeMux()
	all.Handle(inspector.Path+"/", pages)
	all.Handle("/", http.RedirectHandler(inspector.Path+"/", http.StatusSeeOther))
	fmt.Fprintf(cmd.OutOrStdout(), "http://%s%s/\n", l.Addr(), inspector.Path)
	server := &web.Server{
		Handler:        web.Recover(web.Guard(all, true, func(int) {}), logger),
		RequestTimeout: rest.DefaultTimeout, Grace: serveGrace, Logger: logger,
	}
	return server.Run(cmd.Context(), web.Limit(l, web.DefaultConnections))
}
