package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFileBytes limits the size of a file, far beyond what settings take.
const maxFileBytes = 1 << 20

// file is a parsed file of settings.
type file struct {
	name    string
	entries map[string]entry
	secret  bool // has a secret
	open    bool // readable by others than its owner
}

type entry struct {
	text string
	line int
}

// readFile reads a file of settings. Without a name, it returns an empty one.
func readFile(name string, known []option) (*file, error) {
	f := &file{name: name, entries: map[string]entry{}}
	if name == "" {
		return f, nil
	}
	data, err := f.read()
	if err != nil {
		return nil, err
	}
	if err := f.parse(data, known); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

func (f *file) read() ([]byte, error) {
	r, err := os.Open(f.name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil {
		return nil, err
	}
	f.open = info.Mode().Perm()&0o077 != 0
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err == nil && len(data) > maxFileBytes {
		err = fmt.Errorf("%s: larger than %d bytes", f.name, maxFileBytes)
	}
	return data, err
}

func (f *file) parse(data []byte, known []option) error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	switch err := dec.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("more than one document")
	}
	top := document.Content[0]
	if top.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: must have the form name: value", top.Line)
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		if err := f.add(top.Content[i], top.Content[i+1], known); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) add(key, value *yaml.Node, known []option) error {
	i := slices.IndexFunc(known, func(o option) bool { return o.name == key.Value })
	if i < 0 || key.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: unknown setting %.50q", key.Line, key.Value)
	}
	if earlier, ok := f.entries[key.Value]; ok {
		return fmt.Errorf("line %d: %s is already set in line %d", key.Line, key.Value, earlier.line)
	}
	if value.Kind != yaml.ScalarNode || value.Tag == "!!null" {
		return fmt.Errorf("line %d: %s must have one value", key.Line, key.Value)
	}
	f.entries[key.Value] = entry{text: value.Value, line: key.Line}
	f.secret = f.secret || known[i].secret || known[i].group == Places && strings.Contains(value.Value, "@")
	return nil
}

// warnings returns warnings about the file.
func (f *file) warnings() []string {
	if f.secret && f.open {
		return []string{f.name + " contains a secret and is readable by others: chmod 600"}
	}
	return nil
}
