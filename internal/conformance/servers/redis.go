//go:build unix

package servers

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

const redisVariable = "WORKINGMEMORY_TEST_REDIS"

// StartRedis starts a redis-server with settings as command-line options. Without any, it syncs
// each write to disk (appendonly yes, appendfsync always).
func StartRedis(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	asked(tb, redisVariable)
	if len(settings) == 0 {
		settings = []string{"--appendonly", "yes", "--appendfsync", "always"}
	}
	return startRedis(tb, freePort(tb), settings...)
}

// StartRedisCluster starts a cluster of three servers without replicas.
func StartRedisCluster(tb testing.TB) []*Server {
	tb.Helper()
	asked(tb, redisVariable)
	const nodes = 3
	cluster := make([]*Server, nodes)
	for i := range cluster {
		cluster[i] = startRedis(tb, freePort(tb), "--appendonly", "no", "--cluster-enabled", "yes")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := join(ctx, cluster); err != nil {
		tb.Fatalf("servers: the cluster does not form: %v\n%s", err, cluster[0].output())
	}
	return cluster
}

// join assigns the slots to the nodes, makes the nodes meet, and waits until each knows all
// slots.
func join(ctx context.Context, cluster []*Server) error {
	const slots = 16384
	for i, node := range cluster {
		command := []string{"CLUSTER", "ADDSLOTS"}
		for slot := i * slots / len(cluster); slot < (i+1)*slots/len(cluster); slot++ {
			command = append(command, strconv.Itoa(slot))
		}
		if _, err := redisCommand(ctx, node.address, command...); err != nil {
			return err
		}
		// Nodes with the same epoch take long to agree.
		if _, err := redisCommand(ctx, node.address, "CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1)); err != nil {
			return err
		}
	}
	for _, node := range cluster[1:] {
		host, port, _ := net.SplitHostPort(node.address)
		if _, err := redisCommand(ctx, cluster[0].address, "CLUSTER", "MEET", host, port); err != nil {
			return err
		}
	}
	return poll(ctx, func() error {
		for _, node := range cluster {
			info, err := redisCommand(ctx, node.address, "CLUSTER", "INFO")
			if err != nil {
				return err
			}
			for _, line := range []string{"cluster_state:ok", fmt.Sprintf("cluster_slots_ok:%d", slots), fmt.Sprintf("cluster_size:%d", len(cluster))} {
				if !strings.Contains(info, line+"\r\n") {
					return fmt.Errorf("%s has not %s", node.address, line)
				}
			}
		}
		return nil
	})
}

func startRedis(tb testing.TB, port int, settings ...string) *Server {
	tb.Helper()
	program := find(tb, "redis-server")
	dir := directory(tb)
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	s := &Server{
		tb: tb, name: "redis-server", address: address, url: "redis://" + address + "/0",
		log:   filepath.Join(dir, "log"),
		leave: syscall.SIGTERM,
		command: func() *exec.Cmd {
			return exec.Command(program, append([]string{
				"--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", dir, "--save", "",
			}, settings...)...)
		},
		ready: func(ctx context.Context) error {
			_, err := redisCommand(ctx, address, "PING")
			return err
		},
	}
	tb.Cleanup(s.end)
	s.Start()
	return s
}

// freePort returns a free port of the loopback interface. The port 10,000 above, on which a
// node of a cluster listens, is free too.
func freePort(tb testing.TB) int {
	tb.Helper()
	const tries = 200
	for range tries {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatalf("servers: %v", err)
		}
		port := listener.Addr().(*net.TCPAddr).Port
		bus, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+10000)))
		_ = listener.Close()
		if err == nil {
			_ = bus.Close()
			return port
		}
	}
	tb.Fatal("servers: no free port")
	return 0
}
