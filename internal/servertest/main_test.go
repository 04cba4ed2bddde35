package servertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-workingmemory/workingmemory/internal/race"
)

// program is the path of wmem, built for this run.
var program string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "servertest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "wmem")
	args := append([]string{"build", "-o", program}, race.BuildFlags()...)
	build := exec.Command("go", append(args, "github.com/go-workingmemory/workingmemory/cmd/wmem")...)
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building wmem: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
