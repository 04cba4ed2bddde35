//go:build unix

package servers

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// process is a process of a server, with its children.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed after Wait
	guard  *guard
}

// begin starts a command in a process group of its own, so that an interrupt at the terminal
// does not reach it.
func begin(cmd *exec.Cmd, log string) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	defer out.Close() // the process has its own
	cmd.Stdout, cmd.Stderr = out, out
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, exited: make(chan struct{})}
	go func() {
		defer close(p.exited)
		_ = cmd.Wait() // most processes are killed
	}()
	if p.guard, err = watch(cmd.Process.Pid); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// kill kills the process and its children, and waits for it.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.exited
	p.guard.stop()
}

// signal signals the process and its children. Those of PostgreSQL are not in its process
// group.
func (p *process) signal(sig syscall.Signal) {
	if p.hasExited() {
		return
	}
	children := childrenOf(p.cmd.Process.Pid)
	_ = p.cmd.Process.Signal(sig)
	for _, pid := range children {
		_ = syscall.Kill(pid, sig)
	}
}

// childrenOf asks ps for the children of a process.
func childrenOf(parent int) []int {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return nil
	}
	var children []int
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var pid, ppid int
		if _, err := fmt.Sscan(lines.Text(), &pid, &ppid); err == nil && ppid == parent {
			children = append(children, pid)
		}
	}
	return children
}

// guard is a shell that kills a server if the process of the test ends without stopping it,
// after a timeout, for instance.
type guard struct {
	cmd   *exec.Cmd
	alive io.Closer // the write end of its input, which the system closes with the test
}

func watch(pid int) (*guard, error) {
	cmd := exec.Command("sh", "-c", `read line; kill -9 "$0"`, strconv.Itoa(pid))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	alive, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return &guard{cmd: cmd, alive: alive}, cmd.Start()
}

func (g *guard) stop() {
	if g == nil {
		return
	}
	_ = g.cmd.Process.Kill()
	_ = g.cmd.Wait()
	_ = g.alive.Close()
}

// poll calls do until it succeeds or the context ends.
func poll(ctx context.Context, do func() error) error {
	for {
		err := do()
		if err == nil {
			return nil
		}
		if pause(ctx) != nil {
			return fmt.Errorf("not in time: %w", err)
		}
	}
}

// pause waits before the next attempt.
func pause(ctx context.Context) error {
	timer := time.NewTimer(20 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
