//go:build unix

package servers

import (
	"context"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

const postgresVariable = "WORKINGMEMORY_TEST_POSTGRES"

// StartPostgres starts a server on a new cluster with settings as command-line options. If the
// test runs as root, which PostgreSQL refuses, the server runs as the user postgres.
func StartPostgres(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	asked(tb, postgresVariable)
	account := accountOf(tb)
	installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(installed, newest)
	dir := directory(tb)
	account.own(tb, dir)
	data := filepath.Join(dir, "data")
	initialise := account.run(find(tb, "initdb", installed...), "-D", data, "-U", "postgres",
		"--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	initialise.Dir = dir
	if out, err := initialise.CombinedOutput(); err != nil {
		tb.Fatalf("servers: initdb: %v\n%s", err, out)
	}
	port := strconv.Itoa(freePort(tb))
	program, isReady := find(tb, "postgres", installed...), find(tb, "pg_isready", installed...)
	address := net.JoinHostPort("127.0.0.1", port)
	s := &Server{
		tb: tb, name: "postgres", address: address,
		url:   "postgres://postgres@" + address + "/postgres?sslmode=disable",
		log:   filepath.Join(dir, "log"),
		leave: syscall.SIGINT, // "fast": SIGTERM waits until clients leave
		command: func() *exec.Cmd {
			cmd := account.run(program, "-D", data, "-h", "127.0.0.1", "-p", port, "-c", "unix_socket_directories=")
			cmd.Args = append(cmd.Args, settings...)
			cmd.Dir = dir
			return cmd
		},
		ready: func(ctx context.Context) error {
			return exec.CommandContext(ctx, isReady, "-q", "-h", "127.0.0.1", "-p", port, "-U", "postgres").Run()
		},
	}
	tb.Cleanup(s.end)
	s.Start()
	return s
}

// newest orders directories by the version in their path, the newest first.
func newest(a, b string) int { return version(b) - version(a) }

func version(bin string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	return n
}

// account is the user that PostgreSQL runs as; its zero value is the current one.
type account struct {
	credential *syscall.Credential
}

func accountOf(tb testing.TB) account {
	tb.Helper()
	if os.Geteuid() != 0 {
		return account{}
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		tb.Fatalf("servers: PostgreSQL does not run as root, and there is no user for it: %v", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		tb.Fatalf("servers: %v", err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		tb.Fatalf("servers: %v", err)
	}
	return account{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

func (a account) run(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential}
	return cmd
}

func (a account) own(tb testing.TB, dir string) {
	tb.Helper()
	if a.credential == nil {
		return
	}
	if err := os.Chown(dir, int(a.credential.Uid), int(a.credential.Gid)); err != nil {
		tb.Fatalf("servers: %v", err)
	}
}
