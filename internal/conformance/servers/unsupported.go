//go:build !unix

package servers

import "testing"

// Server is a server process. This system is not supported.
type Server struct{}

// StartRedis skips the test.
func StartRedis(tb testing.TB, settings ...string) *Server { return unsupported(tb) }

// StartRedisCluster skips the test.
func StartRedisCluster(tb testing.TB) []*Server { return []*Server{unsupported(tb)} }

// StartPostgres skips the test.
func StartPostgres(tb testing.TB, settings ...string) *Server { return unsupported(tb) }

func unsupported(tb testing.TB) *Server {
	tb.Helper()
	tb.Skip("servers are started on Unix systems only")
	return nil
}

// Address does nothing here.
func (*Server) Address() string { return "" }

// URL does nothing here.
func (*Server) URL() string { return "" }

// Start does nothing here.
func (*Server) Start() {}

// Kill does nothing here.
func (*Server) Kill() {}

// Stop does nothing here.
func (*Server) Stop() {}

// Pause does nothing here.
func (*Server) Pause() {}

// Resume does nothing here.
func (*Server) Resume() {}
