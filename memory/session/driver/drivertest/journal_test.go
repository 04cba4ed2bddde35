//go:build unix

package drivertest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// journal is a store on a file that processes share, with a line for each call that changed
// something. A killed process may leave half a line, which the next one removes.
type journal struct {
	mu     sync.Mutex
	file   *os.File
	table  *table
	offset int64 // of the part of the file that is not in the table
	fault  string
	calls  int
	late   [][]byte // lines that a faulty journal has not written yet
}

// openJournal opens the journal at a path, which may end with "?" and a fault.
func openJournal(address string) (driver.Store, func() error, error) {
	path, fault, _ := strings.Cut(address, "?")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, nil, err
	}
	j := &journal{file: file, fault: fault, table: newTable()}
	return caller(j.do), file.Close, nil
}

func (j *journal) do(ctx context.Context, c call) (reply, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return reply{}, err
	}
	if err := syscall.Flock(int(j.file.Fd()), syscall.LOCK_EX); err != nil {
		return reply{}, err
	}
	defer func() { _ = syscall.Flock(int(j.file.Fd()), syscall.LOCK_UN) }()
	if err := j.catchUp(); err != nil {
		return reply{}, err
	}
	c.Doubles = j.fault == doubles
	if j.fault == cuts && c.Write != nil && c.Write.DropBefore > 0 {
		c.Write.DropBefore++
	}
	if j.fault == undue && c.Due != nil {
		c.Limit = 0
	}
	r := j.table.do(c)
	if r.err() != nil || c.Load != nil || c.List != nil || c.Due != nil {
		return r, r.err()
	}
	return r, j.record(c)
}

// catchUp reads the lines of other processes.
func (j *journal) catchUp() error {
	text, err := io.ReadAll(io.NewSectionReader(j.file, j.offset, 1<<40))
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if err := j.file.Truncate(j.offset + int64(whole)); err != nil {
		return err
	}
	for line := range bytes.Lines(text[:whole]) {
		var c call
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		j.table.do(c)
	}
	j.offset += int64(whole)
	return nil
}

// Faults of a journal.
const (
	forgets = "forgets a call now and then" // one of twenty
	delays  = "writes later what it acknowledged"
	cuts    = "lets one message more leave than it is told"
	doubles = "adds messages again"
	undue   = "lists nothing as due"
)

// record writes a call.
func (j *journal) record(c call) error {
	j.calls++
	lines, late := [][]byte{}, [][]byte{}
	switch {
	case j.fault == forgets && j.calls%20 == 0:
		j.table, j.offset = newTable(), 0
		return nil
	case j.fault == delays && j.calls%4 != 0:
		late = append(j.late, encode(c))
	default:
		lines = append(j.late, encode(c))
	}
	j.late = late
	text := bytes.Join(lines, nil)
	n, err := j.file.WriteAt(text, j.offset)
	j.offset += int64(n)
	return err
}

func encode(c call) []byte {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // of a type of this package
	}
	return append(text, '\n')
}
