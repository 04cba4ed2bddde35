package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"

	"github.com/go-workingmemory/workingmemory/adapters/mcpproxy"
)

// mcpServer is an MCP server in the configuration of a client: a command or a URL.
type mcpServer struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Dir     string            `json:"cwd"`

	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// readServers reads servers by name. Errors do not quote the file, which may have secrets.
func readServers(path string) (map[string]mcpServer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, usageError{err}
	}
	var file struct {
		Servers map[string]mcpServer `json:"mcpServers"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, usagef("%s: not JSON with an object mcpServers", path)
	}
	if len(file.Servers) == 0 {
		return nil, usagef("%s: mcpServers has no servers", path)
	}
	for _, name := range slices.Sorted(maps.Keys(file.Servers)) {
		if s := file.Servers[name]; (s.Command == "") == (s.URL == "") {
			return nil, usagef("%s: server %q needs either a command or a url", path, name)
		}
	}
	return file.Servers, nil
}

// connect starts the server, or prepares the connection to it. What a process writes to standard
// error goes to errs.
func (s *mcpServer) connect(errs io.Writer, logger *slog.Logger) (mcpproxy.Conn, error) {
	if s.URL == "" {
		cmd := exec.Command(s.Command, s.Args...)
		cmd.Stderr, cmd.Dir, cmd.Env = errs, s.Dir, os.Environ()
		for name, value := range s.Env {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		return mcpproxy.Start(cmd, 0)
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, usagef("the url of an MCP server must begin with http:// or https:// and a host")
	}
	header := http.Header{}
	for name, value := range s.Headers {
		header.Set(name, value)
	}
	return mcpproxy.NewHTTP(s.URL, &mcpproxy.HTTPOptions{Header: header, Logger: logger}), nil
}

// connectAll connects to all servers of a file, as one.
func connectAll(path string, errs io.Writer, logger *slog.Logger) (mcpproxy.Conn, error) {
	servers, err := readServers(path)
	if err != nil {
		return nil, err
	}
	connections := map[string]mcpproxy.Conn{}
	for name, s := range servers {
		c, err := s.connect(errs, logger)
		if err != nil {
			for _, c := range connections {
				err = errors.Join(err, c.Close())
			}
			return nil, fmt.Errorf("server %q: %w", name, err)
		}
		connections[name] = c
	}
	return mcpproxy.NewHub(connections, logger), nil
}
