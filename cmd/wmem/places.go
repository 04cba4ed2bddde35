package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
)

// addPlaces adds the flags of a command that works on the sessions or tokens of a server.
func addPlaces(cmd *cobra.Command, places *config.Reader) {
	flags := cmd.PersistentFlags()
	places.AddFlags(flags)
	// It is accepted, as by serve, but has no effect.
	_ = flags.MarkHidden("index")
}

// storeOf returns the store that a command works on. A store in memory is refused, because it
// cannot be that of a server. A missing file is refused unless create is set: the command may
// run in another directory than the server.
func storeOf(cmd *cobra.Command, places *config.Reader, create bool) (backend.Place, *config.Settings, error) {
	settings, warnings, err := places.Load(cmd.Flags(), os.Environ())
	if err != nil {
		return backend.Place{}, nil, usageError{err}
	}
	for _, warning := range warnings {
		cmd.PrintErrf("wmem: %s\n", warning)
	}
	place, _, err := backend.Config{Store: settings.Store}.Places()
	if err != nil {
		return place, nil, usageError{err}
	}
	if place.Volatile() {
		return place, nil, usagef("--store memory: cannot be shared with a server: use the store of the server")
	}
	path, isFile := strings.CutPrefix(place.String(), "sqlite:")
	if !isFile || create {
		return place, settings, nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return place, nil, fmt.Errorf("there is no file %s: --store must be that of the server", path)
	}
	return place, settings, nil
}
