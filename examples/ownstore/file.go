package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// extension is the file name extension of sessions.
const extension = ".json"

// errDamaged is returned for a file that does not hold a session.
var errDamaged = errors.New("not a session")

// entry is the first line of a file: what List and Due read, also where the rest is
// damaged.
type entry struct {
	// Key is the text of key, whose parts may hold bytes that JSON does not.
	Key string
	driver.Position
	key driver.Key
}

// content is the second line of a file. Head and bodies are in base64: a store returns
// them byte for byte, and a head need not be JSON.
type content struct {
	Format   int
	Head     []byte
	Messages []driver.StoredMessage
	// Left are the ids of the messages that left last, oldest first.
	Left []string
}

// path returns the name of a session's file: a hash, as keys are longer than names of
// files may be.
func (s *Store) path(key driver.Key) string {
	return filepath.Join(s.dir, fmt.Sprintf("%x%s", sha256.Sum256([]byte(key.String())), extension))
}

// readEntry reads the first line of a file, and returns the rest as it is.
func readEntry(path string) (e entry, rest []byte, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return entry{}, nil, err
	}
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	if err := json.Unmarshal(line, &e); err != nil {
		return entry{}, nil, errDamaged
	}
	if e.key, err = driver.ParseKey(e.Key); err != nil {
		return entry{}, nil, errDamaged
	}
	return e, rest, nil
}

// readSession reads a session. It returns nil if there is no file, or the session has expired.
func readSession(path string) (*storedSession, error) {
	e, rest, err := readEntry(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case e.expired():
		return nil, nil
	}
	found := &storedSession{entry: e}
	if err := json.Unmarshal(rest, &found.content); err != nil || len(found.Messages) != found.Len() {
		return nil, errDamaged
	}
	return found, nil
}

// save replaces the file of a session. The new one takes its place whole: a process
// that is killed leaves the one or the other.
func (s *Store) save(session *storedSession) error {
	var file bytes.Buffer
	enc := json.NewEncoder(&file) // ends each value with a line break
	if err := errors.Join(enc.Encode(session.entry), enc.Encode(session.content)); err != nil {
		return err
	}
	path := s.path(session.key)
	if err := os.WriteFile(path+".new", file.Bytes(), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
